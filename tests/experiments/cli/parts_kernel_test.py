"""Users' kernels in parts: the guide's conduction of heat against its formula and by every strategy that fits; what does
not fit is refused by part and value."""

import ctypes
import json
import pathlib
import subprocess

import numpy
import pytest

pytestmark = pytest.mark.usefixtures("compiling_cc")

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "user_kernel"
MESH = "tets:nx=2:ny=2:nz=2"
YAML = (GUIDE / "heat.yaml").read_text()
WHOLE = """
static inline void heat(const real *x, const real *conductivity, real *k) {
    real g[12], weight[1];
    heat_terms(x, conductivity, g, weight);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            k[4 * i + j] += weight[0] * (g[3 * i] * g[3 * j] + g[3 * i + 1] * g[3 * j + 1] + g[3 * i + 2] * g[3 * j + 2]);
}
"""


def run(tess, folder, *options, code=0):
    return tess("run", "--kernel", folder / "heat.h", "--loop", folder / "heat.yaml", "--mesh", MESH, "--no-lab",
                *options, code=code)


def checks(done):
    return {run["strategy"]: run["check"] for run in json.loads(done.stdout)["runs"] if run.get("check") != "not applicable"}


def test_the_parts_make_the_blocks_of_conduction(tmp_path):
    (tmp_path / "call.c").write_text(f'#include <math.h>\ntypedef double real;\n#include "{GUIDE / "heat.h"}"\n'
                                     "void call(double *x, double *c, double *k) { double g[12], w[1];"
                                     " heat_terms(x, c, g, w);"
                                     " for (int p = 0; p < 16; p++) heat_block(p, g, w, k + p); }\n")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", tmp_path / "call.so", tmp_path / "call.c", "-lm"], check=True)
    library, random = ctypes.CDLL(str(tmp_path / "call.so")), numpy.random.default_rng(1)
    for _ in range(20):
        x, blocks = random.uniform(-1, 1, (4, 3)), numpy.zeros((4, 4))
        library.call(*(ctypes.c_void_p(a.ctypes.data) for a in (x, numpy.array([1.7]), blocks)))
        corners = numpy.hstack([numpy.ones((4, 1)), x])
        slopes = numpy.linalg.inv(corners)[1:]  # of the functions that are 1 at one node
        assert blocks == pytest.approx(1.7 * abs(numpy.linalg.det(corners)) / 6 * slopes.T @ slopes, rel=1e-9, abs=1e-9)


def test_a_kernel_in_parts_runs_by_every_strategy_that_fits(tess, tmp_path):
    ways = ["tiles:lanes=2:transpose=shared", "atomics:made=per-part", "atomics:aggregate=unsorted:transpose=shared:made=per-part",
            "atomics:transpose=shuffles:made=per-part:elements=2"]
    fit = ["atomics", "tiles", "global-colour", "block-colour", "two-step", "halo-atomics", "owner-block:sum=slots",
           "point-parallel"]
    found = checks(run(tess, GUIDE, "--block-size", "32", "--strategy", ",".join(["all"] + ways), "--json"))
    assert len(found) == len(fit + ways) and set(found.values()) == {"passed"}
    assert checks(run(tess, GUIDE, "--device", "host", "--strategy", "openmp", "--samples", "1", "--json")) == {
        "openmp": "passed"}
    (tmp_path / "heat.h").write_text((GUIDE / "heat.h").read_text() + WHOLE)
    (tmp_path / "heat.yaml").write_text(YAML + "whole: heat\n")
    found = checks(run(tess, tmp_path, "--strategy", "atomics,atomics:made=per-part", "--json"))
    assert found == {"atomics": "passed", "atomics:made=per-part": "passed"}


def test_parts_that_do_not_add_up_to_the_whole_are_refused(tess, tmp_path):
    (tmp_path / "heat.h").write_text((GUIDE / "heat.h").read_text() + WHOLE.replace("k[4 * i + j] +=", "k[4 * i + j] += 2 *"))
    (tmp_path / "heat.yaml").write_text(YAML + "whole: heat\n")
    assert "the parts of loop heat, one after another, do not add what" in run(tess, tmp_path, code=3).stderr


