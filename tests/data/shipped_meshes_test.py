"""The real meshes that ship in data/ hold what their sources say."""

import re

import pytest
from mesh_files import ROOT, Reading

MESHES = {
    "north_sea.msh.xz": ({"nodes": 6565, "cells": 10920, "marked_edges": 2280}, 2),
    "bay_delta_coarse_v4.gr3.xz": ({"nodes": 9220, "cells": 14263, "marked_edges": 4261}, 2),
    "refine_cube_sphere.meshb.xz": ({"nodes": 5062, "cells": 26260, "marked_tris": 3310}, 7),
    "pyfr_triangular_aerofoil.msh.xz": ({"nodes": 63700, "cells": 56745, "marked_quads": 13780}, 26),
}
# Edges that the surface meets in are no sides of tets.
LEFT_OUT = {"refine_cube_sphere.meshb.xz": "216 elements with a group are neither cells nor sides and were left out"}


@pytest.mark.parametrize("name", MESHES)
def test_counts(name):
    sets, n_markers = MESHES[name]
    reading = Reading(ROOT / "data/meshes" / name).assert_accepted()
    assert reading.sets == sets and len(reading.markers) == n_markers
    said = [LEFT_OUT[name]] if name in LEFT_OUT else []
    assert [warning.partition(":")[0] for warning in reading.warnings] == said


def test_every_mesh_has_a_source_and_a_licence():
    readme = (ROOT / "data/meshes/README.md").read_text()
    for path in (ROOT / "data/meshes").glob("*.xz"):
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{path.name}`"))
        licence = re.search(r"`(LICENSES/[^`]+)`", row).group(1)
        assert (ROOT / "data/meshes" / licence).stat().st_size > 0
