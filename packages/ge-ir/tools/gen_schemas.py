"""Writes the operator schema files that ge-ir ships, from the installed ``onnx`` package.

Run it with the newest ``onnx`` release and commit what it writes::

    python packages/ge-ir/tools/gen_schemas.py            # rewrite src/ge/es/_schema_data/*.schemas
    python packages/ge-ir/tools/gen_schemas.py --check    # exit 1 if a file would change

There is one file per operator domain. Its first line is a JSON header: ``format``, ``domain``, the ``onnx`` release and
the newest ``opset``, and ``types``, the list of distinct allowed-type sets. Every other line is one schema,
``<name> TAB <since_version> TAB <json>``, sorted by name and version, so that an update of onnx reads well in a diff
and a reader can index a file without parsing any schema. The JSON list of a schema is::

    [flags, min_input, max_input, min_output, max_output, inputs, outputs, attributes, constraints]

    flags       1 deprecated, 2 not deterministic (control flow, whose body may be random, included), 4 experimental
    max_*       -1 stands for "no limit"
    inputs      [name, kind, type, homogeneous]; kind 0 single, 1 optional, 2 variadic
    attributes  [name, kind, required] or [name, kind, 0, default]
    constraints {letter: index into the header's types}

The bytes depend on the onnx release only.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from pathlib import Path
from typing import Any

FORMAT = 1
UNLIMITED = 2147483647
DATA_DIR = Path(__file__).resolve().parent.parent / "src" / "ge" / "es" / "_schema_data"
FLAG_DEPRECATED, FLAG_NONDETERMINISTIC, FLAG_EXPERIMENTAL = 1, 2, 4


def file_name(domain: str) -> str:
    """Name of the file that holds a domain; the default domain is ``ai.onnx``."""
    return f"{domain or 'ai.onnx'}.schemas"


def shortest_float32(value: float) -> float:
    """The decimal with the fewest digits that rounds to the same float32, as a person would write it."""
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if ctypes.c_float(short).value == value:
            return short
    return value


def default_value(operator: str, attribute: Any) -> list[Any]:
    """The default of an attribute as a list of one JSON value, or an empty list if it has none."""
    import onnx

    proto = attribute.default_value
    if proto.type == onnx.AttributeProto.UNDEFINED:
        return []
    if proto.type == onnx.AttributeProto.FLOAT:
        return [shortest_float32(proto.f)]
    if proto.type == onnx.AttributeProto.FLOATS:
        return [[shortest_float32(item) for item in proto.floats]]
    if proto.type == onnx.AttributeProto.INT:
        return [proto.i]
    if proto.type == onnx.AttributeProto.INTS:
        return [list(proto.ints)]
    if proto.type == onnx.AttributeProto.STRING:
        return [proto.s.decode("utf-8")]
    if proto.type == onnx.AttributeProto.STRINGS:
        return [[item.decode("utf-8") for item in proto.strings]]
    # No released operator has a tensor, graph or type as a default. When one comes, the format needs a number up.
    kind = onnx.AttributeProto.AttributeType.Name(proto.type)
    raise SystemExit(
        f"{operator}: default of attribute {attribute.name!r} is a {kind}, which format {FORMAT} cannot hold"
    )


def encode_parameters(parameters: Any) -> list[list[Any]]:
    """Inputs or outputs of a schema."""
    return [[p.name, p.option.value, p.type_str.replace(" ", ""), int(p.is_homogeneous)] for p in parameters]


def encode_attributes(schema: Any) -> list[list[Any]]:
    """Attributes of a schema, sorted by name."""
    operator = f"{schema.domain}::{schema.name}-{schema.since_version}"
    rows = []
    for name in sorted(schema.attributes):
        attribute = schema.attributes[name]
        rows.append([name, attribute.type.name, int(attribute.required), *default_value(operator, attribute)])
    return rows


def flags_of(schema: Any) -> int:
    """The flag bits of a schema."""
    flags = FLAG_DEPRECATED if schema.deprecated else 0
    if schema.node_determinism.name == "NonDeterministic":
        flags |= FLAG_NONDETERMINISTIC
    if schema.support_level.name == "EXPERIMENTAL":
        flags |= FLAG_EXPERIMENTAL
    return flags


def encode_schema(schema: Any, type_sets: dict[tuple[str, ...], int]) -> str:
    """The line of one schema; new type sets are appended to ``type_sets``."""
    constraints = {}
    for constraint in schema.type_constraints:
        # Blanks separate types in the header, so the one after the comma of a map type goes.
        key = tuple(sorted(text.replace(" ", "") for text in constraint.allowed_type_strs))
        constraints[constraint.type_param_str] = type_sets.setdefault(key, len(type_sets))
    limits = [schema.min_input, schema.max_input, schema.min_output, schema.max_output]
    limits = [-1 if limit == UNLIMITED else limit for limit in limits]
    body = [flags_of(schema), *limits, encode_parameters(schema.inputs), encode_parameters(schema.outputs)]
    body += [encode_attributes(schema), constraints]
    return f"{schema.name}\t{schema.since_version}\t{json.dumps(body, separators=(',', ':'))}"


def newest_opset(domain: str, schemas: list[Any]) -> int:
    """The newest opset of a domain; beyond the default domain, onnx says it only through its schemas."""
    import onnx

    return onnx.defs.onnx_opset_version() if not domain else max(schema.since_version for schema in schemas)


def encode_domain(domain: str, schemas: list[Any]) -> bytes:
    """The file of one domain."""
    import onnx

    type_sets: dict[tuple[str, ...], int] = {}
    ordered = sorted(schemas, key=lambda schema: (schema.name, schema.since_version))
    lines = [encode_schema(schema, type_sets) for schema in ordered]
    header = {
        "format": FORMAT,
        "domain": domain,
        "onnx": onnx.__version__,
        "opset": newest_opset(domain, schemas),
        "types": [" ".join(types) for types in type_sets],
    }
    return "\n".join([json.dumps(header, separators=(",", ":")), *lines, ""]).encode("utf-8")


def encode_all() -> dict[str, bytes]:
    """File name and bytes for every domain that onnx knows.

    Raises:
        SystemExit: The installed onnx does not say which operators are deterministic.
    """
    import onnx

    if not hasattr(onnx.defs.OpSchema, "node_determinism"):
        raise SystemExit(f"onnx {onnx.__version__} is too old to write the schema files; install the newest release")
    by_domain: dict[str, list[Any]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        by_domain.setdefault(schema.domain, []).append(schema)
    return {file_name(domain): encode_domain(domain, by_domain[domain]) for domain in sorted(by_domain)}


def main(arguments: list[str] | None = None) -> int:
    """Writes or checks the files; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file is not up to date")
    parser.add_argument("--output", type=Path, default=DATA_DIR, help="directory of the files")
    options = parser.parse_args(arguments)
    stale = []
    for name, content in encode_all().items():
        path = options.output / name
        if path.exists() and path.read_bytes() == content:
            continue
        stale.append(name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    verb = "stale" if options.check else "written"
    print(f"{verb}: {', '.join(stale)}" if stale else "schema files are up to date")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
