#!/usr/bin/env python3
"""Mosaic on the corpus, every table from one call: by kind of mesh, the rows that are behind, times.

    pip install gmsh numpy pandas
    tests/partitioners/corpus_tables.py build/corpus 0-299 --half work [--rows 60] [--results rows.jsonl]
    tests/partitioners/corpus_tables.py build/corpus 0-299 --half held --rivals metis,scotch,rcb

Each row (mesh, map, block size; corpus_meshes.py draws them) is cut by mosaic and its rivals in turns, one thread each.
What was measured is kept in --results, and a call that was stopped goes on there. --rows takes so many, spread
evenly. --before names the partition_benchmark of another build, whose mosaic is compared with this one's.

Many at once, as on a machine that is lent for minutes, and the tables of what was finished, anywhere later:

    tests/partitioners/corpus_tables.py FOLDER 0-299 --half held --results held.jsonl --hands 15 --seconds 500
    tests/partitioners/corpus_tables.py FOLDER 0-299 --half held --results held.jsonl --finished

--hands takes the meshes in a random order (--order), first with the block size that each row draws, then with the
others; --finished cuts nothing, and takes the rows that mosaic and all rivals have cut."""

import argparse
import pathlib
import statistics
import sys
import time

from benchmark_tables import show
from corpus_cuts import OURS, PROGRAM, Measured, corpus_meshes, cut_many, useful

METIS = ["metis", "metis:objtype=vol", "metis:method=recursive", "metis:method=recursive:weights=shared"]
RIVALS = [*METIS, "scotch", "scotch:strategy=quality", "scotch:strategy=quality:weights=shared", "rcb", "hilbert", "kaminpar"]
EFFORTS = [*(f"{OURS}:effort={effort}" for effort in range(3)), OURS]  # which is the third
EQUAL = 0.997  # part of mosaic's reuse that METIS's setting has at least whose time is compared
BEHIND = 0.997
CLOCK = 0.001  # seconds: no time is printed that is less
LARGE = 50_000  # elements from which METIS is to take three times as long at least
PLANE = ("basins", "coast", "farms", "quads", "strips", "walls", "tris", "irregular", "ogrid")  # kinds in 2D


def kind_of(mesh):
    """The kind of a corpus's mesh: a word of its name, and whether ends are joined."""
    name = mesh.removeprefix("corpus-").split(".")[0].split(":")[0]
    word = name.split("-")[-1]
    return word + (", joined ends" if "periodic=" in mesh and "periodic=none" not in mesh else "")


def settings_of_equal_reuse(ours, others):
    return [others[name] for name in METIS if name in others and others[name]["reuse"] >= EQUAL * ours["reuse"]]


def equal_metis(ours, others):
    """CPU seconds of METIS's fastest setting of equal reuse; where none has it, of the one of most reuse."""
    metis = [others[name] for name in METIS if name in others]
    equal = settings_of_equal_reuse(ours, others)
    if not metis:
        return None
    return (min(equal, key=lambda one: one["cpu"]) if equal else max(metis, key=lambda one: one["reuse"]))["cpu"]


def judge(row, measured, program, rivals):
    """How mosaic stands on one row; None where it has no rival."""
    ours = measured.cut(program, row, OURS)
    others = {name: measured.cut(program, row, name) for name in useful(row[1], rivals)}
    others = {name: one for name, one in others.items() if one}
    if not ours or not others:
        return None
    best = max(others, key=lambda name: max(others[name]["reuse"], others[name]["before"]))
    most = max(others[best]["reuse"], others[best]["before"])
    metis = equal_metis(ours, others)
    return {"row": row, "kind": kind_of(row[0]), "ours": ours, "best": best, "other": others[best], "most": most,
            "ratio": ours["reuse"] / most, "before": ours["reuse"] / others[best]["before"],
            "after": ours["reuse"] / others[best]["reuse"],
            "pieces": ours["pieces"] > others[best]["pieces"] + 0.02, "block": ours["block"] > others[best]["block"] + 1,
            "thread": ours["thread"] > 1.000001 * ours["bound"], "metis": metis,
            "time": metis / ours["cpu"] if metis and ours["cpu"] > 0 else None}


def spread(values):
    """Median and least, or nothing."""
    values = [value for value in values if value is not None]
    return f"{statistics.median(values):.1f}; {min(values):.2f}" if values else ""


def by_kind(rows):
    table = [["kind", "rows", "at least the best", "> 0.3 % behind", "after the repair, median %", "before it, median %",
              "least", "pieces above", "block colours above", "thread colours above", "METIS's time over mosaic's: median; least",
              "bytes an element and slot, most"]]
    for kind in [*sorted({one["kind"] for one in rows}), "all"]:
        here = [one for one in rows if kind in ("all", one["kind"])]
        table.append([kind, len(here), sum(one["ratio"] >= 1 for one in here), sum(one["ratio"] < BEHIND for one in here),
                      *(f"{100 * (statistics.median(one[name] for one in here) - 1):+.2f}" for name in ("after", "before")),
                      f"{100 * (min(one['ratio'] for one in here) - 1):+.2f}",
                      *(sum(one[name] for one in here) for name in ("pieces", "block", "thread")),
                      spread([one["time"] for one in here]), f"{max(one['ours']['bytes'] for one in here):.0f}"])
    return [list(map(str, line)) for line in table]


