"""tess run: loops executed by strategies, checked, archived; a user's own kernel; clear refusals."""

import json
import os
import pathlib
import re

import h5py
import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiling_cc")

EXAMPLE = ROOT / "docs/user_kernel"
MESH = "tris:nx=12:ny=9"
# All strategies for loops that increment, with the options that tests/kernels/strategy_variants.h tries.
WAYS = re.findall(r'^    {"(?!gather)([^"]+)", "emulator',
                  (ROOT / "tests/kernels/strategy_variants.h").read_text(),
                  re.MULTILINE)


def test_runs_are_checked_and_archived(tess, tmp_path):
    lab = tmp_path / "lab"
    result = tess("run", "airfoil", "--mesh", "quads:nx=20:ny=15", "--strategy",
                  "atomics,halo-atomics", "--lab", lab, "--json")
    report = json.loads(result.stdout)
    assert report["schema"] == "tess.run/1"
    assert [run["check"] for run in report["runs"]] == ["passed", "passed"]
    assert report["runs"][0]["atomic_sectors"] > report["runs"][1]["atomic_sectors"] > 0
    for run in report["runs"]:
        with h5py.File(lab / "runs" / f"{run['run']}.hdf") as file:
            assert file.attrs["schema_version"]


@pytest.mark.parametrize("application,grid", [("airfoil", "quads:nx=3:ny=2"), ("volna", "tris:nx=3:ny=2"),
                                              ("bookleaf", "quads:nx=3:ny=2"), ("lulesh", "hexes:nx=2:ny=2:nz=2"),
                                              ("miniaero", "hexes:nx=2:ny=2:nz=2"), ("fv", "tets:nx=2:ny=2:nz=2"),
                                              ("fun3d", "tets:nx=2:ny=2:nz=2")])
def test_a_node_of_no_cell_does_no_harm(tess, tmp_path, application, grid):
    tess("mesh", "convert", grid, tmp_path / "mesh.su2")
    text = (tmp_path / "mesh.su2").read_text()
    count = int(re.search(r"NPOIN= *(\d+)", text)[1])
    text = text.replace(f"NPOIN= {count}", f"NPOIN= {count + 1}").replace("NMARK=", f"{'9 ' * int(text[7])}{count}\nNMARK=")
    (tmp_path / "mesh.su2").write_text(text)
    assert f"1 of the nodes belong to no cell: {count}" in tess("mesh", "check", tmp_path / "mesh.su2", code=1).stdout
    result = tess("run", application, "--mesh", tmp_path / "mesh.su2", "--device", "host", "--strategy", "sequential", "--samples", "1",
                  "--no-lab", "--json")
    assert [run["check"] for run in json.loads(result.stdout)["runs"]] == ["passed"]


def test_the_host_is_timed(tess):
    result = tess("run", "lulesh", "--mesh", "hexes:nx=6:ny=6:nz=6", "--device", "host",
                  "--strategy", "sequential,openmp", "--samples", "5", "--no-lab", "--json")
    for run in json.loads(result.stdout)["runs"]:
        assert run["check"] == "passed"
        assert len(run["samples"]) == 5 and run["bandwidth"] > 0
        time, copying = run["median_time"], run["copy_bandwidth"]
        assert run["bandwidth"] == pytest.approx(run["useful_bytes"] / time)
        assert run["useful_fraction"] == pytest.approx(run["bandwidth"] / copying)
        assert run["copy_fraction"] == pytest.approx(run["moved_bytes_min"] / time / copying)
        assert run["flop_rate"] == pytest.approx(run["flops"] / time)


@pytest.mark.parametrize("precision, layout", [("float", "soa"), ("double", "aos")])
def test_a_users_kernel_runs_by_all_strategies(tess, precision, layout):
    result = tess("run", "--kernel", EXAMPLE / "blend.h", "--loop", EXAMPLE / "blend.yaml", "--mesh",
                  MESH, "--strategy", ",".join(WAYS), "--block-size", "64", "--threads", "32",
                  "--precision", precision, "--layout", layout, "--no-lab", "--json")
    runs = json.loads(result.stdout)["runs"]
    assert [run["check"] for run in runs] == ["passed"] * len(WAYS)
    assert {(run["layout"], run["precision"]) for run in runs} == {(layout, precision)}


