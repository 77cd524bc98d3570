"""Command line of the package: ``python -m ge.runtime doctor [--json]``."""

from __future__ import annotations

import argparse
import sys

from ge.runtime.doctor import diagnose, render

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 if everything that Python passes need is there, 1 if something is missing, 2 for a wrong command line.
    """
    parser = argparse.ArgumentParser(prog="python -m ge.runtime", description="Tools of the GE runtime.")
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="say what works here and what does not")
    doctor.add_argument("--json", action="store_true", help="print JSON instead of text")
    args = parser.parse_args(argv)
    report = diagnose()
    print(render(report, args.json))
    healthy = report["artifacts"].get("usable") and all(library["loads"] for library in report["libraries"].values())
    return 0 if healthy else 1


if __name__ == "__main__":
    sys.exit(main())