def those(rows, what, chosen):
    """The rows of which something is worse, two numbers being mosaic's and the best's."""
    table = [[what, "S", "mosaic", "best of the others", "more by, %", "pieces", "block colours", "CPU s"]]
    for one in sorted((one for one in rows if chosen(one)), key=lambda one: one["ratio"]):
        (mesh, loop, size), ours, other = one["row"], one["ours"], one["other"]
        table.append([f"`{mesh}` {loop}", str(size), f"{ours['reuse']:.3f}", f"{one['most']:.3f} {one['best']}",
                      f"{100 * (one['ratio'] - 1):+.2f}", f"{ours['pieces']:.3f}; {other['pieces']:.3f}",
                      f"{ours['block']:.0f}; {other['block']:.0f}", f"{ours['cpu']:.2f}"])
    return table


def is_plane(one):
    return one["kind"].split(",")[0] in PLANE


def times(rows):
    table = [["rows", "number", "METIS's time over mosaic's: median; least", "below 3"]]
    groups = {"2D": is_plane, "3D and surfaces": lambda one: not is_plane(one),
              f"from {LARGE:,} elements": lambda one: one["ours"]["elements"] >= LARGE, "all": lambda one: True}
    for name, chosen in groups.items():
        here = [one["time"] for one in rows if chosen(one) and one["time"]]
        table.append([name, str(len(here)), spread(here), str(sum(time < 3 for time in here))])
    return table


def lowest_effort(reuse, efforts):
    """The lowest effort of mosaic that has so much reuse at least; None: none has."""
    return next((effort for effort, one in enumerate(efforts) if one["reuse"] >= reuse), None)


def by_dimension(found):
    """Median and least of the times of (row, ..., time): in 2D, and in 3D and on surfaces."""
    return [spread([time for one, *_, time in found if is_plane(one) == plane]) for plane in (True, False)]


def times_of_large(found):
    return [time for one, *_, time in found if one["ours"]["elements"] >= LARGE]


def by_effort(rows, measured, program):
    """Each setting of METIS beside the lowest effort of mosaic of no less reuse; the highest where none has it."""
    table = [["METIS", "rows", "efforts 0, 1, 2, 3; none", "its time over mosaic's, 2D: median; least", "3D and surfaces",
              f"from {LARGE:,} elements, below 3"]]
    for name in METIS:
        found = []
        for one in rows:
            if name in useful(one["row"][1], METIS):
                metis = measured.cut(program, one["row"], name)
                efforts = [measured.cut(program, one["row"], effort) for effort in EFFORTS]
                if metis and all(efforts):
                    effort = lowest_effort(max(metis["reuse"], metis["before"]), efforts)
                    ours = efforts[-1 if effort is None else effort]
                    found.append((one, effort, metis["cpu"] / max(ours["cpu"], CLOCK)))
        taken = [sum(effort == wanted for _, effort, _ in found) for wanted in (0, 1, 2, 3, None)]
        table.append([name, str(len(found)), ", ".join(map(str, taken[:4])) + f"; {taken[4]}",
                      *by_dimension(found), str(sum(time < 3 for time in times_of_large(found)))])
    return table


def each_effort(rows, measured, program):
    """Each effort of mosaic, the same on all rows, beside METIS's fastest setting of equal reuse."""
    table = [["mosaic", "rows", "METIS has equal reuse", "its time over mosaic's, 2D: median; least", "3D and surfaces",
              f"from {LARGE:,} elements, below 3"]]
    for name in EFFORTS:
        found = []
        for one in rows:
            ours = measured.cut(program, one["row"], name)
            metis = {setting: measured.cut(program, one["row"], setting) for setting in useful(one["row"][1], METIS)}
            if ours and all(metis.values()):
                equal = bool(settings_of_equal_reuse(ours, metis))
                found.append((one, equal, equal_metis(ours, metis) / max(ours["cpu"], CLOCK)))
        large = times_of_large(found)
        table.append([name, str(len(found)), str(sum(equal for _, equal, _ in found)), *by_dimension(found),
                      f"{sum(time < 3 for time in large)} of {len(large)}"])
    return table