def test_a_kernel_may_write_at_points_where_colours_order_the_elements(tess, tmp_path):
    text = (EXAMPLE / "blend.yaml").read_text()
    inc = '{dat: share, map: "cells:nodes", access: inc}'
    assert inc in text
    loop = tmp_path / "blend.yaml"
    loop.write_text(text.replace(inc, inc.replace("inc}", "rw}")))
    result = tess("run", "--kernel", EXAMPLE / "blend.h", "--loop", loop, "--mesh", MESH, "--strategy",
                  "global-colour,atomics,block-colour", "--precision", "double", "--no-lab", "--json")
    runs = json.loads(result.stdout)["runs"]
    assert [run["check"] for run in runs if "atomics" not in run["strategy"]] == ["passed"] * 2
    assert "arg 5 of loop blend ('share' through cells:nodes) is rw" in result.stderr


def test_a_kernel_that_depends_on_the_order_is_told_so(tess, tmp_path):
    inc = 'map: "cells:nodes", access: inc}'
    changes = {"h": ("share[i] +=", "share[i] = share[(i + 1) % 3] / 2 +"), "yaml": (inc, inc.replace("inc", "rw"))}
    for name, change in changes.items():
        text = (EXAMPLE / f"blend.{name}").read_text()
        assert change[0] in text
        (tmp_path / f"u.{name}").write_text(text.replace(*change, 1))
    done = tess("run", "--kernel", "u.h", "--loop", "u.yaml", "--mesh", MESH, "--strategy", "block-colour", "--no-lab",
                code=1, cwd=tmp_path)
    assert "share differs by" in done.stderr and "the same in any order" in done.stderr


@pytest.mark.parametrize("sample", ["sample=0", "sample=1000", "count=no:sample=1000"])
def test_a_sample_that_leaves_no_block_out_is_checked(tess, sample):
    done = tess("run", "airfoil", "--mesh", "quads:nx=10:ny=10", "--device", f"emulator:{sample}", "--no-lab", "--json")
    run = json.loads(done.stdout)["runs"][0]
    assert run["check"] == "passed" and not run.get("estimated")


def test_the_generated_pages_are_kept_in_a_folder_that_is_made(tess, tmp_path):
    folder = tmp_path / "not" / "yet" / "there"
    tess("run", "airfoil", "--mesh", MESH, "--strategy", "atomics,atomics:aggregate=sorted",
         "--no-lab", "--keep-text", folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "res_calc-atomics-aggregate=sorted-emulator.cu", "res_calc-atomics-emulator.cu"]
    assert "add_atomically" in (folder / "res_calc-atomics-emulator.cu").read_text()


def counted(tess, device, lab):
    done = tess("run", "airfoil", "--mesh", "quads:nx=40:ny=40", "--device", device, "--block-size", "64",
                "--strategy", "block-colour", "--lab", lab, "--json")
    run = json.loads(done.stdout)["runs"][0]
    return run, tess("show", "@last", "--lab", lab).stdout


def test_a_sample_of_blocks_gives_estimates_and_no_check(tess, tmp_path):
    whole, _ = counted(tess, "emulator", tmp_path / "lab")
    run, shown = counted(tess, "emulator:sample=6", tmp_path / "lab")
    assert run["check"] == "unchecked" and run["estimated"] and not whole["estimated"]
    assert run["blocks_executed"] == 6 * run["launches"] < run["blocks_launched"] == whole["blocks_executed"]
    for name in ("read_sectors", "write_sectors", "barriers", "shared_wavefronts"):
        assert run[name] == pytest.approx(whole[name], rel=0.1)
    assert re.search(rf"read_sectors +{run['read_sectors']} +sample ", shown)
    assert re.search(rf"blocks_executed +{run['blocks_executed']} +emulator ", shown)
    table = tess("run", "airfoil", "--mesh", "quads:nx=40:ny=40", "--device", "emulator:sample=6",
                 "--block-size", "64", "--strategy", "block-colour", "--no-lab").stdout
    assert f"~{run['read_sectors']} " in table


