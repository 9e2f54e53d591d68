"""A whole file: one that appears complete or not at all."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """The name to write under, beside the path and with its ending; it takes the path's place afterwards. What cannot be
    written is told, ends the program, and leaves nothing behind."""
    temporary = f"{path}.part{os.path.splitext(path)[1]}"
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        raise SystemExit(1) from error
    finally:
        Path(temporary).unlink(missing_ok=True)
