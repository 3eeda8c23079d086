"""Try the wheel as someone would who has nothing else: a bare environment, no source, no extra.

    python tools/try_dist.py dist

`python -m build` makes the wheel from the sdist, so both are tried. What is tried is in
`bare.py`: first by the one who installs; then, where modes are POSIX's, from an install that
cannot be written to, by an ordinary user, whose home then holds what Numba compiles; then by one
without a home.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

BARE = Path(__file__).with_name("bare.py")
# Whom root becomes: no mode stops root from writing.
OTHER = "nobody"
NOWHERE = Path("/nonexistent")


def main(folder: Path) -> None:
    (wheel,) = folder.glob("*.whl")
    with tempfile.TemporaryDirectory(prefix="medoids-dist-") as name:
        place = Path(name)
        place.chmod(0o755)
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        print(f"Installing {wheel.name} into a bare environment", flush=True)
        install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", wheel]
        subprocess.run(install, check=True)
        shutil.copy(BARE, place)
        print("Trying it", flush=True)
        attempt(python, place)
        if os.name == "posix":
            user = OTHER if os.getuid() == 0 else None
            print(f"Trying it read-only{f', as {user}' if user else ''}", flush=True)
            lock(place / "venv")
            attempt(python, place, user)
            print("Trying it without a home", flush=True)
            attempt(python, place, user, home=False)


def attempt(python: Path, place: Path, user: str | None = None, home: bool = True) -> None:
    """Run bare.py in a new folder, which is the home too; -I: what lies around is not imported."""
    folder = Path(tempfile.mkdtemp(dir=place))
    if user:
        shutil.chown(folder, user)
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    command = [python, "-I", place / "bare.py"]
    environment = kept | dict.fromkeys(("HOME", "USERPROFILE"), str(folder if home else NOWHERE))
    try:
        subprocess.run(command, cwd=folder, env=environment, user=user, check=True)
    except PermissionError:
        print(f"  Skipped: {user} may not run {python.resolve()}; another Python can be chosen.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"try_dist.py: bare.py ended with {error.returncode}.")


def lock(environment: Path) -> None:
    """Take what was compiled away, and the right to write."""
    (package,) = environment.glob("lib/python*/site-packages/medoids")
    for cache in list(package.rglob("__pycache__")):
        shutil.rmtree(cache)
    for path in [package, *package.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