PART_H = """static inline void part(const real *q, real *sum) {
    sum[0] += q[0];
    sum[1] += 2 * q[1];
}
"""
PART_YAML = """name: part
over: cells
dats:
  - {name: q, set: nodes, dim: 5}
  - {name: sum, set: nodes, dim: 4, start: index}
args:
  - {dat: q, map: "cells:nodes", slot: 0, components: [3, 4], access: read}
  - {dat: sum, map: "cells:nodes", slot: 1, components: [1, 3], access: inc}
"""


@pytest.mark.parametrize("device, strategy, more, n", [
    ("host", "sequential", ["--samples", "2"], 2), ("host", "sequential", ["--samples", "0"], 1), ("emulator", "atomics", [], 1)])
def test_equal_runs_are_made_where_they_are_timed(tess, tmp_path, device, strategy, more, n):
    """Named twice they show by how much equal runs differ; what is counted is equal."""
    done = tess("run", "airfoil", "--mesh", MESH, "-d", device, "-s", f"{strategy},{strategy}", *more, "--json", "--no-lab", cwd=tmp_path)
    assert len(json.loads(done.stdout)["runs"]) == n
    assert (f"--strategy names {strategy} twice: it is made once" in done.stderr) == (n == 1)


@pytest.mark.parametrize("layout", ["soa", "aos"])
def test_an_arg_may_be_some_components_of_a_dat(tess, tmp_path, layout):
    (tmp_path / "part.h").write_text(PART_H)
    (tmp_path / "part.yaml").write_text(PART_YAML)
    result = tess("run", "--kernel", tmp_path / "part.h", "--loop", tmp_path / "part.yaml", "--mesh", MESH,
                  "--strategy", ",".join(WAYS), "--layout", layout, "--block-size", "64", "--no-lab", "--json")
    assert [run["check"] for run in json.loads(result.stdout)["runs"]] == ["passed"] * len(WAYS)
    tess("run", "--kernel", tmp_path / "part.h", "--loop", tmp_path / "part.yaml", "--mesh", MESH, "--strategy",
         "sequential", "--device", "host", "--no-lab", "--keep-text", tmp_path / "text", "--layout", "aos")
    page = (tmp_path / "text" / "part-sequential-host.cu").read_text()
    assert "return i * 5 + 3 + d;" in page and "return i * 4 + 1 + d + (d >= 1) * 1;" in page


def test_components_in_the_middle_of_16_bytes_are_loaded_with_these(tess, tmp_path):
    (tmp_path / "part.h").write_text(PART_H)
    (tmp_path / "part.yaml").write_text(PART_YAML)
    result = tess("run", "--kernel", tmp_path / "part.h", "--loop", tmp_path / "part.yaml", "--mesh", MESH, "--layout",
                  "aos16", "--strategy", "atomics:loads=vectors", "--no-lab", "--keep-text", tmp_path / "text", "--json")
    assert [run["check"] for run in json.loads(result.stdout)["runs"]] == ["passed"]
    assert "0)] - 1, 4);" in next((tmp_path / "text").iterdir()).read_text()  # values 2 to 5 of 6


@pytest.mark.parametrize("change, words", [
    (("[3, 4]", "[3, 5]"), "part.yaml:7:59: arg 0 ('q') has component 5: write numbers from 0 to 4"),
    (("[3, 4]", "[4, 3]"), "arg 0 ('q') has component 3 behind 4: write them in ascending order, each once"),
    (("[3, 4]", "[]"), "arg 0 ('q') has component no number: write a list"),
    (("sum, map: \"cells:nodes\", slot: 1", "q, map: \"cells:nodes\", slot: 1"),
     "args 0 and 1 of loop part are different components of 'q': a loop sees a dat in one way only"),
])
def test_wrong_components_are_refused_by_arg(tess, tmp_path, change, words):
    assert change[0] in PART_YAML
    (tmp_path / "part.h").write_text(PART_H)
    (tmp_path / "part.yaml").write_text(PART_YAML.replace(*change, 1))
    assert words in tess("run", "--kernel", tmp_path / "part.h", "--loop", tmp_path / "part.yaml", "--mesh", MESH,
                         "--no-lab", code=3).stderr


def test_what_is_not_counted_is_not_zero(tess, tmp_path):
    run, shown = counted(tess, "emulator:count=no", tmp_path / "lab")
    assert run["check"] == "passed" and "read_sectors" not in run
    assert re.search("^  blocks +[0-9]+ ", shown, re.M)
    assert not re.search("^  (read_sectors|warp_efficiency|barriers) ", shown, re.M)