def test_parts_keep_to_their_args_beside_a_whole_that_does(tess, tmp_path):
    text = (GUIDE / "heat.h").read_text()
    strays = text.replace("real volume = 0;", "real volume = x[12] > 2.5 && x[12] < 2.8;", 1)
    own = text.replace("heat_terms", "own_terms").replace("heat_block", "own_block") + WHOLE.replace("heat_terms", "own_terms")
    (tmp_path / "heat.h").write_text(strays + own)
    (tmp_path / "heat.yaml").write_text(YAML + "whole: heat\n")
    assert "heat.h: heat reads outside of arg 0 ('x', 12 values here)" in run(tess, tmp_path, code=3).stderr


def test_a_value_that_nobody_gave_is_named(tess, tmp_path):
    (tmp_path / "heat.h").write_text((GUIDE / "heat.h").read_text().replace("i < 4; i++) {\n        const real *a", "i < 3; i++) {\n        const real *a"))
    (tmp_path / "heat.yaml").write_text(YAML + "whole: heat\n")
    whole = WHOLE.replace("heat_terms(x, conductivity, g, weight);",
                          "for (int k = 0; k < 12; k++) g[k] = 1;\n    heat_terms(x, conductivity, g, weight);")
    (tmp_path / "heat.h").write_text((tmp_path / "heat.h").read_text() + whole)
    assert "takes a value of 'g' that no part has given" in run(tess, tmp_path, code=3).stderr


@pytest.mark.parametrize("change, words", [
    (("takes: [g, weight]", "takes: [h, weight]"), "part heat_block takes what is neither passed on nor an arg to read: 'h'"),
    (("takes: [x, conductivity]", "takes: [x, conductivty]"), "did you mean 'conductivity'?"),
    (("gives: [g, weight]", "gives: [g]"), "part heat_block of loop heat takes 'weight', which no part before it gives"),
    (("adds: [K]", "adds: [x]"), "part heat_block adds what is neither a matrix nor an arg to add to: 'x'"),
    (("each: pair", "each: 16"), "heat.yaml:18:61: part heat_block adds to matrix K, so it makes a block for each pair of slots: write 'each: pair'"),
    (("each: pair, ", ""), "heat.yaml:18:51: part heat_block adds to matrix K"),
    (("each: pair", "each: 0"), "heat.yaml:18:30: each is a number of times from 1 to 4096, not 0"),
    (("adds: [K]", "adds: K"), "heat.yaml:18:62: adds is a list of 1 to 16 items: write adds: [K]"),
    (("gives: [g, weight]", "gives: [x, weight]"), "part heat_terms gives what is not among 'between': 'x'"),
    (("{name: g, dim: 12}", "{name: x, dim: 12}"), "heat.yaml:14:5: 'x' is a dat or a matrix: give what is passed on another name"),
    (("{name: g, dim: 12}", "{name: K, dim: 12}"), "heat.yaml:14:5: 'K' is a dat or a matrix"),
    (("{name: weight, dim: 1}", "{name: g, dim: 1}"), "heat.yaml:15:5: 'g' is passed on twice"),
    (("{name: K, rows", "{name: x, rows"), "heat.yaml:8:5: 'x' is a dat: give the matrix another name"),
    (("rows: nodes", "rows: node"), "heat.yaml:8:52: matrix K has rows on node, but tets:nodes leads to nodes: write 'rows: nodes'"),
    (("dats:\n  - {", "dats:\n\t- {"), "heat.yaml:5:1: no YAML: a tab; indent by blanks"),
    (("gives: [g, weight]", "gives: [weight, g]"), "heat.yaml: part heat_terms of loop heat writes outside of 'weight': it has 1 value there"),
    (("each: pair", "each: pairs"), "each is one of once, slot, pair, edge, edge slot, not 'pairs'"),
    (("each: once", "each: 5"), "part heat_terms of loop heat runs 5 times and gives 'g' of dim 12: each time an equal share"),
    (("adds: [K]}", "adds: [K], only: [lane]}"), "part heat_block is used only by 'lane': write thread, lanes, slots, edges, shared or own"),
    (("adds: [K]}", "adds: [K], only: [lanes]}"), "'K_diagonal' of loop heat is written: no part adds to it"),
    (("each: pair", "each: edge"), "part heat_block adds to matrix K, so it makes a block for each pair"),
    (("  - {name: heat_block, each: pair, takes: [g, weight], adds: [K]}\n", ""),
     "heat.yaml:12:5: 'K_diagonal' of loop heat is written: no part adds to it"),
    (("{name: weight, dim: 1}", "{name: weight, dim: 0}"), "'weight' has dim 0: write how many values are passed on"),
    (("name: heat_block,", "name: heat_bloc,"), "the function 'heat_bloc' is not in"),
])
def test_parts_that_do_not_fit_are_refused_by_name(tess, tmp_path, change, words):
    assert change[0] in YAML
    (tmp_path / "heat.h").write_text((GUIDE / "heat.h").read_text())
    (tmp_path / "heat.yaml").write_text(YAML.replace(*change, 1))
    assert words in run(tess, tmp_path, code=3).stderr


