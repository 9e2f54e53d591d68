"""The quantities of blocks and elements that a view has as arrays: what their names mean, from core/plan/quantities.h."""

import json
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
PLACES = [os.path.join(FOLDER, *place, "tesselab", "quantities.json")  # installed; in the sources
          for place in (["..", "python"], ["..", "..", "python"])]


def read():
    for path in filter(os.path.exists, PLACES):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    raise RuntimeError(f"the table of quantities is not there: {' or '.join(PLACES)}")


_table = read()
ARRAYS = {one["name"]: one for one in _table["quantities"] if one["of"] in ("block", "element")}
OLD_NAMES = {now: old for old, now in _table["renamed"] if now in ARRAYS}  # arrays of views of earlier versions


def is_whole(name):
    """Whether an array counts something."""
    return name in ARRAYS and ARRAYS[name]["format"] == "%.0f"


def array_of(word, known):
    """The array that a word means, of those that a view has: its name, its title, or the same of a block."""
    named = [word, *(name for name, one in ARRAYS.items() if word == one["title"]), f"block_{word}"]
    named += [now for old, now in _table["renamed"] if old == word]
    named = [name for name in named if name in ARRAYS] or [word]
    for name in named:
        if name in known:
            return name
        if OLD_NAMES.get(name) in known:
            return OLD_NAMES[name]
    return named[0]