@pytest.mark.parametrize(
    "change, words",
    [
        (("dat: level,", "dat: lvel,"), "did you mean 'level'"),
        (('map: "cells:cells"', 'map: "cells:nodes"'), "arg 3 ('level', which is on cells)"),
        (("over: cells", "over: cell"), "but the loop is over cell: write 'over: cells'"),
        (("access: inc", "access: add"), "add"),
        (("name: blend ", "name: blond "), "'blond' is not in"),
        (("{dat: rate, access: read}", "{dat: share, access: read}"), "say through which map"),
        (("over: cells", "ovr: cells"), "wrong.yaml:3:1: the description of a loop has no 'ovr'; did you mean 'over'?"),
        (("over: cells", ""), "wrong.yaml:2:1: 'over' is missing"),
        (("dat: level,", "map: cells,"), "'map' is given twice"),
        (("access: inc", "acess: inc"), "an arg has no 'acess'; did you mean 'access'?"),
        (("dat: kind, access: read", "dat: kind"), "wrong.yaml:16:5: 'access' is missing"),
        (("start: zero", "start: zeros"), "wrong.yaml:10:46: start is one of zero, random, index, coordinates, not 'zeros'"),
        (("name: weight", "name: [weight]"), "wrong.yaml:7:12: name is a word of 1 to"),
    ],
)
def test_a_wrong_description_is_refused_by_name(tess, tmp_path, change, words):
    text = (EXAMPLE / "blend.yaml").read_text()
    assert change[0] in text
    loop = tmp_path / "wrong.yaml"
    loop.write_text(text.replace(*change, 1))
    result = tess("run", "--kernel", EXAMPLE / "blend.h", "--loop", loop, "--mesh", MESH, "--no-lab",
                  code=3)
    assert words in result.stderr


ADD = "    total[0] +="


@pytest.mark.parametrize(
    "header, description, words",
    [
        (None, ("  - {dat: total, access: inc}\n", ""), ["u.yaml says it is", "int *odd)\n", "too few arguments"]),
        (None, ("dim: 2, type: float}", "dim: 2}"), ["const real *weight", "argument 3 of", "u.h:3"]),
        (None, ("type: int}", "type: float}"), ["const float *kind", "argument 2 of"]),
        (("void blend(", "void blendd("), None, ["did you mean", "blendd"]),
        (("static inline", "static real load(real a) {\n    return a;\n}\nstatic inline"), None,
         ["blend does not compile in its page, where names such as load, store", "the C compiler refuses"]),
        (("inline void blend(", "inline blend("), None, ["return type defaults to", "u.h:3"]),
        (("inline void blend(", "inline real blend("), None, ["no return statement", "u.h"]),
        ((ADD, "    x[0] = 2;\n" + ADD), None, ["read-only location", "u.h:18"]),
        ((ADD, "    ((real *)x)[1] = 2;\n" + ADD), None, ["changes what is only read: arg 0 ('x', 6 values here)"]),
        (("share[i] +=", "share[i + 1] +="), None, ["writes outside of arg 5 ('share', 3 values here)"]),
        (("share[i] +=", "share[i - 1] +="), None, ["writes outside of arg 5 ('share'"]),
        (("rate[0] *", "rate[1] *"), None, ["reads outside of arg 4 ('rate', 1 value here)"]),
        (("rate[0] *", "(rate[2] - rate[1]) *"), None, ["reads outside of arg 4 ('rate', 1 value here)"]),
        (("share[i] +=", "share[i + 100000000] +="), None, ["far outside of its args"]),
        ((ADD, "    odd[0] += 1 / (kind[0] - kind[0]);\n" + ADD), None, ["divides an integer by zero"]),
        ((ADD, "    __builtin_trap();\n" + ADD), None, ["u.h: blend would end the program, as a trap or an assertion does, on element 0"]),
        ((ADD, "    __builtin_abort();\n" + ADD), None, ["u.h: blend would end the program"]),
        ((ADD, "    while (x[0] <= 0 || x[0] >= 0)\n        share[0] += 1;\n" + ADD), None,
         ["u.h: blend on element 0 still computes after 2 s"]),
        ((ADD, "    blend(x, kind, weight, neighbours, rate, share, heat, odd, total);\n" + ADD), None, ["calls itself without end"]),
        ((ADD, "    share[2] += sqrt(-rate[0]);\n" + ADD), None, ["value 2 of arg 5 ('share') is no number (-nan)"]),
        ((ADD, "    static real n;\n    n += 1;\n    share[0] += n;\n" + ADD), None, ["another result for equal args"]),
        (("static", "#include <stdio.h>\nstatic"), None, ["u.h includes a file"]),
        ((ADD, '    printf("%g", x[0]);\n' + ADD), None, ["implicit declaration of function", "printf"]),
        (None, ("cells, dim: 1}", "cells, dim: 0}"), ["dat 'level' has dim 0"]),
        (None, ("  - {name: rate, dim: 1}", "  - {name: level, dim: 1}"), ["'level' is there twice"]),
        (None, ("{dat: rate, access: read}", '{dat: share, map: "cells:nodes", access: read}'),
         ["u.yaml: args 4 and 5 of loop blend", "order of elements"]),
    ],
)
def test_a_kernel_that_does_not_keep_to_its_args_is_refused(tess, tmp_path, header, description, words):
    for name, change in [("h", header), ("yaml", description)]:
        text = (EXAMPLE / f"blend.{name}").read_text()
        assert not change or change[0] in text
        (tmp_path / f"u.{name}").write_text(text.replace(*change, 1) if change else text)
    done = tess("run", "--kernel", "u.h", "--loop", "u.yaml", "--mesh", MESH, "--no-lab", code=3, cwd=tmp_path)
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("access, body, code", [
    ("write", "out[0] = q[0]; out[1] = out[0] * 2;", 0), ("rw", "out[0] = q[0];", 0),
    ("write", "out[0] = q[0];", 3), ("write", "out[0] = out[1] + q[0]; out[1] = 1;", 3),
    ("write", "if (q[0] > 1e9) out[0] = 0; out[1] = q[0];", 3)])  # fmt: skip