# The kernel by lanes, which share the work, and by edges: an edge gives its difference of the two rows to both ends.
LANES = """
static inline void heat_slope(int i, const real *x, real *g) {
    const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    const real *a = x + 3 * face[i][0], *b = x + 3 * face[i][1], *c = x + 3 * face[i][2];
    real volume = 0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        g[d] = (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]);
        volume += g[d] * (x[3 * i + d] - a[d]);
    }
    for (int d = 0; d < 3; d++)
        g[d] /= volume;
}
static inline void heat_weight(const real *x, const real *conductivity, real *weight) {
    real volume = 0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        volume += (x[9 + d] - x[d]) * ((x[3 + e] - x[e]) * (x[6 + f] - x[f]) - (x[3 + f] - x[f]) * (x[6 + e] - x[e]));
    }
    weight[0] = conductivity[0] * fabs(volume) / 6;
}
static inline void heat_edge(int instance, const real *g, const real *weight, real *block) {
    const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const real *a = g + 3 * ends[instance / 4][0], *b = g + 3 * ends[instance / 4][1], *j = g + 3 * (instance % 4);
    for (int d = 0; d < 3; d++)
        block[0] += weight[0] * (b[d] - a[d]) * j[d] / 4;
}
"""
BOTH = """parts:
  - {name: heat_terms, takes: [x, conductivity], gives: [g, weight], only: [thread]}
  - {name: heat_slope, each: slot, takes: [x], gives: [g], only: [lanes]}
  - {name: heat_weight, each: 1, takes: [x, conductivity], gives: [weight], only: [lanes]}
  - {name: heat_block, each: pair, takes: [g, weight], adds: [K], only: [slots]}
  - {name: heat_edge, each: edge slot, takes: [g, weight], adds: [K], only: [edges]}
"""


def test_lanes_and_edges_may_have_parts_of_their_own(tess, tmp_path):
    text = (GUIDE / "heat.h").read_text() + LANES.replace("heat_weight(const", "heat_weight(int k, const")
    (tmp_path / "heat.h").write_text(text)
    (tmp_path / "heat.yaml").write_text(YAML.partition("\nparts:")[0] + "\n" + BOTH)
    ways = ["atomics", "atomics:made=per-part", "atomics:made=per-part:by=edges", "tiles", "tiles:by=edges:transpose=shared",
            "tiles:by=edges:sum=sets"]
    assert checks(run(tess, tmp_path, "--strategy", ",".join(ways), "--json")) == dict.fromkeys(ways, "passed")
    (tmp_path / "heat.h").write_text(text.replace("j[d] / 4", "j[d] / 3"))
    (tmp_path / "heat.yaml").write_text(YAML.partition("\nparts:")[0] + "\n" + BOTH)
    assert "the parts of loop heat, one after another, do not add what" in run(tess, tmp_path, code=3).stderr
    done = run(tess, GUIDE, "--strategy", "tiles,tiles:by=edges")
    assert "by=edges: loop heat has no part that runs for each edge" in done.stderr


# Lanes that find what their own row needs of all nodes' gradients: the weight times each, as lanes that share it find it once.
OWN = """
static inline void heat_scale(int i, const real *g, const real *weight, real *flux) {
    for (int d = 0; d < 3; d++)
        flux[d] = weight[0] * g[3 * i + d];
}
static inline void heat_row(int i, const real *g, const real *weight, real *flux) {
    for (int j = 0; j < 4; j++)
        heat_scale(j, g, weight, flux + 3 * j);
}
static inline void heat_shared_block(int pair, const real *g, const real *flux, real *block) {
    for (int d = 0; d < 3; d++)
        block[0] += g[3 * (pair / 4) + d] * flux[3 * (pair % 4) + d];
}
static inline void heat_own_block(int pair, const real *g, const real *flux, real *block) {
    heat_shared_block(pair, g, flux + 12 * (pair / 4), block);
}
"""
ROWS = """between:
  - {name: g, dim: 12}
  - {name: weight, dim: 1}
  - {name: flux, dim: 12}
  - {name: rows, dim: 48}
parts:
  - {name: heat_terms, takes: [x, conductivity], gives: [g, weight]}
  - {name: heat_scale, each: slot, takes: [g, weight], gives: [flux], only: [lanes, shared]}
  - {name: heat_row, each: slot, takes: [g, weight], gives: [rows], only: [lanes, own]}
  - {name: heat_block, each: pair, takes: [g, weight], adds: [K], only: [thread]}
  - {name: heat_shared_block, each: pair, takes: [g, flux], adds: [K], only: [lanes, shared]}
  - {name: heat_own_block, each: pair, takes: [g, rows], adds: [K], only: [lanes, own]}
"""


