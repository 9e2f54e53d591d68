"""Starts a module of this package for the program `tess`: python3 start.py MODULE [ARGUMENT...].

Where a library is missing it prints the line that installs it and exits with 4."""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

LIBRARIES = ("numpy", "pandas", "h5py", "matplotlib")


def how_to_install(missing: list[str]) -> str:
    """The line for this Python: pip's in a virtual environment, else Debian's."""
    if sys.prefix != sys.base_prefix or not os.path.exists("/usr/bin/apt-get") or not sys.executable.startswith("/usr/bin/"):
        return f"{sys.executable} -m pip install {' '.join(missing)}"
    return f"apt-get install --no-install-recommends {' '.join(f'python3-{name}' for name in missing)}"


def main() -> None:
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"{sys.executable} lacks {', '.join(missing)}: {how_to_install(missing)} "
              "(or say with TESS_PYTHON which Python has it)", file=sys.stderr)
        raise SystemExit(4)
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    importlib.import_module(f"tesselab.{sys.argv[1]}").main(sys.argv[2:])


if __name__ == "__main__":
    main()
