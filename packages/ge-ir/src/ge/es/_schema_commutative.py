"""Operators whose data inputs may be given in any order, the schemas of ``onnx`` do not say it."""

from __future__ import annotations

__all__ = ["COMMUTATIVE"]

#: (domain, type). Only exact commutation counts: the result may not depend on the order in any bit that matters to a
#: user. Sum, Mean, Max and Min take any number of inputs; their order may change the last bit of a float sum, as the
#: order of Add already does between two nodes.
COMMUTATIVE = frozenset(
    ("", name)
    for name in (
        "Add",
        "Mul",
        "Max",
        "Min",
        "Sum",
        "Mean",
        "And",
        "Or",
        "Xor",
        "Equal",
        "BitwiseAnd",
        "BitwiseOr",
        "BitwiseXor",
    )
)