def test_what_is_to_write_is_set_and_not_read(tess, tmp_path, access, body, code):
    """On a GPU it begins as anything."""
    (tmp_path / "u.h").write_text(f"static inline void part(const real *q, real *out) {{ {body} }}\n")
    (tmp_path / "u.yaml").write_text("name: part\nover: cells\ndats: [{name: q, set: cells, dim: 1}, {name: out, set: cells, dim: 2}]\n"
                                     f"args: [{{dat: q, access: read}}, {{dat: out, access: {access}}}]\n")  # fmt: skip
    done = tess("run", "--kernel", "u.h", "--loop", "u.yaml", "--mesh", MESH, "-d", "host", "--samples", "1", "--no-lab", code=code, cwd=tmp_path)
    assert code == 0 or "u.h: part reads, or does not set all of, what is write (rw may): arg 1 ('out', 2 values here)" in done.stderr


FLUX = """static inline void exchange(const real *u0, const real *u1, const real *k, real *r0, real *r1) {
    const real flow = k[0] * (u0[0] - u1[0] * u1[0]);
    r0[0] -= FIRST;
    r1[0] += SECOND;
}
"""
EDGES = """name: exchange
over: edges
{declared}
dats:
  - {{name: u, set: cells, dim: 1}}
  - {{name: k, set: edges, dim: 1}}
  - {{name: r, set: cells, dim: 1, start: zero}}
args:
  - {{dat: u, map: "edges:cells", slot: 0, access: read}}
  - {{dat: u, map: "edges:cells", slot: 1, access: read}}
  - {{dat: k, access: read}}
  - {{dat: r, map: "edges:cells", slot: 0, access: inc}}
  - {{dat: r, map: "edges:cells", slot: 1, access: inc}}
"""