def test_lanes_may_share_or_find_what_is_their_own(tess, tmp_path):
    text = (GUIDE / "heat.h").read_text() + OWN
    (tmp_path / "heat.h").write_text(text)
    (tmp_path / "heat.yaml").write_text(YAML.partition("\nbetween:")[0] + "\n" + ROWS)
    ways = ["atomics", "tiles", "tiles:edges=own", "tiles:edges=own:transpose=shared"]
    assert checks(run(tess, tmp_path, "--strategy", ",".join(ways), "--json")) == dict.fromkeys(ways, "passed")
    (tmp_path / "heat.h").write_text(text.replace("heat_scale(j, g", "heat_scale(3 - j, g"))
    assert "the parts of loop heat" in run(tess, tmp_path, code=3).stderr
    done = run(tess, GUIDE, "--strategy", "tiles,tiles:edges=own")
    assert "edges=own: loop heat has no part for it (only: [own]), nor one that runs for each edge" in done.stderr


def test_a_tile_has_room_for_what_is_there_at_once(tess):
    """Of a prism of fun3d 55 values are read and 78 pass between its parts, by slots 120 of its edges and nodes, too, in words of 8 bytes. By edges most are
    there while its flow is found, all but the 6 that only its nodes take; by slots while its edges are, without those and the 19 that only its flow takes. Up to 15
    words more keep the eight tiles of a block in different banks, and 4 those of a warp's second half."""
    edges, slots = json.loads(tess("run", "fun3d", "--loop", "visjac_prisms", "--mesh", "layers:nx=4:ny=4:prisms=2:tets=2", "--no-lab", "--layout",
                                   "aos", "--block-size", "64", "--strategy", "tiles:by=edges,tiles", "--json").stdout)["runs"]
    assert edges["check"] == slots["check"] == "passed"
    words = [(run_of["shared_bytes"] - 2 * 4 * 8) / 64 for run_of in (edges, slots)]
    of_flow, of_edges = 55 - 6 + 78, 55 - 6 + 78 - 19 + 63 + 27
    assert of_flow <= words[0] <= of_flow + 15 and of_edges <= words[1] <= of_edges + 15


@pytest.mark.parametrize("change, words", [
    (("int pair, const real *g, const real *weight", "int pair, const real *weight, const real *g"),
     "heat.yaml: a part of loop heat takes a value of 'weight' that no part has given: set each by =, not by +="),
    (("    block[0] +=", "    ((real *)g)[0] = 1;\n    block[0] +="), "part heat_block of loop heat changes 'g', which it only takes"),
    (("            g[3 * i + d] = (b[e]", "            g[3 * i + d] += (b[e]"), "heat.yaml: a part of loop heat takes a value of 'g' that no part has given"),
    (("    weight[0] = conductivity[0]", "    if (weight[0] > 0)\n        weight[0] = conductivity[0]"),
     "heat.yaml: a part of loop heat takes a value of 'weight' that no part has given"),
    (("real *g, real *weight) {", "real *g) {\n    real weight[1];"),
     "\n    void heat_terms(const real *x, const real *conductivity, real *g, real *weight)\n"
     "    void heat_block(int pair, const real *g, const real *weight, real *K)\nwhich"),
])
def test_parts_keep_to_what_the_description_says(tess, tmp_path, change, words):
    text = (GUIDE / "heat.h").read_text()
    assert change[0] in text
    (tmp_path / "heat.h").write_text(text.replace(*change, 1))
    (tmp_path / "heat.yaml").write_text(YAML)
    assert words in run(tess, tmp_path, "--strategy", "atomics:made=per-part", code=3).stderr


