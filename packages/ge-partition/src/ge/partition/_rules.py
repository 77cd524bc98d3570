"""`PartitionRules`: every rule that a split by shape can be told, one field each."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PartitionRules"]


@dataclass(frozen=True)
class PartitionRules:
    """Rules of a split by shape.

    Attributes:
        preset: ``documented``: what the documents of the graph engine describe. ``ge_code``, what its code does, is
            not implemented yet.
        static_model_ops_lower_limit: Least number of operators of a static part; smaller ones become dynamic. 0 and 1
            never do that; -1 makes the whole graph dynamic, without a split.
        absorption: ``any_path``: a static operator on any path between two dynamic ones becomes dynamic. ``adjacent``
            is not implemented yet.
        reference_variables: ``consumers``: a reference variable goes with its consumers. ``input`` is not implemented
            yet.
        constants: ``consumers``: a constant is copied into each part that reads it, sharing its data. ``shared_part``
            is not implemented yet.
    """

    preset: str = "documented"
    static_model_ops_lower_limit: int = 4
    absorption: str = "any_path"
    reference_variables: str = "consumers"
    constants: str = "consumers"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, found {value!r}")
        limit = self.static_model_ops_lower_limit
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise TypeError(f"static_model_ops_lower_limit must be an int, found {type(limit).__name__}: {limit!r}")

    def number(self, name: str) -> int:
        """Number of a choice in the native table."""
        return _CHOICES[name].index(getattr(self, name))


_CHOICES = {
    "preset": ("documented", "ge_code"),
    "absorption": ("any_path", "adjacent"),
    "reference_variables": ("consumers", "input"),
    "constants": ("consumers", "shared_part"),
}
