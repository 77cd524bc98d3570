"""Finds the schema of an operator: shipped ONNX tables, framework operators, and operators that a user registered."""

from __future__ import annotations

import bisect
import difflib
import threading
from typing import Sequence

from ge.error import GeError
from ge.es._schema import OpSchema, normalize_domain
from ge.es._schema_framework import FRAMEWORK_SCHEMAS
from ge.es._schema_table import SchemaTable, load_shipped_table, shipped_domains

__all__ = [
    "UnknownOperatorError",
    "add_schema",
    "find_schema",
    "get_schema",
    "is_known_domain",
    "near_matches",
    "newest_opset",
    "op_names",
    "versions_with_attribute",
]

_lock = threading.RLock()
_tables: dict[str, SchemaTable | None] = {}
# (domain, name) -> schemas of a user, ascending by version
_registered: dict[tuple[str, str], list[OpSchema]] = {}


class UnknownOperatorError(GeError, LookupError):
    """No schema for an operator: misspelt, of another domain, or of another opset."""


def _table(domain: str) -> SchemaTable | None:
    try:
        return _tables[domain]
    except KeyError:
        with _lock:
            if domain not in _tables:
                _tables[domain] = load_shipped_table(domain)
            return _tables[domain]


def find_schema(domain: str, name: str, opset: int) -> OpSchema | None:
    """The schema that an operator has at an opset, or None.

    The newest form that is not newer than ``opset`` counts. Opset 0 means the operators of the graph engine, which
    every opset of the default domain has too unless ONNX uses the name: ``If`` at 0 is the engine's, at 16 ONNX's.

    Args:
        domain: Operator domain; ``""`` and ``"ai.onnx"`` are the same.
        name: Operator type.
        opset: Version of the domain.
    """
    domain = normalize_domain(domain)
    table = _table(domain)
    found = table.find(name, opset) if table is not None else None
    if found is not None:
        return found
    registered = _registered.get((domain, name))
    if registered:
        at = bisect.bisect_right([schema.since_version for schema in registered], opset)
        if at:
            return registered[at - 1]
    return FRAMEWORK_SCHEMAS.get(name) if not domain else None


def get_schema(domain: str, name: str, opset: int) -> OpSchema:
    """As :func:`find_schema`, but an operator that is not there is an error.

    Raises:
        UnknownOperatorError: Names the operator, its domain and the opset, and says at which opsets it exists or which
            operators have a similar name.
    """
    schema = find_schema(domain, name, opset)
    if schema is None:
        raise UnknownOperatorError(_unknown_text(normalize_domain(domain), name, opset))
    return schema


def _unknown_text(domain: str, name: str, opset: int) -> str:
    shown = domain or "ai.onnx"
    versions = _versions(domain, name)
    if versions:
        return f"operator {name!r} of domain {shown!r} exists from opset {versions[0]} on, expected at opset {opset}"
    text = f"operator {name!r} is not in domain {shown!r} at opset {opset}"
    if not is_known_domain(domain):
        known = ", ".join(repr(known or "ai.onnx") for known in shipped_domains())
        return (
            f"{text}: nothing is known of this domain (known: {known}); register its operators with "
            f"ge.es.schema.register_op"
        )
    near = near_matches(name, op_names(domain, opset))
    return f"{text}; did you mean {near}?" if near else text


def _versions(domain: str, name: str) -> list[int]:
    table = _table(domain)
    versions = table.versions(name) if table is not None else []
    return versions or [schema.since_version for schema in _registered.get((domain, name), ())]


def versions_with_attribute(domain: str, name: str, attribute: str) -> list[int]:
    """Versions of an operator whose form has the attribute, ascending."""
    forms = (find_schema(domain, name, version) for version in _versions(normalize_domain(domain), name))
    return [schema.since_version for schema in forms if schema is not None and attribute in schema.attributes]


def near_matches(name: str, candidates: Sequence[str]) -> str:
    """Up to three names like ``name``, quoted and joined for an error text; empty if there are none."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.lower(), list(by_lower), n=3, cutoff=0.7)
    return " or ".join(repr(by_lower[text]) for text in close)


def is_known_domain(domain: str) -> bool:
    """True if ge-ir ships or a user registered operators of the domain, so that an unknown one is a mistake."""
    domain = normalize_domain(domain)
    return domain in shipped_domains() or any(key[0] == domain for key in _registered)


def newest_opset(domain: str) -> int:
    """Newest opset of a domain that the shipped table knows; 0 if it knows nothing of the domain."""
    table = _table(normalize_domain(domain))
    return table.opset if table is not None else 0


def op_names(domain: str, opset: int, *, deprecated: bool = False) -> list[str]:
    """Operator types of a domain at an opset, sorted; those of the graph engine for opset 0 of the default domain only.

    Args:
        domain: Operator domain.
        opset: Version of the domain.
        deprecated: Also name operators that are deprecated at this opset.
    """
    domain = normalize_domain(domain)
    if not domain and not opset:
        return sorted(FRAMEWORK_SCHEMAS)
    table = _table(domain)
    names = set(table.names_at(opset, deprecated=deprecated)) if table is not None else set()
    for (key_domain, name), schemas in _registered.items():
        if key_domain == domain and schemas[0].since_version <= opset:
            names.add(name)
    return sorted(names)


def add_schema(schema: OpSchema) -> None:
    """Takes a user's operator in; the checks of its parts were made before.

    Raises:
        ValueError: The operator is built in, or registered at the same version with another form.
    """
    domain, name = schema.domain, schema.name
    table = _table(domain)
    if (table is not None and table.versions(name)) or (not domain and name in FRAMEWORK_SCHEMAS):
        raise ValueError(f"register_op: operator {name!r} of domain {domain or 'ai.onnx'!r} is built in")
    with _lock:
        schemas = _registered.setdefault((domain, name), [])
        same = [other for other in schemas if other.since_version == schema.since_version]
        if same and same[0] != schema:
            raise ValueError(
                f"register_op: {schema} is already registered with another form: {same[0]!r}, now {schema!r}"
            )
        if not same:
            schemas.append(schema)
            schemas.sort(key=lambda item: item.since_version)
