"""The command `medoids`, also as `python -m medoids` (extra `cli`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with these arguments; the exit code."""
    try:
        from .cli.run import run
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("typer", "rich"):
            raise
        line = f"medoids: the command line needs {package}: pip install 'medoids[cli]'."
        print(line, file=sys.stderr)
        return 2
    return run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
