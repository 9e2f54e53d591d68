"""Real meshes and the hostile files made of them, where they lie beside the checkout."""

import json
import re
import tarfile

import pytest
from mesh_files import Reading, shared_meshes

FOLDER = shared_meshes()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="no ../shared/meshes beside the checkout")

BRICK_PYRA = {"nodes": 14030, "cells": 72625, "tets": 71884, "pyramids": 741, "marked_tris": 5890, "marked_quads": 741}
MESHES = {
    "naca0012_inv.su2.xz": {"nodes": 5233, "cells": 10216, "marked_edges": 250},
    "naca0012_lam_hybrid.su2.xz": {"nodes": 23317, "cells": 38017, "tris": 29793, "quads": 8224, "marked_edges": 393},
    "cht_3cyl_4zones.su2.xz": {"nodes": 47824, "cells": 47302, "tris": 1552, "quads": 45750, "marked_edges": 2600},
    "mixelems_knowles.su2.xz": {
        "nodes": 9161,
        "cells": 11744,
        "hexes": 3680,
        "prisms": 4128,
        "pyramids": 3936,
        "marked_quads": 160,
    },
    "brick_pyra.su2.xz": BRICK_PYRA,
    "pyfr_triangular_aerofoil.msh.xz": {"nodes": 63700, "cells": 56745, "marked_quads": 13780},
    "pyfr_double_mach.msh.xz": {"nodes": 231601, "cells": 230400, "marked_edges": 2400},
    "north_sea.msh.xz": {"nodes": 6565, "cells": 10920, "marked_edges": 2280},
    "dlr_f6_tets.msh.xz": {"nodes": 65888, "cells": 329065, "marked_tris": 50232},
    "bay_delta_coarse_v4.gr3.xz": {"nodes": 9220, "cells": 14263, "marked_edges": 4261},
    "refine_cube_sphere.meshb.xz": {"nodes": 5062, "cells": 26260, "marked_tris": 3310},
    "brick_pyra.lb8.ugrid.xz": BRICK_PYRA,
    "fluidity_seamount.vtu.xz": {"nodes": 20004, "cells": 100450},
    "nalu_street_tri_quad.exo.xz": {"nodes": 25973, "cells": 47739, "tris": 43779, "quads": 3960, "marked_edges": 247},
    "nalu_open_jet.exo.xz": {"nodes": 61251, "cells": 59400, "marked_quads": 3576},
    "bend_coarse.cgns.xz": {
        "nodes": 1259,
        "cells": 1288,
        "tets": 154,
        "pyramids": 333,
        "prisms": 31,
        "hexes": 770,
        "marked_tris": 6,
        "marked_quads": 614,
    },
    "seacas_circle_square_2d.cgns": {"nodes": 182, "cells": 311, "marked_edges": 53},
    "fesom_pi": {"nodes": 3140, "cells": 5839},
    "HumanWedgeMesh.ele.xz": {"nodes": 18411, "cells": 97200},
    "op2_airfoil_new_grid.dat.xz": {"nodes": 721801, "cells": 720000, "edges": 1438600, "bedges": 2800},
}

# What the manifest says of meshes, whose numbers are those of independent parsers: pieces of the boundary, mean
# distance of numbers of cells, least and largest size, cells whose nodes go the other way round, components. Zones and
# types of cells follow each other here in the order of the file, there in another: no distance is compared.
SAID = {
    "naca0012_inv.su2.xz": (2, 366, 4.14e-08, 4.1, 0, 1),
    "naca0012_lam_hybrid.su2.xz": (2, 316, 1.45e-07, 13.9, 0, 1),
    "cht_3cyl_4zones.su2.xz": (10, None, 1.44e-05, 5.51, 47302, 4),
    "mixelems_knowles.su2.xz": (1, None, 3.26e-07, 1.95e-06, 10432, 1),
    "bay_delta_coarse_v4.gr3.xz": (44, 1778, 520.0, 12400000.0, 0, 1),
    "fesom_pi": (9, 58, 0.207, 1110.0, 5736, 1),
    "refine_cube_sphere.meshb.xz": (1, 5543, 4.74e-08, 0.000247, 0, 1),
    "seacas_circle_square_2d.cgns": (2, 64, 0.00102, 0.00524, 0, 1),
}

