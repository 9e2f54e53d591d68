"""docs/user_partitioner: what the page says of its examples, and how it says that elements are numbered."""

import json
import re
import shutil

import h5py
import numpy
import pytest
from conftest import ROOT

GUIDE = ROOT / "docs/user_partitioner"
PAGE = (GUIDE / "README.md").read_text()
EDGES = "data/meshes/bay_delta_coarse_v4.gr3.xz"


def test_the_numbers_of_the_page(tess, tmp_path):
    """Reuse as it stands there, METIS's within 1 % as another version may differ."""
    page = " ".join(PAGE.split())
    shutil.copytree(GUIDE, tmp_path, dirs_exist_ok=True)
    words = ("partition", ROOT / EDGES, "--map", "edges:cells", "-b", "128", "--no-lab", "--json", "-p")
    done = tess(*words, 'python:file=chop.py,python:file=grow.py,rcb,metis,exec:command="awk -f grow.awk"', cwd=tmp_path)
    chopped, grown, rcb, metis, _ = (run["reuse_factor"] for run in json.loads(done.stdout)["runs"])
    assert f"Its reuse is {chopped:.3f}" in page and f"and reuse is {grown:.3f}" in page
    assert float(re.search(r"METIS's is ([\d.]+\d)", page)[1]) == pytest.approx(metis, rel=0.01)
    assert rcb < grown and grown / metis == pytest.approx(0.97, abs=0.01)
    done = tess(*words, "python:file=grow.py,metis", "--refine", "3", cwd=tmp_path)
    grown, metis = (run["reuse_factor"] for run in json.loads(done.stdout)["runs"])
    shown = re.search(r"both: ([\d.]+) and ([\d.]+\d)", page).groups()
    assert shown[0] == f"{grown:.3f}" and float(shown[1]) == pytest.approx(metis, rel=0.01)


def test_what_is_printed_is_what_is_there():
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    lines = [line for line in (GUIDE / "chop.py").read_text().splitlines() if line and not line.startswith('"""')]
    assert [line for line in example.splitlines() if line] == lines
    assert len((GUIDE / "grow.py").read_text().split('"""\n')[1].strip().splitlines()) <= 28


def tables():
    """The node numbers of each cell's edges and faces, as the page has them."""
    rows = re.findall(r"^\| (tri|quad|tet|pyramid|prism|hex) \| ([\d ]+) \| ([\d ]*)\|$", PAGE, re.MULTILINE)
    assert len(rows) == 6
    return {name: [[list(map(int, word)) for word in column.split()] for column in columns]
            for name, *columns in rows}  # fmt: skip


def facets(cells, table):
    """Each facet's nodes and its cells, by its first cell, then by its place in it."""
    found = {}
    for cell, nodes in enumerate(cells):
        for places in table:
            found.setdefault(tuple(sorted(nodes[places])), []).append(cell)
    return found


@pytest.mark.parametrize("mesh, kind, map", [("tris:nx=4:ny=3", "tri", "edges:cells"), ("quads:nx=4:ny=3", "quad", "edges:cells"),
                                             ("tets:nx=2:ny=2:nz=2", "tet", "faces:cells"), ("prisms:nx=2:ny=2:nz=2", "prism", "faces:cells"),
                                             ("hexes:nx=3:ny=2:nz=2", "hex", "faces:cells")])  # fmt: skip
def test_derived_elements_are_numbered_as_the_page_says(tess, tmp_path, mesh, kind, map):
    run = json.loads(tess("partition", f"{mesh}:shuffle=5", "--map", map, "-p", "file-order", "-b", "4", "--no-view", "--json",
                          cwd=tmp_path).stdout)["runs"][0]  # fmt: skip
    with h5py.File(tmp_path / run["plan_file"]) as plan:
        stored = plan.attrs["mesh"].decode()
    with h5py.File(tmp_path / f"lab/meshes/{stored}.hdf") as file:
        maps = {name: file[f"/maps/{name}"][:] for name in file["/maps"]}
    edges, faces = tables()[kind]
    sides = facets(maps["cells_nodes"], edges if map == "edges:cells" else faces)
    inner = {nodes: cells for nodes, cells in sides.items() if len(cells) == 2}
    assert maps[map.replace(":", "_")].tolist() == list(inner.values())
    if "edges_nodes" in maps:
        expected = inner if map == "edges:cells" else facets(maps["cells_nodes"], edges)
        assert [tuple(sorted(edge)) for edge in maps["edges_nodes"].tolist()] == list(expected)


def test_edges_of_a_pyramid(tess, tmp_path):
    (tmp_path / "one.su2").write_text(
        "NDIME= 3\nNELEM= 1\n14 0 1 2 3 4 0\nNPOIN= 5\n0 0 0 0\n1 0 0 1\n1 1 0 2\n0 1 0 3\n0.5 0.5 1 4\nNMARK= 0\n")
    tess("partition", "one.su2", "--map", "edges:nodes", "-p", "file-order", "-b", "4", "--no-view", cwd=tmp_path)
    with h5py.File(next((tmp_path / "lab/meshes").glob("*.hdf"))) as file:
        edges = file["/maps/edges_nodes"][:]
    assert numpy.sort(edges).tolist() == numpy.sort(tables()["pyramid"][0]).tolist()
