"""Exodus's parallel pieces: joined they are the whole, whichever of them is named; defects refused."""

import lzma
import re

import numpy as np
import pytest
from mesh_files import Reading
from netcdf_files import write_netcdf

# A row of six quadrilaterals with triangles on two of them: blocks of quads and tris, sides below and on top.
NODES = [(x, y) for y in (0.0, 1.0) for x in range(7)] + [(1.5, 2.0), (4.5, 2.0)]
BLOCKS = [("QUAD4", [(i, i + 1, i + 8, i + 7) for i in range(6)]), ("TRI3", [(8, 9, 14), (11, 12, 15)])]
SIDE_SETS = [("floor", [(i, 1) for i in range(6)]), ("roof", [(6, 2), (6, 3), (7, 2), (7, 3)])]
PIECE_OF = [0, 0, 2, 1, 1, 2, 2, 1]  # of each element
CELLS = [(b, nodes) for b, (_, rows) in enumerate(BLOCKS) for nodes in rows]


def piece(path, mine, n_pieces=None, change=lambda variables, dimensions: None):
    """The file of the elements `mine`, numbered anew."""
    mine = sorted(mine, key=lambda e: (CELLS[e][0], -e))  # another order than the whole's
    used = sorted({node for e in mine for node in CELLS[e][1]}, reverse=True)
    place = {node: i for i, node in enumerate(used)}
    dimensions = {"num_dim": 2, "num_nodes": len(used), "num_elem": len(mine), "num_el_blk": 2, "num_side_sets": 2, "len_name": 33}
    if n_pieces:
        dimensions["num_processors"] = n_pieces
    variables, attributes = {}, {}
    for axis, name in enumerate(("coordx", "coordy")):
        variables[name] = (("num_nodes",), np.array([NODES[node][axis] for node in used], "f8"))
    variables["node_num_map"] = (("num_nodes",), np.array(used, "i4") + 1)
    variables["elem_num_map"] = (("num_elem",), np.array(mine, "i4") + 1)
    for b, (kind, rows) in enumerate(BLOCKS, 1):
        cells = [[place[node] for node in CELLS[e][1]] for e in mine if CELLS[e][0] == b - 1]
        if cells:
            dimensions |= {f"num_el_in_blk{b}": len(cells), f"num_nod_per_el{b}": len(rows[0])}
            variables[f"connect{b}"] = ((f"num_el_in_blk{b}", f"num_nod_per_el{b}"), np.array(cells, "i4") + 1)
            attributes[f"connect{b}"] = {"elem_type": kind}
    for s, (_, sides) in enumerate(SIDE_SETS, 1):
        local = [(mine.index(e) + 1, side) for e, side in sides if e in mine]
        if local:
            dimensions[f"num_side_ss{s}"] = len(local)
            variables[f"elem_ss{s}"] = ((f"num_side_ss{s}",), np.array(local, "i4")[:, 0])
            variables[f"side_ss{s}"] = ((f"num_side_ss{s}",), np.array(local, "i4")[:, 1])
    variables["ss_names"] = (("num_side_sets", "len_name"), np.array([list(name.ljust(33, "\0")) for name, _ in SIDE_SETS], "S1"))
    change(variables, dimensions)
    return write_netcdf(path, variables, dimensions, attributes)


def pieces(folder, change=lambda variables, dimensions: None, stem="mesh.exo"):
    return [piece(folder / f"{stem}.3.{p}", [e for e in range(8) if PIECE_OF[e] == p], 3, change if p == 1 else lambda v, d: None)
            for p in range(3)]


def test_pieces_are_the_whole(tmp_path, tess):
    files = pieces(tmp_path)
    readings = [Reading(path).assert_accepted() for path in files]
    assert len({reading.digest for reading in readings}) == 1
    assert readings[0].sets == {"nodes": 16, "cells": 8, "tris": 2, "quads": 6, "marked_edges": 10}
    assert readings[0].markers == ["floor", "roof"] and not readings[0].warnings
    tess("mesh", "convert", files[2], tmp_path / "joined.su2")
    lines = (tmp_path / "joined.su2").read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("NELEM"))
    assert [tuple(map(int, line.split()[1 : 1 + len(nodes)])) for line, (_, nodes) in zip(lines[at + 1 :], CELLS)] == [nodes for _, nodes in CELLS]
    at = next(i for i, line in enumerate(lines) if line.startswith("NPOIN"))
    assert [tuple(map(float, line.split()[:2])) for line in lines[at + 1 : at + 17]] == NODES
    whole = piece(tmp_path / "whole.exo", range(8))
    assert '"same_sides": true' in tess("mesh", "compare", "--json", files[0], whole).stdout


def test_pieces_may_be_compressed(tmp_path):
    files = pieces(tmp_path)
    digest = Reading(files[0]).digest
    packed = tmp_path / "mesh.exo.3.1.xz"
    packed.write_bytes(lzma.compress(files[1].read_bytes()))
    files[1].unlink()
    assert Reading(packed).digest == digest and Reading(files[0]).digest == digest


def test_one_file_of_such_a_name_is_read_alone(tmp_path):
    """It does not say that it is a piece, or of another number of them."""
    for n_pieces in (None, 4):
        path = piece(tmp_path / f"case.3.1", [0, 1], n_pieces)
        assert Reading(path).assert_accepted().sets["cells"] == 2


def drop(name):
    return lambda variables, dimensions: variables.pop(name)


@pytest.mark.parametrize("change, words", [
    (drop("node_num_map"), "node_num_map: there is none"),
    (drop("elem_num_map"), "elem_num_map: there is none"),
    (lambda v, d: d.update(num_side_sets=1) or v.pop("ss_names"), "2 blocks and 1 side sets, but 2 and 2 in .*no pieces of one mesh"),
    (lambda v, d: v["coordx"][1].fill(np.nan), "coordx: value 0 is nan"),
])
def test_refused(tmp_path, change, words):
    files = pieces(tmp_path, change)
    reading = Reading(files[0])
    assert reading.code == 3 and len(reading.messages) == 1 and reading.messages[0].startswith(f"{files[1]}: variable "), reading.messages
    assert re.search(words, reading.messages[0]), reading.messages


def test_a_missing_piece_is_named(tmp_path):
    files = pieces(tmp_path)
    files[2].unlink()
    reading = Reading(files[0])
    assert reading.code == 3 and "mesh.exo.3.2" in reading.messages[0]