REFUSED = {
    "truncated_in_elements.su2": "line 5110: the file ends",
    "truncated_no_points.su2": "without points",
    "nelem_too_big.su2": "line 10219: .*'NPOIN='",
    "nelem_too_small.su2": "line 10218: .*left over",
    "node_out_of_range.su2": r"line 13: .*5233 is not in 0\.\.5232",
    "node_negative.su2": "line 13: .*-1 is not in",
    "node_id_overflow.su2": "line 13: .*4294967297 is not in",
    "one_based_ids.su2": "does the file count from 1",
    "huge_nelem.su2": "line .*bytes follow",
    "huge_npoin.su2": "line .*bytes follow",
    "negative_nelem.su2": "-5 is negative",
    "nan_coord.su2": "'nan' is not a finite",
    "inf_coord.su2": "too large for a finite",
    "text_coord.su2": "'0.1,0.2' is not",
    "zero_cells.su2": "without cells",
    "zero_bytes.su2": "empty",
    "unknown_cell_type.su2": "unknown element type 77",
    "garbage.su2": "does not begin like",
    "op2_wrong_edges.dat": r"line 7: .*5 is not in 0\.\.0",
    "swapped_counts.14": "line 9223: '7' is left over",
    "bad_nnodes.14": "line 9228: .*7 is not in 3",
    "duplicate_node_id.14": "tag 100 is given twice",
    "spaces_only_header.14": "line 1: does not begin",
    "truncated.meshb": "past the end of the file",
    "byteswapped.meshb": "16777216, not 1",
    "loop_offset.meshb": "not behind its start",
    "wrong_endian.lb8.ugrid": "negative|imply",
    "truncated.lb8.ugrid": "imply",
    "header_overflow.lb8.ugrid": "imply",
    "id_zero.lb8.ugrid": "node 0, which is not in",
    "truncated.vtu": "line 17: the array 'offsets' begins at offset '1496348', behind the end",
    "entity_bomb.vtu": "line 1: a DOCTYPE",
    "truncated.exo": "variable coordz: NetCDF cannot read it",
    "header_bitflip.exo": "NetCDF cannot open it",
    "missing_endnodes.msh": "line 6571: .*EndNodes",
    "future_version.msh": "line 2: unsupported version 9.9",
    "binary_flag_lie.msh": "byte order marker is not 1",
}

SAME = {
    "crlf.su2": "naca0012_inv.su2.xz",
    "no_final_newline.su2": "naca0012_inv.su2.xz",
    "bom_tabs_comments.su2": "naca0012_inv.su2.xz",
    "leading_blank_line.msh": "north_sea.msh.xz",
}

WARNED = {
    "mixed_base_ids.su2": "11 of the cells have the same nodes as another one",
    "degenerate_cells.su2": "3 of the cells have a node twice",
    "zero_area_cells.su2": "1 of the cells have two nodes at the same place",
    "duplicate_cells.su2": "50 of the cells have the same nodes as another one",
    "isolated_and_unref.su2": "3 of the nodes belong to no cell",
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    with tarfile.open(FOLDER / "bad.tar.xz") as archive:
        archive.extractall(folder)
    return folder / "bad"


@pytest.mark.parametrize("name", MESHES)
def test_counts(name):
    reading = Reading(FOLDER / name, seconds=120).assert_accepted()
    assert reading.sets == MESHES[name]


@pytest.mark.parametrize("name", SAID)
def test_info_says_what_the_manifest_says(tess, name):
    pieces, distance, least, largest, inside_out, components = SAID[name]
    report = json.loads(tess("mesh", "info", FOLDER / name, "--json").stdout)
    links, quality = report["links"], report["quality"]
    assert (links["boundary_pieces"], links["components"]) == (pieces, components)
    assert sum(cells["inside_out"] for cells in quality) == inside_out
    assert min(cells["least_size"] for cells in quality) == pytest.approx(least, rel=0.005)
    assert max(cells["largest_size"] for cells in quality) == pytest.approx(largest, rel=0.005)
    (band,) = (band for band in links["bandwidth"] if band["of"] == "cells")
    assert distance is None or distance <= band["now"]["mean"] < distance + 1


@pytest.mark.parametrize("name", REFUSED)
def test_refused(bad, name):
    Reading(bad / name).assert_refused(bad / name, REFUSED[name])


@pytest.mark.parametrize("name", SAME)
def test_same_mesh(bad, name):
    assert Reading(bad / name).assert_accepted().digest == Reading(FOLDER / SAME[name]).assert_accepted().digest


@pytest.mark.parametrize("name", WARNED)
def test_warned(bad, name):
    reading = Reading(bad / name).assert_accepted()
    assert any(WARNED[name] in words for words in reading.warnings), reading.warnings


@pytest.mark.parametrize("name", ["long_line.su2", "fortran_d_exponent.su2", "nonmanifold_edge.su2", "shuffled_node_ids.14"])
def test_accepted(bad, name):
    assert Reading(bad / name).assert_accepted().seconds < 2


def test_no_file_of_our_formats_is_forgotten(bad):
    known = {*REFUSED, *SAME, *WARNED, "long_line.su2", "fortran_d_exponent.su2", "nonmanifold_edge.su2", "shuffled_node_ids.14"}
    ours = {path.name for path in bad.iterdir() if re.search(r"\.(su2|msh|dat|14|meshb|ugrid|vtu|exo)$", path.name)}
    assert ours == known


CHECKED = {
    "mixed_base_ids.su2": {"non-manifold", "cell-twice"},
    "degenerate_cells.su2": {"node-twice"},
    "zero_area_cells.su2": {"place-twice", "place-shared"},
    "duplicate_cells.su2": {"cell-twice", "non-manifold"},
    "isolated_and_unref.su2": {"node-unused"},
    "nonmanifold_edge.su2": {"non-manifold"},
}


@pytest.mark.parametrize("name", CHECKED)
def test_checked(tess, bad, name):
    """What the manifest leaves to the checker."""
    report = json.loads(tess("mesh", "check", bad / name, "--json", code=1).stdout)
    assert CHECKED[name] <= {fault["kind"] for fault in report["faults"]}
