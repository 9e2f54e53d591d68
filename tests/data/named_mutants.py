"""Mutants of readers that lose what a file names, one at least for each: named_test.py and accounted_test.py must catch them.

    /usr/bin/python3 tests/data/named_mutants.py             # all, in a copy of the last commit
    /usr/bin/python3 tests/data/named_mutants.py su2 gmsh

prints which test caught each, and exits with 1 where one went unnoticed. A mutant whose place has changed is an error: the table is mended with it.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build/mutants"
FORMATS = "data/formats/"
MUTANTS = [  # reader, file, what stands there, what stands there then
    ("su2", "su2.c", "if (file->same.n)", "if (false)"),
    ("su2", "su2.c", "CHECK(tess_elements_warn_of_points(&file.elements, file.mesh));", ""),
    ("su2", "su2.c", "if (file->n_transforms &&", "if (false &&"),
    ("gmsh", "gmsh.c", "if (empty.n)", "if (false)"),
    ("gmsh", "periodic.c", "if (periodic->n_sides == 0)", "if (!periodic->joins)"),
    ("op2", "op2.c", '"bound", "bedges", 1', '"mark", "bedges", 1'),
    ("gr3", "gr3.c", "const int n_sides = chain->is_paired ? 2 : 1;", "const int n_sides = 1;"),
    ("meshb", "meshb.c", "table.groups = table.ids + ids;", "table.groups = NULL;"),
    ("ugrid", "ugrid.c", '.kind = "surface"', '.kind = "side"'),
    ("medit", "medit.c", '.grouped.kind = "reference"', '.grouped.kind = "number"'),
    ("mfem", "mfem.c", ".marker = (int32_t)attribute}", ".marker = (int32_t)(attribute / 2)}"),
    ("fesom", "fesom.c", '"coast"', '"shore"'),
    ("tetgen", "tetgen.c", "element->marker = (int32_t)marker;", "element->marker = marker < 0;"),
    ("vtu", "vtk/vtk_cells.c", "elements->n_ghosts += is_ghost;", "elements->n_ghosts += 0;"),
    ("vtkhdf", "vtk/vtkhdf.c", ".groups = file->values[MARKERS],", ".groups = NULL,"),
    ("vtk", "vtk/vtk_legacy.c", '.grouped = {.kind = "marker"', '.grouped = {.kind = "mark"'),
    ("exodus", "exodus.c", "return nodes.n ?", "return false ?"),
    ("cgns", "cgns/cgns_file.c", "return bases.n ?", "return false ?"),
    ("cgns", "cgns/cgns_interfaces.c", "    if (n_links)", "    if (false)"),
    ("cgns", "cgns/cgns_file.c", "else if (condition->n_found == 0)", "else if (false)"),
    ("cgns", "cgns/cgns_faces.c", "if (group > 0 && of_group[group] == 0)", "if (false && group > 0)"),
    ("cgns", "cgns/cgns_faces.c", "tess_elements_dimension(&grouped->elements) < 2", "tess_elements_dimension(&grouped->elements) < 3"),
    ("mpas", "mpas.c", "CHECK(tess_marker_groups_mesh(text->path, &file.grouped, &mesh));\n    if (n_open)", "CHECK(tess_marker_groups_mesh(text->path, &file.grouped, &mesh));\n    if (false)"),
    ("mpas", "mpas.c", 'strncmp(word, "YES", 3) != 0', "true"),
    ("mpas_polygons", "mpas.c", 'strncmp(word, "YES", 3) != 0', "true"),
    ("openfoam", "foam_zones.c", "return zones->again.n ?", "return false ?"),
    ("openfoam", "foam_zones.c", "if (lost.n)", "if (false)"),
    ("openfoam", "openfoam.c", "zones.first += zones.n_cells;", "zones.first += 0;"),
    ("openfoam", "openfoam.c", "if (periodic.n && file->piece == 0)", "if (false)"),
    ("cgns", "marker_groups.c", "return same.n ?", "return false ?"),
    ("openfoam", "faces/baffles.c", "if (n_faces)", "if (false)"),
    ("openfoam", "openfoam.c", "if (file->out->n_markers == n_before", "if (false && file->out->n_markers == n_before"),
    ("openfoam", "openfoam.c", "tess_mesh_add_marker(file->out, patch->name, &marker)", 'tess_mesh_add_marker(file->out, "patch", &marker)'),
    ("lab", "../archive/mesh_file.c", "tess_mesh_add_region(mesh, name, 0, &region)", 'tess_mesh_add_region(mesh, "region", 0, &region)'),
    ("vtu", "faces/polygon_cells.c", "if (marks.n && memchr(", "if (false && memchr("),
    ("vtu", "faces/polygons.c", "if (halves->other[h] >= 0 && marker[h] >= 0)", "if (h < 0 && marker[h] >= 0)"),
    ("cgns", "faces/polyhedra_order.c", "if (n_marked == 0)", "if (n_marked >= 0)"),
    ("all", "lost_marks.c", "if (n && words[mark])", "if (n && words[mark] && mark != TESS_MARK_STRAY)"),
    ("all", "lost_marks.c", "if (n && words[mark])", "if (n && words[mark] && mark != TESS_MARK_TWICE)"),
    ("all", "lost_marks.c", "if (n && words[mark])", "if (n && words[mark] && mark != TESS_MARK_AGAIN)"),
]  # fmt: skip


def build(target):
    done = subprocess.run(["cmake", "--build", COPY / "build/release", "--target", target], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout[-2000:])


def prepare():
    if not COPY.exists():
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", COPY], check=True, capture_output=True)
    subprocess.run(["git", "-C", COPY, "checkout", "--force", "--detach", subprocess.check_output(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True).strip()],
                   check=True, capture_output=True)  # fmt: skip
    subprocess.run(["cmake", "--preset", "release"], cwd=COPY, check=True, capture_output=True)
    for target in ("tess", "read_mesh"):
        build(target)


def caught_by(reader):
    """The tests that fail, of those that ask the reader."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", ROOT / "tests/data/named_test.py", ROOT / "tests/data/accounted_test.py", *(["-k", f"[{reader}-"] if reader != "all" else [])],
                          capture_output=True, text=True, env={**os.environ, "TESS_BIN": str(COPY / "build/release/bin/tess")})  # fmt: skip
    return re.findall(r"^FAILED \S+::(\S+)", done.stdout, re.M)


def main(readers):
    prepare()
    n_missed = 0
    for reader, name, old, new in MUTANTS:
        if readers and reader not in readers:
            continue
        path = COPY / FORMATS / name
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f"{name}: '{old}' stands there {text.count(old)} times")
        path.write_text(text.replace(old, new))
        build("read_mesh")
        tests = caught_by(reader)
        path.write_text(text)
        n_missed += not tests
        print(f"{reader:14} {name:26} {old.splitlines()[-1].strip()[:60]:60} {', '.join(tests) or 'NOT CAUGHT'}", flush=True)
    return n_missed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