def compared(rows, measured, before):
    """This build's mosaic against another's: reuse, time, METIS's time over both."""
    pairs = [(one, measured.cut(before, one["row"], OURS)) for one in rows]
    pairs = [(one, old) for one, old in pairs if old]
    table = [["", "another build", "this one"],
             ["CPU seconds, sum", *(f"{sum(of):.1f}" for of in ([old["cpu"] for _, old in pairs], [one["ours"]["cpu"] for one, _ in pairs]))]]
    timed = [(one, old) for one, old in pairs if one["metis"] and one["ours"]["cpu"] and old["cpu"]]
    for name in ("2D", "3D and surfaces"):
        here = [(one, old) for one, old in timed if is_plane(one) == (name == "2D")]
        table.append([f"METIS's time over mosaic's, {name} ({len(here)} rows): median; least",
                      spread([one["metis"] / old["cpu"] for one, old in here]), spread([one["time"] for one, _ in here])])
    changes = [one["ours"]["reuse"] / old["reuse"] - 1 for one, old in pairs]
    table.append(["reuse against the other, %: least, median, most; rows with 0.1 % less", "",
                  f"{100 * min(changes):+.2f}, {100 * statistics.median(changes):+.2f}, {100 * max(changes):+.2f}; "
                  f"{sum(change < -0.001 for change in changes)}"])
    return table


def all_tables(rows, measured, before, efforts):
    tables = [by_kind(rows), times(rows), those(rows, "behind", lambda one: one["ratio"] < 1),
              those(rows, "in more pieces", lambda one: one["pieces"]), those(rows, "more block colours", lambda one: one["block"])]
    if efforts:
        tables += [by_effort(rows, measured, PROGRAM), each_effort(rows, measured, PROGRAM)]
    if before:
        tables.append(compared(rows, measured, before))
    return [table for table in tables if len(table) > 1]


def seeds_of(asked):
    return corpus_meshes.half_of(asked.seeds, None if asked.half == "all" else asked.half)


def cases_of(asked):
    """The rows of a half, whose meshes are made if they are not there."""
    asked.folder.mkdir(parents=True, exist_ok=True)
    cases = [row for seed in seeds_of(asked) for row in corpus_meshes.rows_of(asked.folder, seed)]
    if asked.rows and asked.rows < len(cases):  # a step that is no multiple of 3 takes each map
        cases = [cases[i * len(cases) // asked.rows] for i in range(asked.rows)]
    return cases


def finished(asked, measured, rivals):
    """The rows of a half that mosaic and all rivals have cut, in blocks of the sizes that are drawn or of all."""
    drawn = {row for seed in seeds_of(asked) for row in corpus_meshes.rows_named(seed)}
    wanted = drawn if asked.drawn else {(*row[:2], size) for row in drawn for size in corpus_meshes.BLOCK_SIZES}
    return [row for row in sorted(wanted)
            if all(measured.has(PROGRAM, row, name) for name in [*(EFFORTS if asked.efforts else [OURS]), *useful(row[1], rivals)])]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=pathlib.Path, help="where the meshes of Gmsh are, or are written")
    words.add_argument("seeds", help="one or a range, as 0-149")
    words.add_argument("--half", choices=["work", "held", "all"], default="work", help="even seeds, odd ones, or all")
    words.add_argument("--rows", type=int, help="so many, spread evenly over kinds and maps")
    words.add_argument("--rivals", default=",".join(RIVALS), help="partitioners, split at commas")
    words.add_argument("--limit", type=float, default=600, help="seconds that a cut may take")
    words.add_argument("--results", type=pathlib.Path, metavar="FILE", help="keep what was measured, go on from there")
    words.add_argument("--before", type=pathlib.Path, metavar="PROGRAM", help="partition_benchmark of another build")
    words.add_argument("--hands", type=int, metavar="N", help="so many cuts at once, no tables; needs --results")
    words.add_argument("--seconds", type=float, help="how long --hands may take")
    words.add_argument("--order", type=int, default=17, help="seed of the order in which --hands takes the meshes")
    words.add_argument("--finished", action="store_true", help="tables of the rows that --results holds whole")
    words.add_argument("--efforts", action="store_true", help="the lowest effort of mosaic of METIS's reuse, too; --finished: of the rows that have them")
    words.add_argument("--drawn", action="store_true", help="of --finished: the block sizes alone that the rows draw")
    words.add_argument("--into", type=pathlib.Path, metavar="FILE", help="write the tables between the marks 'corpus work', 'corpus held' or 'corpus all' of this file")
    asked = words.parse_args()
    rivals = asked.rivals.split(",")
    until = time.monotonic() + asked.seconds if asked.seconds else None
    measured = Measured(asked.results, asked.folder, asked.limit, until)
    if asked.hands:
        cut_many(measured, [*(EFFORTS if asked.efforts else [OURS]), *rivals], seeds_of(asked), asked.hands, asked.order)
        return
    cases = finished(asked, measured, rivals) if asked.finished else cases_of(asked)
    rows = []
    for place, case in enumerate(cases):
        if sys.stderr.isatty():
            print(f"\r{place + 1} of {len(cases)}", end="", file=sys.stderr, flush=True)
        if asked.before:
            measured.cut(asked.before, case, OURS)
        rows += [one for one in [judge(case, measured, PROGRAM, rivals)] if one]
    print(file=sys.stderr)
    if not rows:
        sys.exit("no row has mosaic's blocks and another's")
    maker = f"tests/partitioners/corpus_tables.py {' '.join(sys.argv[1:])}"
    show(all_tables(rows, measured, asked.before, asked.efforts), f"corpus {asked.half}", maker, asked.into)


if __name__ == "__main__":
    main()
