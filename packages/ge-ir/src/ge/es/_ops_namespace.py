"""The op functions of one domain at one opset, made when they are first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.es._schema_registry import find_schema, get_schema, newest_opset, op_names

if TYPE_CHECKING:
    from ge.es._ops_function import OpFunction
    from ge.es._schema import OpSchema

__all__ = ["OpNamespace", "get_namespace"]

_namespaces: dict[tuple[str, int], OpNamespace] = {}


class OpNamespace:
    """Op functions as attributes, named as the operators: ``ops.Conv(x, w)``.

    Attributes:
        domain: Operator domain.
        version: Opset of the domain; nodes made here carry it.
    """

    def __init__(self, domain: str, version: int, module: str) -> None:
        """Use :func:`ge.es.onnx.opset`; ``module`` is the module name its functions show."""
        self.domain = domain
        self.version = version
        self._module = module
        self._functions: dict[str, tuple[OpSchema, OpFunction]] = {}

    def __getattr__(self, name: str) -> OpFunction:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        schema = find_schema(self.domain, name, self.version)
        if schema is None or (self.version and not schema.since_version):
            raise AttributeError(self._missing(name))
        if schema.deprecated:
            raise AttributeError(f"operator {name!r} is deprecated since opset {schema.since_version} of {self!r}")
        made = self._functions.get(name)
        if made is None or made[0] is not schema:
            # Loads the builder and the native library: not needed before the first function is.
            from ge.es._ops_function import make_op_function

            made = self._functions[name] = (schema, make_op_function(schema, self.version, self._module))
        return made[1]

    def _missing(self, name: str) -> str:
        if self.version and find_schema("", name, 0) is not None and not self.domain:
            return f"{name!r} is an operator of the graph engine, not of ONNX: use ge.es.framework.{name}"
        try:
            get_schema(self.domain, name, self.version)
        except LookupError as error:
            return str(error)
        return f"{self!r} has no operator {name!r}"

    def names(self) -> list[str]:
        """Names of the operators, sorted; deprecated ones are not listed."""
        return op_names(self.domain, self.version)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *self.names()])

    def __repr__(self) -> str:
        if not self.version:
            return "<ops of the graph engine>"
        return f"<ops of {self.domain or 'ai.onnx'!r} at opset {self.version}>"


def get_namespace(domain: str, version: int, module: str) -> OpNamespace:
    """The namespace of a domain at an opset; always the same object.

    Raises:
        TypeError: The opset is no int.
        ValueError: The domain has no such opset; names the newest one.
    """
    if isinstance(version, bool) or not isinstance(version, int):
        raise TypeError(f"opset must be an int, found {version!r} of type {type(version).__name__}")
    newest = newest_opset(domain)
    if not (1 <= version <= newest or (domain, version) == ("", 0)):
        raise ValueError(f"opset {version} of domain {domain or 'ai.onnx'!r} is not known: expected 1 to {newest}")
    key = (domain, version)
    if key not in _namespaces:
        _namespaces[key] = OpNamespace(domain, version, module)
    return _namespaces[key]
