"""Reads the schema files shipped with ge-ir; see ``tools/gen_schemas.py`` for their form.

A file is indexed when its domain is first asked for, which splits lines only. A schema is parsed when it is first used.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ge.es._schema import AttributeKind, AttributeSchema, OpSchema, Parameter, ParameterKind
from ge.es._schema_commutative import COMMUTATIVE

__all__ = ["SchemaTable", "load_shipped_table", "shipped_domains"]

_FORMAT = 1
_DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_schema_data")
_SUFFIX = ".schemas"
_DEFAULT_FILE = "ai.onnx"
_FLAG_DEPRECATED, _FLAG_NONDETERMINISTIC, _FLAG_EXPERIMENTAL = 1, 2, 4


class SchemaTable:
    """All versions of all operators of one domain."""

    def __init__(self, text: str) -> None:
        """Indexes a file.

        Args:
            text: Content of a ``.schemas`` file.

        Raises:
            ValueError: The file has another format number; it was written for another release of ge-ir.
        """
        header_line, _, rest = text.partition("\n")
        header: dict[str, Any] = json.loads(header_line)
        if header["format"] != _FORMAT:
            raise ValueError(f"operator schema file has format {header['format']}, expected {_FORMAT}: reinstall ge-ir")
        self.domain: str = header["domain"]
        self.opset: int = header["opset"]
        self.onnx_version: str = header["onnx"]
        self._type_texts: list[str] = header["types"]
        self._type_sets: dict[int, tuple[str, ...]] = {}
        # Lines are sorted by name and version, so each list of versions is ascending.
        self._versions: dict[str, list[tuple[int, str]]] = {}
        self._parsed: dict[tuple[str, int], OpSchema] = {}
        for line in rest.splitlines():
            name, since, body = line.split("\t", 2)
            self._versions.setdefault(name, []).append((int(since), body))

    def names_at(self, opset: int, *, deprecated: bool) -> list[str]:
        """Operator types that exist at an opset, sorted; with or without those deprecated there. Parses no schema."""
        names = []
        for name, entries in self._versions.items():
            body = next((body for since, body in reversed(entries) if since <= opset), None)
            if body is not None and (deprecated or not int(body[1 : body.index(",")]) & _FLAG_DEPRECATED):
                names.append(name)
        return names

    def versions(self, name: str) -> list[int]:
        """The opsets at which the operator got a new form, ascending; empty if it is not in the domain."""
        return [since for since, _ in self._versions.get(name, ())]

    def find(self, name: str, opset: int) -> OpSchema | None:
        """The form an operator has at an opset: the newest one that is not newer; None if there is none."""
        best = None
        for entry in self._versions.get(name, ()):
            if entry[0] > opset:
                break
            best = entry
        if best is None:
            return None
        key = (name, best[0])
        if key not in self._parsed:
            self._parsed[key] = self._parse(name, best[0], json.loads(best[1]))
        return self._parsed[key]

    def _parse(self, name: str, since: int, body: list[Any]) -> OpSchema:
        flags, min_input, max_input, min_output, max_output, inputs, outputs, attributes, constraints = body
        return OpSchema(
            domain=self.domain,
            name=name,
            since_version=since,
            inputs=_parameters(inputs),
            outputs=_parameters(outputs),
            attributes={row[0]: _attribute(row) for row in attributes},
            type_constraints={letter: self._types(index) for letter, index in constraints.items()},
            min_input=min_input,
            max_input=None if max_input < 0 else max_input,
            min_output=min_output,
            max_output=None if max_output < 0 else max_output,
            deprecated=bool(flags & _FLAG_DEPRECATED),
            deterministic=not flags & _FLAG_NONDETERMINISTIC,
            experimental=bool(flags & _FLAG_EXPERIMENTAL),
            commutative=(self.domain, name) in COMMUTATIVE,
        )

    def _types(self, index: int) -> tuple[str, ...]:
        if index not in self._type_sets:
            self._type_sets[index] = tuple(self._type_texts[index].split(" "))
        return self._type_sets[index]


def _parameters(rows: list[list[Any]]) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, ParameterKind(kind), type_text, bool(same)) for name, kind, type_text, same in rows)


def _attribute(row: list[Any]) -> AttributeSchema:
    return AttributeSchema(row[0], AttributeKind(row[1]), bool(row[2]), row[3] if len(row) > 3 else None)


def shipped_domains() -> list[str]:
    """Domains with a schema file, sorted; the default domain is ``""``."""
    stems = [name[: -len(_SUFFIX)] for name in os.listdir(_DIRECTORY) if name.endswith(_SUFFIX)]
    return sorted("" if stem == _DEFAULT_FILE else stem for stem in stems)


def load_shipped_table(domain: str) -> SchemaTable | None:
    """Indexes the file of a domain; None if ge-ir ships none."""
    if domain not in shipped_domains():
        return None
    path = os.path.join(_DIRECTORY, (domain or _DEFAULT_FILE) + _SUFFIX)
    with open(path, encoding="utf-8") as file:
        return SchemaTable(file.read())