@pytest.mark.parametrize("first, second, u1, declared, words", [
    ("flow", "flow", "u1[0] * u1[0]", "antisymmetry: opposite", None),
    ("flow", "flow", "u1[0]", "antisymmetry: exchange", None),
    ("flow", "flow", "u1[0] * u1[0]", "antisymmetry: exchange", "'r' deviates"),
    ("(real)1.001 * flow", "flow", "u1[0]", "antisymmetry: opposite", "'r' deviates"),
    ("flow + 0 * sqrt(2 + u0[0] - u1[0])", "flow + 0 * sqrt(2 + u0[0] - u1[0])", "u1[0]", "antisymmetry: exchange", "'r' deviates"),
    ("sqrt(-k[0] * k[0]) * flow", "flow", "u1[0]", "antisymmetry: opposite", "is no number"),
    ("flow", "flow", "u1[0]", "antisymmetry: opposed", "opposed"),
    ("k[0] * u0[0]", "k[0] / u1[0]", "u1[0]", "apart: yes", None),
    ("k[0] * u0[0]", "flow", "u1[0]", "independent_ends: yes", "depends on what is read at slot 0"),
    ("flow", "k[0] * u1[0]", "u1[0]", "independent_ends: yes", "depends on what is read at slot 1"),
])
def test_what_is_declared_of_ends_is_proved_before_it_is_used(tess, tmp_path, first, second, u1, declared,
                                                              words):
    kernel, loop = tmp_path / "flux.h", tmp_path / "flux.yaml"
    kernel.write_text(FLUX.replace("FIRST", first).replace("SECOND", second).replace("u1[0] * u1[0]", u1))
    loop.write_text(EDGES.format(declared=declared))
    result = tess("run", "--kernel", kernel, "--loop", loop, "--mesh", MESH, "--strategy",
                  "point-parallel,point-parallel:antisymmetry=ignore", "--block-size", "64", "--no-lab",
                  "--json", code=3 if words else 0)
    if words:
        assert words in result.stderr
    else:
        assert [run["check"] for run in json.loads(result.stdout)["runs"]] == ["passed"] * 2
        noted = "tess: " + str(loop) + ": 'apart' is called 'independent_ends' now" in result.stderr
        assert noted == declared.startswith("apart")


@pytest.mark.parametrize("before, after, words", [
    ("set: cells, dim: 1", "set: cells, dim: 1.5", "dat 'u' has dim 1.5: write how many values an element has, 1 to 4096"),
    ("set: cells, dim: 1", "set: cells, dim: 999999999", "dat 'u' has dim 999999999"),
    ("set: cells, dim: 1", "set: cells, dim: 99999999999999", "dat 'u' has dim 99999999999999"),
    ("set: cells, dim: 1", "set: cells, dim: 0", "dat 'u' has dim 0"),
    ("slot: 0, access: read", "slot: 0x, access: read", "arg 0 ('u') has slot 0x: write a slot of a map, from 0 on"),
    ("slot: 0, access: read", "slot: -1, access: read", "arg 0 ('u') has slot -1"),
    ("slot: 0, access: read", "slot: 2, access: read", "map edges:cells has slots 0 to 1, not 2"),
    ("{dat: k, access", "{dat: k, slot: 0, access", "arg 2 ('k') has slot 0"),
    ("over: edges", "over: edges\ncolour: red", "it has name, over, dats, matrices, args, between, parts, whole, antisymmetry, independent_ends\n"),
    ("over: edges", "over: edges\napart: perhaps", "flux.yaml:3:8: apart is one of no, yes, false, true, not 'perhaps'"),
    ("{name: k,", "{name: k-k,", "dat 'k-k' has no name that a compiler takes"),
])  # fmt: skip
def test_numbers_and_answers_of_a_description_are_what_they_say(tess, tmp_path, before, after, words):
    (tmp_path / "flux.h").write_text(FLUX.replace("FIRST", "flow").replace("SECOND", "flow"))
    loop = EDGES.format(declared="")
    assert before in loop
    (tmp_path / "flux.yaml").write_text(loop.replace(before, after, 1))
    assert words in tess("run", "--kernel", tmp_path / "flux.h", "--loop", tmp_path / "flux.yaml", "--mesh", MESH,
                         "--no-lab", code=3).stderr  # fmt: skip


