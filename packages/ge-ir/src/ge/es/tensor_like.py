"""What may stand for a tensor where an operator takes one: numbers, nested lists, numpy arrays, constants.

==================  ==============================================================================
value               becomes
==================  ==============================================================================
``TensorHolder``    itself; one of another builder is a ``ValueError``
``None``            an absent optional input
number              scalar constant
nested list, tuple  constant of its shape; ``[]`` has shape ``[0]``
numpy array         constant of its own element type
``Tensor``          constant that shares its data
==================  ==============================================================================

A number or list takes the element type of its partner (the first tensor operand whose type is known); a value that
type cannot hold is a ``ValueError``. Without a partner: ``bool`` is BOOL, ``int`` INT64, ``float`` FLOAT, and a list
with any float is FLOAT.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

from ge.graph._enums import DataType
from ge.graph._packing import flatten, is_array

if TYPE_CHECKING:
    from ge.es._tensor_holder import TensorHolder
    from ge.es.graph_builder import GraphBuilder

__all__ = ["TensorLike", "convert_to_tensor_holder", "partner_data_type", "resolve_builder"]

TensorLike = Union[int, float, Sequence[Any], Any]
"""Number, nested list of numbers, numpy array or `Tensor`."""


def convert_to_tensor_holder(
    value: Any, builder: GraphBuilder, partner: TensorHolder | DataType | None = None
) -> TensorHolder | None:
    """The tensor that a value stands for; ``None`` stays ``None``.

    Args:
        value: What the user gave.
        builder: Builder in whose graph a constant is made.
        partner: Tensor whose element type, or the element type, that a number or list takes; ``None``, or a tensor of
            unknown type: by the value.

    Raises:
        ValueError: A ragged list, a tensor of another builder, or a value that the type cannot hold.
        TypeError: Anything else; an empty inner list.
        RuntimeError: The graph was built.
    """
    from ge.es._tensor_holder import TensorHolder
    from ge.graph import Tensor

    if value is None:
        return None
    if isinstance(value, TensorHolder):
        builder._check_own(value, "operand")
        return value
    if isinstance(value, Tensor):
        return builder._constant(value)
    if is_array(value):
        return builder._constant(Tensor.from_numpy(value, copy=True))
    if isinstance(value, (int, float, list, tuple)):
        data_type = partner_data_type([partner]) if isinstance(partner, TensorHolder) else partner
        return builder._constant(_literal(value, data_type))
    raise TypeError(
        f"operand must be a TensorHolder, a number, a nested list, a numpy array or None, "
        f"found {type(value).__name__}: {value!r}"
    )


def _literal(value: Any, data_type: DataType | None) -> Any:
    from ge.graph import Tensor

    flat, dims = flatten(value)
    for item in flat:
        if not isinstance(item, (int, float)):
            raise TypeError(f"list must hold numbers, found {type(item).__name__}: {item!r}")
    if data_type is None:
        return Tensor._packed(flat, _literal_type(flat), dims)
    try:
        return Tensor._packed(flat, data_type, dims)
    except ValueError as error:
        raise ValueError(
            f"literal {value!r} does not fit the element type of the other operand: {error}; "
            f"cast that tensor, or pass a numpy array of the wanted type"
        ) from None


def _literal_type(flat: Iterable[Any]) -> DataType:
    kinds = {type(item) for item in flat}
    if kinds == {bool}:
        return DataType.DT_BOOL
    return DataType.DT_FLOAT if any(issubclass(kind, float) for kind in kinds) else DataType.DT_INT64


def _holders(values: Iterable[Any]) -> Iterable[TensorHolder]:
    from ge.es._tensor_holder import TensorHolder

    for value in values:
        if isinstance(value, TensorHolder):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _holders(value)


def partner_data_type(values: Iterable[Any]) -> DataType | None:
    """Element type of the first tensor among the operands whose type is known; ``None``: there is none."""
    for holder in _holders(values):
        number = holder._known_type()
        if number != DataType.DT_UNDEFINED:
            return DataType(number)
    return None


def resolve_builder(*values: Any) -> GraphBuilder:
    """The builder of the operands: tensors, lists of tensors, or builders; other values are passed over.

    Raises:
        ValueError: None has a builder, or they are tensors from different builders.
    """
    from ge.es.graph_builder import GraphBuilder

    builders = [value for value in values if isinstance(value, GraphBuilder)]
    builders += [holder._builder for holder in _holders(values)]
    if not builders:
        raise ValueError("no operand belongs to a GraphBuilder: pass a tensor, or name one with owner_builder=")
    for other in builders[1:]:
        if other is not builders[0]:
            raise ValueError(
                f"tensors from different GraphBuilders cannot be combined: {builders[0].name!r} and {other.name!r}"
            )
    return builders[0]
