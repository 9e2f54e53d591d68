"""The tower: each floor of the source includes only floors below it, and no files include each other
in a circle."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

# From the ground up. Rooms of one floor do not know each other.
FLOORS = (
    ("core/base",),
    ("core/mesh",),
    ("core/plan",),
    ("core/ranks",),
    ("data", "partitioners", "viz"),
    ("kernels/devices",),
    ("kernels/cut", "kernels/scatter"),
    ("kernels/loops",),
    ("kernels/codegen",),
    ("kernels/peers",),
    ("kernels/strategies",),
    ("kernels/run",),
    ("kernels/emit",),
    ("kernels/exchange",),
    ("kernels/applications",),
    ("experiments/archive",),
    ("experiments/bench",),
    ("experiments/model",),
    ("experiments/campaign",),
    ("experiments/report",),
    ("experiments/cli", "experiments/face"),
)
ROOMS = [room for floor in FLOORS for room in floor]
SUFFIXES = (".c", ".h", ".cxx", ".cu")
# A topic stands in two rooms at most: no other file at or below the higher one has its name. What stands above uses it.
TOPICS = {
    "rank|ranks|ranked": ("core/ranks", "kernels/exchange"),
    "archive|lab": ("data", "experiments/archive"),
    "fit|features|predict|prediction": ("experiments/model", "experiments/cli"),
    "chart|plot": ("experiments/report", "experiments/cli"),
}


def sources():
    """The text of each file of the tower by its path."""
    return {path.relative_to(ROOT).as_posix(): path.read_text() for room in ROOMS
            for path in (ROOT / room).rglob("*") if path.suffix in SUFFIXES}


def includes(texts):
    """(file, line number, included file) of each include of a file of the tower."""
    for file, text in texts.items():
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.MULTILINE):
            if match[1] in texts:
                yield file, text.count("\n", 0, match.start()) + 1, match[1]


def place(file):
    """The floor and the room of a file."""
    for number, floor in enumerate(FLOORS):
        for room in floor:
            if file.startswith(room + "/"):
                return number, room
    raise AssertionError(f"{file} is on no floor: see FLOORS in {__file__}")


def pointing_up(texts):
    """What each include that does not point down breaks, in words, by (file, included file)."""
    found = {}
    for file, line, included in includes(texts):
        (floor, room), (floor_of_included, room_of_included) = place(file), place(included)
        if floor_of_included > floor or (floor_of_included == floor and room != room_of_included):
            found[file, included] = (
                f'{file}:{line} includes "{included}", but {room} may not know {room_of_included}')
    return found


def strays(texts):
    """The files whose names have a topic that stands in other rooms."""
    found = []
    for topic, rooms in TOPICS.items():
        highest = max(place(f"{room}/")[0] for room in rooms)
        for file in texts:
            floor, room = place(file)
            name = pathlib.PurePath(file).stem
            if floor <= highest and room not in rooms and re.search(rf"(?:^|_)(?:{topic})(?:_|$)", name):
                found.append(file)
    return found


def circles(texts):
    """The groups of nouns (NAME.c and NAME.h are one) that include each other in a circle."""
    stem = {file: file.rsplit(".", 1)[0] for file in texts}
    below = {name: set() for name in stem.values()}
    for file, _, included in includes(texts):
        if stem[file] != stem[included]:
            below[stem[file]].add(stem[included])

    def reached(start):
        seen, ahead = set(), [start]
        while ahead:
            for name in below[ahead.pop()] - seen:
                seen.add(name)
                ahead.append(name)
        return seen

    reach = {name: reached(name) for name in below}
    return {" ".join(sorted({name} | {other for other in reach[name] if name in reach[other]}))
            for name in below if name in reach[name]}


def test_includes_point_down():
    assert list(pointing_up(sources()).values()) == []


def test_no_files_include_each_other_in_a_circle():
    assert circles(sources()) == set()


def test_an_include_that_points_up_is_named():
    texts = sources()
    texts["core/base/status.c"] = '/* planted */\n#include "core/plan/plan.h"\n' + texts["core/base/status.c"]
    texts["viz/viz.c"] += '#  include "data/formats/reader.h"\n'
    lines = texts["viz/viz.c"].count("\n")
    assert sorted(pointing_up(texts).values()) == [
        'core/base/status.c:2 includes "core/plan/plan.h", but core/base may not know core/plan',
        f'viz/viz.c:{lines} includes "data/formats/reader.h", but viz may not know data']


def test_a_topic_stands_in_two_rooms():
    assert not strays(sources())
    assert all(len(rooms) <= 2 for rooms in TOPICS.values())


def test_a_file_of_a_topic_elsewhere_is_named():
    texts = {"partitioners/rank_cut.c": "", "experiments/bench/ranked_run.c": "", "core/ranks/rank_mesh.c": "",
             "experiments/bench/plot.c": "", "core/base/franked.c": ""}  # fmt: skip
    assert strays(texts) == ["partitioners/rank_cut.c", "experiments/bench/plot.c"]


def test_a_circle_is_named():
    texts = sources()
    texts["core/base/array.h"] += '#include "core/base/sort.h"\n'
    texts["core/base/sort.c"] += '#include "core/base/array.h"\n'
    assert circles(texts) == {"core/base/array core/base/sort"}


def test_every_source_is_on_a_floor():
    tops = {room.split("/")[0] for floor in FLOORS for room in floor}
    for top in tops:
        for path in (ROOT / top).rglob("*"):
            if path.suffix in SUFFIXES:
                place(path.relative_to(ROOT).as_posix())