def test_three_entries_of_a_point_may_reach_into_a_second_word(tess):
    """Places of 512 cells' edges take 10 bits, an entry 11, so the third begins in bit 22."""
    result = tess("run", "volna", "--mesh", "tris:nx=30:ny=30", "--strategy", "point-parallel", "--block-size",
                  "512", "--no-lab", "--json")
    assert [run["check"] for run in json.loads(result.stdout)["runs"]] == ["passed"]


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["airfol", "--mesh", MESH], 2, "airfoil"),
        (["airfoil"], 2, "--mesh"),
        (["airfoil", "wing.su2"], 2, "one application at a time: 'airfoil' and 'wing.su2'; say --mesh wing.su2\n"),
        (["airfoil", "--mesh", "hexes:nx=3:ny=3:nz=3"], 2, "2D"),
        (["airfoil", "--mesh", MESH, "--strategy", "atomic"], 2, "did you mean 'atomics'?"),
        (["airfoil", "--mesh", MESH, "--strategy", "sequential"], 1, "--device host"),
        (["airfoil", "--mesh", MESH, "--loop", "res"], 2, "did you mean 'res_calc'?"),
        (["--kernel", EXAMPLE, "--loop", EXAMPLE / "blend.yaml", "--mesh", MESH], 3, "is no file"),
        (["--kernel", EXAMPLE / "blend.h", "--loop", EXAMPLE, "--mesh", MESH], 3, "is a directory, not a file"),
        (["--kernel", "none.h", "--loop", EXAMPLE / "blend.yaml", "--mesh", MESH], 3, "none.h cannot be read: No such file"),
        (["airfoil", "--mesh", MESH, "--layout", "aso"], 2, "layout"),
        pytest.param(["airfoil", "--mesh", MESH, "--device", "cuda"], 4, "NVIDIA",
                     marks=pytest.mark.skipif(pathlib.Path("/dev/nvidia0").exists(), reason="has a GPU")),
    ],
)
def test_wrong_usage_is_refused(tess, arguments, code, words):
    result = tess("run", *arguments, "--no-lab", code=code)
    assert words in result.stderr


def test_what_the_compiler_says_ends_with_a_line_and_names_one_text(tess, tmp_path):
    """However often it is tried."""
    kernel = tmp_path / "u.h"
    kernel.write_text((EXAMPLE / "blend.h").read_text().replace(";\n", "\n"))
    said = [tess("run", "--kernel", kernel, "--loop", EXAMPLE / "blend.yaml", "--mesh", MESH, "--no-lab", code=3,
                 env={**os.environ, "TESS_CACHE": str(tmp_path / "cache")}).stderr for _ in range(2)]
    text, = set(re.findall(r"refuses the kernel's text \((.*)\):", said[0] + said[1]))
    assert pathlib.Path(text).exists() and len(list(pathlib.Path(text).parent.glob("*.c"))) == 1
    words = said[0].split("):\n", 1)[1].rstrip("\n")
    assert 300 < len(words.encode()) < 700, "the first 700 bytes, but for a line that does not fit"


def test_one_block_may_hold_all_that_there_is(tess):
    """Its size is the largest that an option takes; it has no more threads than a GPU's."""
    done = tess("run", "airfoil", "--mesh", "quads:nx=9:ny=9", "--no-lab", "--json", "--block-size", 2**31 - 1,
                "--strategy", "atomics,global-colour,two-step,block-colour,halo-atomics,owner-block,point-parallel")  # fmt: skip
    assert {run["check"] for run in json.loads(done.stdout)["runs"]} == {"passed"}


def test_all_strategies_are_tried_and_those_that_do_not_fit_are_said(tess):
    done = tess("run", "airfoil", "--mesh", "quads:nx=6:ny=6", "-s", "all", "-p", "rcb,hilbert", "--no-lab", "--json")
    listed = {one["name"] for one in json.loads(tess("list", "strategies", "--json").stdout)["strategies"]}
    checks = {run["strategy"].split(":")[0]: run["check"] for run in json.loads(done.stdout)["runs"]}
    assert set(checks) == listed - {"peer"}, "a peer is named"
    assert checks["openmp"] == "not applicable" and checks["atomics"] == "passed"
    misfits = [name for name, check in checks.items() if check == "not applicable"]
    reasons = re.findall("is left out: (.*)", done.stderr)
    assert len(reasons) == len(set(reasons)) == len(misfits), "each reason once, though each has two partitioners"
    assert f"tess: {len(misfits)} more are left out for the same reasons\n" in done.stderr


@pytest.mark.parametrize("arguments", [("-s", "openmp"), ("-s", "openmp,sequential")])
def test_a_run_in_which_nothing_fits_fails_and_says_why(tess, arguments):
    done = tess("run", "airfoil", "--mesh", "quads:nx=6:ny=6", *arguments, "--no-lab", code=1)
    assert "nothing fits: strategy" in done.stderr and "host only" in done.stderr


