"""What passes did: counters and times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ge.passes._stage import PassStage

if TYPE_CHECKING:
    from ge.passes._plugins import PluginFailure

__all__ = ["PassReport", "PassStat"]


@dataclass(frozen=True)
class PassStat:
    """What one pass did.

    Attributes:
        name: Pass name.
        matches: Matches found, before ``meet_requirements``.
        rewrites: Replacements made; for a whole-graph pass 1 for each graph it changed.
        skipped: Matches not replaced: requirement false, conflict with an earlier one, or replacement refused.
        seconds: Wall time inside the pass.
        graphs: Graphs visited, subgraphs included.
        stage: Stage of the pass.
    """

    name: str
    matches: int
    rewrites: int
    skipped: int
    seconds: float
    graphs: int = 0
    stage: PassStage = PassStage.BEFORE_INFER_SHAPE


@dataclass(frozen=True)
class PassReport:
    """What the runs of an executor did; prints as a table.

    Attributes:
        stats: One row for each pass that ran, in order of first run.
        changed: Whether the last run changed the graph.
        plugin_failures: Plug-ins that did not load.
    """

    stats: tuple[PassStat, ...] = ()
    changed: bool = False
    plugin_failures: tuple[PluginFailure, ...] = field(default=(), repr=False)

    def __getitem__(self, name: str) -> PassStat:
        """Row of a pass.

        Raises:
            KeyError: It did not run; the text names those that did.
        """
        for stat in self.stats:
            if stat.name == name:
                return stat
        ran = ", ".join(stat.name for stat in self.stats) or "none"
        raise KeyError(f"pass {name!r} did not run; passes that did: {ran}")

    def __contains__(self, name: object) -> bool:
        return any(stat.name == name for stat in self.stats)

    @property
    def rewrites(self) -> int:
        """Replacements of all passes."""
        return sum(stat.rewrites for stat in self.stats)

    def __str__(self) -> str:
        rows = [("pass", "matches", "rewrites", "skipped", "ms")]
        rows += [
            (item.name, str(item.matches), str(item.rewrites), str(item.skipped), f"{item.seconds * 1e3:.2f}")
            for item in self.stats
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths))
            )
            for row in rows
        ]
        lines += [str(failure) for failure in self.plugin_failures]
        return "\n".join(lines)