def test_a_kernel_without_a_description_is_refused(tess):
    for command in ("run", "parts"):
        done = tess(command, "--kernel", GUIDE / "heat.h", "--mesh", MESH, code=2)
        assert "--kernel FILE.h needs --loop FILE.yaml" in done.stderr


def test_a_part_adds_to_no_global_sum(tess, tmp_path):
    (tmp_path / "heat.h").write_text((GUIDE / "heat.h").read_text() + "static inline void all(const real *w, real *sum) { sum[0] += w[0]; }\n")
    (tmp_path / "heat.yaml").write_text(YAML.replace("matrices:", "  - {name: sum, dim: 1, start: zero}\nmatrices:")
                                        .replace("between:", "  - {dat: sum, access: inc}\nbetween:")
                                        + "  - {name: all, takes: [weight], adds: [sum]}\n")
    assert "heat.yaml:21:5: part all of loop heat adds to 'sum', which is reached through no map" in run(tess, tmp_path, code=3).stderr


def test_header_and_description_the_wrong_way_round(tess):
    done = tess("run", "--kernel", GUIDE / "heat.yaml", "--loop", GUIDE / "heat.h", "--mesh", MESH, "--no-lab", code=3)
    assert f"write --kernel {GUIDE / 'heat.h'} --loop {GUIDE / 'heat.yaml'}" in done.stderr


def test_made_each_is_for_kernels_in_parts(tess):
    done = tess("run", "airfoil", "--mesh", "quads:nx=4:ny=4", "--strategy", "atomics:made=per-part,atomics", "--no-lab")
    assert "made=per-part is for kernels in parts: loop res_calc has none" in done.stderr


def test_a_block_that_runs_phase_after_phase_stages_the_most_that_one_needs(tess, tmp_path):
    whole, ahead, after, owner, loops = json.loads(tess("run", "--kernel", GUIDE / "mix.h", "--loop", GUIDE / "mix.yaml", "--mesh",
                                           "tris:nx=9:ny=9", "--no-lab", "--block-size", "64", "--json", "--strategy",
                                           "halo-atomics,halo-atomics:parts=staged,halo-atomics:parts=staged:next=after,"
                                           "owner-block:parts=staged,halo-atomics:parts=separate").stdout)["runs"]
    assert {run["check"] for run in (whole, ahead, after, owner, loops)} == {"passed"}
    # of a node: x 2, share 6, mobility 6, rate 6; the last phase needs six sums, the one before it two values
    assert whole["shared_bytes"] * 6 == after["shared_bytes"] * 20 and whole["shared_bytes"] * 8 == ahead["shared_bytes"] * 20
    for run in (ahead, after):
        assert run["read_sectors"] == whole["read_sectors"] and run["atomics"] == whole["atomics"]
    # A launch for each phase, as large as the one that needs most; the seven values that an edge passes on are stored and loaded.
    assert loops["launches"] == 8 and loops["shared_bytes"] == after["shared_bytes"]
    assert loops["atomics"] == whole["atomics"]
    assert loops["moved_bytes_min"] - after["moved_bytes_min"] >= 7 * 8 * 208  # of 81 nodes: 9 * 8 + 8 * 9 + 8 * 8 edges
    useless = tess("run", "--kernel", GUIDE / "mix.h", "--loop", GUIDE / "mix.yaml", "--mesh", "tris:nx=3:ny=3", "--no-lab", "--strategy",
                   "halo-atomics:parts=staged:sum=thread-colours,halo-atomics:next=after,halo-atomics:parts=separate:next=after,"
                   "block-colour:parts=staged:sums=cleared,"
                   "halo-atomics:parts=staged")
    assert "sum has no effect with parts=staged: leave it out" in useless.stderr
    assert "sums has no effect with parts=staged: leave it out" in useless.stderr
    assert "next has no effect with parts=fused: leave it out" in useless.stderr
    assert "next has no effect with parts=separate: leave it out" in useless.stderr
    for word, name in (("rate", "which several args are: write 'rate:0', 'rate:1'"), ('"rate:7"', "'rate:7'")):
        (tmp_path / "mix.yaml").write_text((GUIDE / "mix.yaml").read_text().replace('"rate:0", "rate:1"', word))
        done = tess("run", "--kernel", GUIDE / "mix.h", "--loop", tmp_path / "mix.yaml", "--mesh", "tris", "--no-lab", code=3)
        assert name in done.stderr