def test_layouts_are_a_list(tess):
    done = tess("run", "airfoil", "--mesh", "quads:nx=6:ny=6", "--layout", "aos,soa,nodes=aos", "--no-lab")
    title, *rows = done.stdout.split("\n\n")[0].split("\n")
    column = title.split("strategy")[0]
    assert "layout" in title and [row[len(column):].split()[1] for row in rows if "as stored" not in row] == ["aos", "soa,nodes=aos"]
    assert "two layouts" in tess("march", "--no-lab", "airfoil", "--mesh", "quads:nx=6:ny=6", "--layout", "aos,soa", code=2).stderr


def test_quiet_tells_why_runs_fail_and_not_what_is_left_out(tess, tmp_path):
    """A cell of no extent, which volna divides by: no result is finite."""
    mesh = tmp_path / "flat.su2"
    mesh.write_text("NDIME= 2\nNELEM= 3\n5 0 1 4\n5 0 4 3\n5 0 1 2\nNPOIN= 5\n0 0\n1 0\n2 0\n0 1\n1 1\n")
    done = tess("run", "volna", "--mesh", mesh, "-s", "atomics,gather", "-p", "rcb", "-b", "32", "--no-lab", "--quiet", code=1)
    failed, last = done.stderr.splitlines()
    assert failed.startswith("tess: atomics, rcb, block size 32 failed: the result is wrong: ") and "'tess mesh check' finds these" in failed
    assert last == "tess: error: 1 of 2 runs failed"


def test_a_home_that_cannot_be_written_is_no_obstacle(tess, tmp_path):
    """What is compiled lies among temporary files then, and one line says so."""
    places = {"PATH": os.environ["PATH"], "HOME": "/dev/null/nobody", "TMPDIR": str(tmp_path), "CC": str(ROOT / "tests/kernels/quick-cc")}
    words = ["run", "airfoil", "--mesh", "quads:nx=4:ny=4", "-s", "atomics", "-b", "32", "--no-lab"]
    said = tess(*words, env=places).stderr.splitlines()
    assert [line for line in said if "HOME cannot be written" in line and str(tmp_path) in line] == said[-1:]
    (kept,) = tmp_path.glob("tesselab-*-modules")
    assert list(kept.glob("*.so"))
    assert tess(*words, "--quiet", env=places).stderr == ""
    del places["HOME"]
    assert tess(*words, env=places).stderr.splitlines()[-1].startswith("tess: HOME is not set: what was compiled is kept in ")
    chosen = tess(*words, env={**places, "TESS_CACHE": "/dev/null/chosen"}, code=1).stderr
    assert "set TESS_CACHE to another place" in chosen


def test_columns_that_no_table_has_by_itself_are_there_when_asked_for(tess):
    """Each edge between cells adds four values at both ends."""
    words = ("run", "airfoil", "--mesh", "quads:nx=4:ny=3", "--no-lab", "--strategy", "atomics")
    done = tess(*words, "--columns", "strategy,atomics,atomic_repeats,moved_bytes_min,registers")
    head, row = (line.split() for line in done.stdout.split("\n")[:2])
    assert head == ["strategy", "atomics", "atomic_repeats", "moved_bytes_min", "registers"]
    assert row[:2] == ["atomics", str((4 * 2 + 3 * 3) * 2 * 4)] and len(row) == 4  # the emulator knows no registers
    (run,) = json.loads(tess(*words, "--json").stdout)["runs"]
    head, row = (line.split() for line in tess(*words, "--columns", "reuse").stdout.split("\n")[:2])
    assert (head[-1], row[-1]) == ("reuse", f"{run['reuse_factor']:.3f}"), "the plan's metrics are the run's, too"


def test_areas_of_small_cells_keep_their_digits(tess):
    """Products of coordinates, subtracted, would lose as many as a cell is small: in float 1e-3 of the density on this mesh."""
    tess("run", "bookleaf", "--loop", "get_force", "--mesh", "quads:nx=240:ny=240", "--precision", "float", "--device", "host",
         "-s", "openmp", "--samples", "1", "--no-lab")
