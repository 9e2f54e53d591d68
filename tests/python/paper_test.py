"""The papers redrawn: a verdict for each published value, 1 for a difference without a reason, and a lab that ships which
today's program makes again."""

import functools
import json
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, limited

PAPERS = ROOT / "notebooks/papers"
pandas = pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from tesselab import LabError, open_lab, open_table, paper, paper_again, paper_figures, paper_page, paper_tables  # noqa: E402


@pytest.fixture
def papers(tmp_path):
    """A copy of the papers to spoil."""
    return shutil.copytree(PAPERS, tmp_path / "papers")


def judged(capsys, *words):
    """The exit code of the command, and what it printed."""
    with pytest.raises(SystemExit) as end:
        paper.main(list(words))
    printed = capsys.readouterr()
    return end.value.code, printed.out, printed.err


def spoil(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_what_ships_has_a_reason_for_each_difference(capsys):
    code, text, complaint = judged(capsys, "sulyok-2019")
    assert (code, complaint) == (0, "")
    held = [line.split() for line in text.splitlines() if line.endswith(" held")]
    assert ["table", "2", "none", "480", "useful", "bytes", "437,772,816", "437,772,816", "held"] in held
    assert ["table", "2", "original", "128", "block", "colours", "5", "5", "held"] in held


def test_figures_are_drawn_into_a_folder(capsys, tmp_path):
    """Of the paper that has fewest; the notebooks draw those of all."""
    code, _, complaint = judged(capsys, "giles-2012", "--figures", str(tmp_path))
    assert (code, complaint) == (0, "")
    assert len(list(tmp_path.glob("*.png"))) == 10


@pytest.mark.parametrize("old, new, named", [
    ("table 2,part.,480,reuse_factor,1,3.6,", "table 2,part.,480,reuse_factor,1,3.8,", "table 2, part., reuse: differs"),
    ("table 4,none,320,block_colours,1,4,", "table 4,none,320,block_colours,1,9,", "table 4, none, block colours: differs")])
def test_another_published_value_is_a_difference_without_a_reason(capsys, papers, old, new, named):
    spoil(papers / "sulyok-2019/published.csv", old, new)
    code, _, complaint = judged(capsys, "sulyok-2019", "--papers", str(papers))
    assert code == 1 and complaint.startswith(named) and complaint.count("\n") == 1


def test_a_lost_reason_and_a_lost_run_are_named(capsys, papers):
    because = papers / "sulyok-2019/because.csv"
    because.write_text("".join(line for line in because.open() if not line.startswith("table 3,part.,thread")))
    runs = open_lab(papers / "sulyok-2019/lab").runs()
    lost = runs[(runs.application == "lulesh") & runs.partitioner.str.startswith("metis") &
                (runs.layouts == "soa,nodes=aos")]
    for run in lost.index:
        (papers / f"sulyok-2019/lab/runs/{run}.hdf").unlink()
    code, _, complaint = judged(capsys, "sulyok-2019", "--papers", str(papers))
    assert code == 1
    assert [line.partition(",  ")[0].partition(" and")[0] for line in complaint.splitlines()] == [
        "table 3, part., thread colours: differs,", "table 4, part. AoS, lines a block: not made,"]


def test_tolerances_are_shares_or_numbers():
    assert paper_tables.within(3.43, 3.6, "5%") and not paper_tables.within(3.41, 3.6, "5%")
    assert paper_tables.within(6, 8, "2") and not paper_tables.within(5, 8, "2") and not paper_tables.within(1.0001e9, 1e9, "0")


def test_an_unknown_paper_is_told_which_there_are(capsys):
    code, _, complaint = judged(capsys, "sulyok")
    assert code == 3 and "there are fun3d-2021, giles-2012, langguth-2014, sulyok-2019" in complaint
    code, _, complaint = judged(capsys, "loop-splitting")
    assert code == 3 and "no tables and figures to redraw" in complaint and "papers/loop_splitting.py" in complaint


def test_every_series_is_published_and_every_reason_belongs_to_a_value():
    for folder in (path.parent for path in PAPERS.glob("*/published.csv")):
        tables = paper_tables.open_paper(folder.name)
        values = set(tables.published[paper_tables.VALUE].itertuples(index=False, name=None))
        assert not tables.published.duplicated([*paper_tables.VALUE, "x"]).any()
        for item, series, quantity in tables.because[paper_tables.VALUE].itertuples(index=False, name=None):
            assert any(item == value[0] and series in (value[1], "*") and quantity in (value[2], "*") for value in values)
        series = tables.series[["item", "series", "x"]].itertuples(index=False, name=None)
        assert len(tables.values) == 0 or not tables.values.duplicated([*paper_tables.VALUE, "x"]).any()
        assert set(series) == set(tables.published[["item", "series", "x"]].itertuples(index=False, name=None))


def small_runs(tess_bin, lab, name):
    """The runs of the subset `small` of a recipe, of which each point has passed."""
    done = subprocess.run([tess_bin, "sweep", "recipe.yaml", "--subset", "small", "--strict", "--quiet", "--lab", lab],
                          cwd=PAPERS / name, capture_output=True, text=True, **limited(60))  # fmt: skip
    assert done.returncode == 0, done.stderr
    return open_lab(lab).runs()


def test_today_s_program_makes_the_small_rows(tess_bin, tmp_path):
    tables = paper_tables.open_paper("sulyok-2019")
    tables.series["mesh"] = tables.series.stand_in  # also where the lab that ships has the paper's
    made = paper_tables.beside(tables, small_runs(tess_bin, tmp_path / "lab", "sulyok-2019"))
    shipped = paper_tables.beside(tables, open_lab(tables.folder / "lab").runs())
    made = made[made.verdict != paper_tables.MISSING]
    assert len(made) == 46
    assert made.ours.tolist() == shipped.ours[made.index].tolist(), "stale: make the subset small again"


@functools.cache
def page_of_items():
    return paper_page.items_page(PAPERS, True)


def items():
    """The rows of the table of all items."""
    return [line.strip("| ").split(" | ") for line in page_of_items().splitlines()[4:]]


def test_all_tables_and_figures_are_redrawn_or_say_why_not(capsys):
    rows = items()
    assert len(rows) == 42 == len({(row[0], row[1]) for row in rows})
    for _, item, _, state, held, *by, because in rows:
        assert state in paper_page.STATES and (held == "none is published" or " of " in held), item
        assert (state == paper_page.REDRAWN) or because, f"{item} says nothing of why"
    assert not [row[1] for row in rows if row[3] == paper_page.NOT_REDRAWN]
    page = (ROOT / "docs/papers.md").read_text()
    for name in ("", *sorted(path.parent.name for path in PAPERS.glob("*/published.csv"))):
        text = page_of_items() if not name else paper_page.page(paper_tables.open_paper(name), beside_of(name), True)
        assert text in page, f"docs/papers.md is stale: python3 -m tesselab.paper {name} --into docs/papers.md"


def test_numbers_of_the_summary_are_those_of_the_tables():
    """What docs/papers.md says in short."""
    page = " ".join((ROOT / "docs/papers.md").read_text().split())
    table = beside_of("sulyok-2019")
    structure = table[table["item"].str.fullmatch(r"table \d|section 3.1.3")]
    moved = table[table.quantity.isin(["dram_read_bytes", "dram_write_bytes"])]
    fun3d = beside_of("fun3d-2021")
    times = fun3d[fun3d.quantity == "median_time"]
    jacobian = times[times["item"] == "table VI, tets"].set_index("series").ours
    for values, words in ((structure, "the structure, {} of {} values"), (moved, "{} of {} counts of bytes read"),
                          (times, "the order of {} of {} times")):
        assert words.format((values.verdict == paper_tables.HELD).sum(), len(values)) in page
    assert f"up to {jacobian['by edges Global'] / jacobian['by nodes Smem Trans.']:.1f} times for 4.9" in page
    runs = shipped("langguth-2014")[1]
    of_16 = runs[(runs.device == "host:threads=16") & runs.mesh.str.startswith("random_blocks:b=")]
    gain = of_16.pivot_table(index="mesh", columns="strategy", values="gflops")
    gain = gain["openmp:copies=private"] / gain["openmp"]
    assert f"{gain.min():.2f} to {gain.max():.2f} times as fast as on common ones" in page
    threads = beside_of("langguth-2014").query("item == 'figure 13'").set_index("series").ours
    assert f"Eight threads are {threads['8 threads'] / threads['4 threads']:.1f} times as fast as four" in page


@functools.cache
def shipped(name):
    """A paper's tables and the runs that ship, which no test changes."""
    tables = paper_tables.open_paper(name)
    return tables, tables.runs()


@functools.cache
def beside_of(name):
    return paper_tables.beside(*shipped(name))


def test_an_item_is_a_table_as_its_paper_has_it():
    """A column a series, a row a quantity; what differs is bold and has a reason, an x of its own stands in its column."""
    common = {"tolerance": "order", "unit": "1", "stand_in": False, "because": ""}
    values = pandas.DataFrame([
        {"series": "none", "x": "480", "quantity": "median_time", "published": 0.002, "ours": 0.001, "verdict": "held", **common},
        {"series": "part.", "x": "480", "quantity": "median_time", "published": 0.001, "ours": 0.003, "verdict": "differs",
         **common, "because": "barriers"},
        {"series": "original", "x": "128", "quantity": "median_time", "published": 1.5, "ours": float("nan"), "verdict": "not made",
         **common, "because": "no mesh"},
        {"series": "none", "x": "480", "quantity": "reuse_factor", "published": 2, "ours": 1.99, "verdict": "held", **common,
         "stand_in": True}])
    assert paper_page.item_section("table 9: a loop", values).splitlines() == [
        "### Table 9: a loop, at 480", "", "|  | none | part. | original, at 128 |", "|---|---|---|---|",
        "| ms | 1 (2) | **3** (1) [1] | **–** (1,500) [2] |", r"| reuse | 1.99\* (2) |  |  |", "", "1. barriers", "2. no mesh"]
    swept = values[:2].assign(series="none", x=["480", "best"])
    assert paper_page.item_section("figure 1", swept).splitlines()[2:6] == [
        "|  | none |", "|---|---|", "| ms, at 480 | 1 (2) |", "| ms, at its best | **3** (1) [1] |"]


def test_values_of_figures_are_of_the_lines_that_are_drawn():
    """A published value that bears the name of a line or bar stands beside a run of that name."""
    tables, runs = shipped("sulyok-2019")
    of = dict(list(tables.series.groupby(paper_tables.SERIES, sort=False)))
    values = tables.published[tables.published["item"].str.startswith("figure") & ~tables.published.series.isin(
        ["original", "the best brick"])]
    choice = paper_tables.Choice(runs)
    for value in values.itertuples():
        (_, way), = of[value.item, value.series, value.x].iterrows()
        assert paper_tables.run_of(way, choice, way.mesh, value.quantity).series == value.series, (value.item, value.series)
    assert len(values) > 25


def test_a_time_step_stands_for_no_loop():
    tables, runs = shipped("sulyok-2019")
    steps = runs.median_time[runs.loop == "step"].dropna()
    table = beside_of("sulyok-2019")
    times = table[table.quantity == "median_time"]
    assert len(steps) >= 8 and len(times) > 30 and not set(steps) & set(times.ours)


def test_the_sample_beside_counters_is_no_time():
    tables, runs = shipped("sulyok-2019")
    counted = runs[runs.dram_read_bytes.notna() & (runs.application == "volna")].copy()
    counted.index = counted.index + "again"
    spoilt = pandas.concat([runs, counted.assign(median_time=1.0, useful_fraction=1e-9)])
    table, wanted = paper_tables.beside(tables, spoilt), beside_of("sulyok-2019")
    for item in ("table 3 on a GPU", "figure 11"):
        assert table[table["item"] == item].ours.tolist() == wanted[wanted["item"] == item].ours.tolist()
    drawn = [paper_figures.draw_item(tables, which, wanted, "figure 11").axes[0].lines for which in (spoilt, runs)]
    assert [list(line.get_ydata()) for line in drawn[0]] == [list(line.get_ydata()) for line in drawn[1]]
    marks = [line.get_xdata()[0] for line in drawn[1] if line.get_marker() == "D"]
    assert len(set(marks)) == 2 and min(marks) == 448  # two of the four would lie on one another
    matplotlib.pyplot.close("all")


def test_a_run_is_named_as_the_papers_do():
    run = pandas.Series({"strategy": "block-colour:loads=single:sums=cleared", "partitioner": "file-order", "layouts": "soa"})
    assert paper_tables.series_name(run) == "none"
    assert paper_tables.series_name(run.replace({"soa": "soa,nodes=aos", "file-order": "gps"})) == "GPS AoS"
    assert paper_tables.series_name(pandas.concat([run.replace({"file-order": "gps"}), pandas.Series({"application": "volna"})])) == "none"
    fewer = run.replace({run.strategy: f"{run.strategy}:registers=96"})
    assert paper_tables.series_name(fewer) == "none, 96 registers"  # no part of the curve of none
    host = pandas.Series({"strategy": "openmp:copies=private", "device": "host:threads=1", "partitioner": "file-order", "layouts": "soa"})
    assert paper_tables.series_name(host) == "1 thread"
    assert paper_tables.series_name(host.replace({host.strategy: "openmp", host.device: "host:threads=16"})) == "16 threads, common arrays"


def test_an_item_without_runs_is_not_redrawn(papers):
    (papers / "langguth-2014/structure.csv.xz").unlink()
    tables = paper_tables.open_paper("langguth-2014", papers)
    runs = tables.runs()
    table = paper_tables.beside(tables, runs)
    assert paper_page.item_state(["figure 8"], tables, runs, table) == (paper_page.NOT_REDRAWN, "none is published")
    assert paper_page.item_state(["figure 6"], tables, runs, table) == (paper_page.REDRAWN, "2 of 2")


def test_what_needs_a_gpu_is_left_out():
    kept = {name: paper_again.without_gpu(paper_tables.open_paper(name)) for name in ("giles-2012", "langguth-2014", "sulyok-2019")}
    assert set(kept["giles-2012"].published["item"]) == {
        "plan of res_calc", "bytes of a kernel, single precision", "bytes of a kernel, double precision"}
    assert set(kept["langguth-2014"].published["item"]) == {"table 2", "figure 16", "figure 17"}
    assert set(kept["langguth-2014"].figures["item"]) == {f"figure {n}" for n in (8, 9, 10, 11, 12, 16, 17)}
    assert set(kept["sulyok-2019"].figures["item"]) == {"figure 20", "figure 21"}
    assert set(kept["sulyok-2019"].published["item"]) == {"table 2", "table 3", "table 4", "table 5", "section 3.1.3"}


def test_the_model_is_asked_again(tess_bin, tmp_path, monkeypatch, papers):
    monkeypatch.setenv("PATH", str(tess_bin.parent), prepend=":")
    spoil(papers / "langguth-2014/values.csv", "table 2,L2,32000,gflops,1.342153", "table 2,L2,32000,gflops,9")
    (papers / "langguth-2014/recipe.yaml").write_text(
        "sweep: none\nsubsets: {structure: {}}\ngroups: [{mesh: quads, map: edges:cells, partitioner: file-order}]\n")
    values = paper_again.make_again(paper_tables.open_paper("langguth-2014", papers), tmp_path / "labs/langguth-2014")
    assert len(values) == 20 and values.set_index(["series", "x"]).value["L2", "32000"] == pytest.approx(1.342153, abs=1e-6)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LabError, match="no tess in PATH"):
        paper_again.make_again(paper_tables.open_paper("langguth-2014", papers), tmp_path / "labs/langguth-2014")


NUMBERS_OF_REASONS = {  # of the commands of docs/papers.md, by application: the paper, and what of a lab's runs its reasons say
    "miniaero": ("sulyok-2019", lambda runs: [f"{runs.registers[0]:.0f} registers in blocks of 384",
                                              f"{runs.spilled_bytes[0]:.0f} bytes a thread spill"]),
    "fv": ("langguth-2014", lambda runs: [f"{runs.l2_reads_per_element[0]:.2f} where the cache has lines of 128 bytes"]),
    "airfoil": ("giles-2012", lambda runs: [f"{runs.transfer_used_op2[0] / 2**20:.1f} MB, "
                                            f"and {runs.transfer_total_op2[0] / 2**20:.1f} of lines"]),
    "fun3d": ("fun3d-2021", lambda runs: [f"{runs.atomic_sectors[0]:,.0f} of a small mesh",
                                          f"aggregation {runs.atomic_sectors[1]:,.0f}"])}


@pytest.mark.parametrize("application", NUMBERS_OF_REASONS)
def test_commands_of_reasons_give_their_numbers(tess_bin, tmp_path, application):
    page = (ROOT / "docs/papers.md").read_text().replace("\\\n", " ")
    command, = re.findall(rf"^    tess (run {application} .*?) *#", page, re.MULTILINE)
    done = subprocess.run([tess_bin, *command.split(), "--lab", tmp_path / "lab"], capture_output=True, text=True, **limited(60))
    if "NVRTC (libnvrtc.so) is not on this machine" in done.stderr:
        pytest.skip("NVRTC is not on this machine")
    assert done.returncode == 0, done.stderr
    name, told = NUMBERS_OF_REASONS[application]
    reasons = " ".join(paper_tables.open_paper(name).because.because)
    for words in told(open_lab(tmp_path / "lab").runs()):
        assert words in reasons, f"a reason of {name} is stale: now {words}"


def test_numbers_of_reasons_are_of_the_runs_that_ship():
    """Bytes that a GPU's counters say, in the words of because.csv."""
    tables, table = shipped("sulyok-2019")[0], beside_of("sulyok-2019").set_index(["item", "series", "quantity"]).ours
    moved = {n: 1e-6 * (table[f"table {n} on a GPU", :, "dram_read_bytes"] + table[f"table {n} on a GPU", :, "dram_write_bytes"]) for n in range(2, 6)}
    read = 1e-6 * table["table 2 on a GPU", :, "dram_read_bytes"]
    written = 1e-6 * table["table 5 on a GPU", :, "dram_write_bytes"].drop("original, atomics")
    blocks, coloured = moved[4].drop("original, two-step"), moved[5].drop("original, atomics")
    reasons = " ".join(tables.because.because)
    for words in (f"none AoS {moved[2]['none AoS']:.0f} MB", f"global GPS {moved[2]['global GPS']:,.0f} for",
                  f"METIS saves {read['none'] - read['part.']:.0f} of {read['none']:.0f} MB",
                  f"as many bytes ({moved[3]['part. AoS']:.0f} MB for {moved[3]['part.']:.0f})",
                  f"move {blocks.min():,.0f} to {blocks.max():,.0f} MB", f"moves {moved[4]['original, two-step']:,.0f} MB",
                  f"atomics move {moved[5]['original, atomics']:,.0f} MB", f"move {coloured.min():,.0f} to {coloured.max():,.0f} MB",
                  f"{written.min():.0f} to {written.max():.0f} MB reach memory"):
        assert words in reasons, f"a reason is stale: now {words}"


def test_shares_of_reasons_are_of_the_runs_that_ship():
    """Times, and what of them warps wait or a GPU moves bytes, in the words of because.csv."""
    tables, runs = shipped("sulyok-2019")
    table = beside_of("sulyok-2019").set_index(["item", "quantity", "series"]).ours.sort_index()
    ms, occupancy, barriers, data = ([1e3 * table[f"table {n} on a GPU", quantity] if quantity == "median_time" else
                                      table[f"table {n} on a GPU", quantity] for n in range(2, 6)]
                                     for quantity in ("median_time", "occupancy_achieved", "stall_sync", "stall_data"))
    blocks = barriers[0].drop("original")
    moved = table["table 4 on a GPU", "dram_read_bytes"] + table["table 4 on a GPU", "dram_write_bytes"]
    share = 100 * moved / 4.2e9 / ms[2]
    work = (table["table 5 on a GPU", "flop_efficiency"] * ms[3]).dropna()
    fewer = runs[runs.strategy.astype(str).str.endswith(":registers=96") & (runs.layouts == "soa")].median_time.iloc[-1]
    reasons = " ".join(tables.because.because)
    for words in (f"two-step strategy moves {1e-6 * moved['original, two-step']:,.0f} MB at {share['original, two-step']:.0f} %",
                  f"move {1e-6 * moved['none']:,.0f} at {share['none']:.0f} %, by {occupancy[2]['none']:.2f}",
                  f"{occupancy[1]['none AoS']:.2f}, {occupancy[1]['none']:.2f} and {occupancy[1]['original']:.2f} are reached",
                  f"from {occupancy[1]['part.']:.2f} to {occupancy[1]['part. AoS']:.2f}, and moves",
                  f"wait {blocks.min():.2f} to {blocks.max():.2f} at barriers, in SoA most",
                  f"{100 * barriers[0]['part.']:.0f} % of the time for {100 * barriers[0]['none']:.0f}",
                  f"{barriers[1]['original']:.2f} of the time at barriers and {data[1]['original']:.2f} for data",
                  f"{data[3]['GPS AoS']:.2f} and {data[3]['part. AoS']:.2f} beside {data[3]['GPS']:.2f} and {data[3]['part.']:.2f}",
                  f"efficiency times milliseconds is {work.min():.3f} to {work.max():.3f} in all five",
                  f"none takes {1e3 * fewer:.3f} ms for {ms[2]['none']:.3f}", f"as fast ({ms[0]['original']:.3f} beside",
                  f"lose {100 * (ms[3]['part. AoS'] / ms[3]['GPS AoS'] - 1):.0f} % to GPS in AoS",
                  f"takes {ms[2]['original, two-step']:.3f} ms by the two-step strategy"):
        assert words in reasons, f"a reason is stale: now {words}"


def test_numbers_of_marches_and_of_larger_meshes_are_of_the_runs_that_ship():
    """What because.csv says of loops of whole applications, and of a loop on a larger mesh."""
    tables, marches = shipped("sulyok-2019")
    marches = marches[(marches.loop == "step") & (marches.strategy == "block-colour") & marches["loop_count/save_soln"].notna()]
    call = {name: marches[f"loop_seconds/{name}"] / marches[f"loop_count/{name}"] for name in ("res_calc", "adt_calc")}
    (before, after), (plain, cut) = (1e3 * call[name].set_axis(marches.partitioner)[["file-order", "mosaic"]] for name in call)
    giles, runs = shipped("giles-2012")
    alone = runs[(runs.loop == "save_soln") & (runs.device == "cuda") & runs.commit.str.startswith("adac836")]
    size = alone.groupby("mesh").useful_bytes.max()
    rates = 1e-12 * alone.set_index(["mesh", "precision"]).bandwidth
    small, large = (rates[mesh] for mesh in ("airfoil", "airfoil:i=1600:j=2400"))
    once, = {reason for reason in giles.because.because if "save_soln" in reason}  # of two items
    reasons = " ".join([*tables.because.because, once])
    for words in (f"res_calc {before / after:.2f} times as fast ({before:.3f} to {after:.3f} ms a call",
                  f"takes {cut / plain:.2f} times as long",
                  f"alone it reaches {small['float']:.2f} and {small['double']:.2f} TB/s, and {large['float']:.2f} and "
                  f"{large['double']:.2f} on {size['airfoil:i=1600:j=2400'] / size['airfoil']:.0f} times as many cells"):
        assert words in reasons, f"a reason is stale: now {words}"


@pytest.mark.parametrize("name", ["fun3d-2021", "giles-2012", "langguth-2014"])
def test_today_s_program_makes_one_row_of_each(tess_bin, tmp_path, name):
    """The first run of a recipe's subset small beside what ships of the same run: every metric is equal."""
    made = small_runs(tess_bin, tmp_path / "lab", name).iloc[0]
    tables = paper_tables.open_paper(name)
    shipped = tables.runs()
    for column in ("mesh", "loop", "precision", "partitioner", "strategy", "device", "block_size"):
        if column in made:
            shipped = shipped[shipped[column] == made[column]]
    assert len(shipped) == 1
    metrics = ["reuse_factor", "blocks", "fill", "l2_read_sectors", "l2_write_sectors", "read_sectors", "dram_read_bytes",
               "thread_colours_mean",
               "block_colours", "transfer_used_op2", "transfer_total_op2", "shared_bytes_plan_max"]  # fmt: skip
    compared = [metric for metric in metrics if metric in made and pandas.notna(made[metric])]
    assert len(compared) >= 7
    for metric in compared:
        assert made[metric] == pytest.approx(shipped.iloc[0][metric], rel=1e-8), f"{metric} is stale: run structure again"


@pytest.mark.parametrize("name, subset, file", [("giles-2012", "gpu_row", "runs"), ("langguth-2014", "gpu_row", "runs"),
                                                ("sulyok-2019", "gpu_row", "runs"), ("sulyok-2019", "structure_row", "structure")])
def test_rows_that_ship_have_the_plans_of_today(name, subset, file, tess_bin, tmp_path):
    """The subset of a recipe, without a GPU, beside the plans of the rows that ship; of runs.csv.xz a GPU ran them."""
    done = subprocess.run([tess_bin, "sweep", PAPERS / name / "recipe.yaml", "--subset", subset, "--lab", tmp_path],
                          capture_output=True, text=True, **limited(60))  # fmt: skip
    assert done.returncode == 0, done.stderr
    shipped = open_table(PAPERS / name / f"{file}.csv.xz").runs()
    for _, made in open_lab(tmp_path).runs().iterrows():
        rows = shipped
        for column in ("mesh", "loop", "precision", "partitioner", "colouring", "layouts", "block_size"):
            rows = rows[rows[column] == made[column]]
        rows = rows[(rows.outcome == "passed") & ~rows.strategy.str.startswith("global-colour")]  # these have a plan of their own
        assert len(rows) > 0
        compared = 0
        for column in ("blocks", "reuse_factor", "reuse_factor_all", "fill", "transfer_used", "transfer_total", "sectors_per_block",
                       "useful_bytes", "block_colours", "thread_colours_mean"):
            kept = rows[column].dropna().unique() if column in rows and column in made else []
            compared += len(kept)
            assert len(kept) <= 1 and all(made[column] == pytest.approx(value) for value in kept), f"{column} is stale"
        assert compared >= 4


@pytest.mark.parametrize("subset, points", [("sweeps", 396), ("variants", 43), ("counters", 32)])
def test_one_call_made_all_points_of(subset, points, tess_bin, tmp_path):
    """The runs that ship of what a GPU makes: each point once, by one program, within ten minutes."""
    listed = subprocess.run([tess_bin, "sweep", PAPERS / "sulyok-2019/recipe.yaml", "--subset", subset, "--dry-run", "--lab",
                             tmp_path], capture_output=True, text=True, check=True, **limited(60)).stdout.splitlines()
    names = ["mesh", "partitioner", "renumber", "block-size", "order", "colouring", "layout", "strategy"]
    said = [dict(re.findall(r" --([a-z-]+)=(\S+)", line)) | {"application": line.split()[3]} for line in listed]
    default = {"layout": "soa", "order": "element"}  # which a dry run leaves out
    asked = [(one["application"], *((default | one)[name] for name in names)) for one in said]
    runs = open_table(PAPERS / "sulyok-2019/runs.csv.xz").runs()
    runs = runs[(runs.device == "cuda") & (runs.loop != "step") & (runs.dram_read_bytes.notna() == (subset == "counters"))]
    columns = ["application", "mesh", "partitioner", "renumber", "block_size", "thread_order", "colouring", "layouts", "strategy"]
    rows = runs[columns].astype({"block_size": "Int64"}).astype(str).apply(tuple, axis="columns")
    made = runs[rows.isin(asked)]
    assert len(listed) == len(set(asked)) == points and sorted(rows[made.index]) == sorted(asked)
    assert made.commit.nunique() == 1 and made.time.max() - made.time.min() < pandas.Timedelta(minutes=10)


def test_rows_of_fun3d_have_the_blocks_of_today(tess_bin):
    """Tets in the order of the paper's mesh beside the rows of visrhs_tets, which a GPU ran: a plan without a lab takes 6 s."""
    shipped = open_table(PAPERS / "fun3d-2021/runs.csv.xz").runs()
    shipped = shipped[shipped.loop == "visrhs_tets"]
    command = ["partition", shipped.mesh.iloc[0], "--map", "tets:nodes", "-p", "file-order", "-b", "128", "--machine", "none", "--no-lab", "--json"]
    made, = json.loads(subprocess.run([tess_bin, *command], capture_output=True, check=True, **limited(60)).stdout)["runs"]
    assert len(shipped) == 4
    for metric in ("blocks", "reuse_factor", "fill", "thread_colours_mean"):
        assert list(shipped[metric].unique()) == pytest.approx([made[metric]]), f"{metric} is stale"
    more = made["block_colours"] - shipped.block_colours
    assert (more.abs() <= 1).all(), "three searches found 14 colours, the one that is left 15"


def test_bars_and_sweeps_show_what_is_asked():
    """Panels stand in rows no wider than a page; lines have one colour a name, names and published values beside them."""
    tables, runs = shipped("sulyok-2019")
    table = paper_tables.beside(tables, runs)
    uncut = paper_tables.beside(tables, runs[runs.partitioner != "metis"])
    figure = paper_figures.bars(uncut, "table 5 on a GPU")
    assert figure.get_size_inches()[0] <= 13 and len(figure.axes) == 9
    assert [text.get_text() for text in figure.axes[1].texts] == 2 * ["not\nmade"] and len(figure.axes[1].patches) == 3
    sweep = paper_figures.draw_item(tables, runs, table, "figure 8")
    (ax,) = sweep.axes
    drawn = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    assert set(drawn) == {"none", "none AoS", "part.", "part. AoS", "GPS",
                          "GPS AoS"} and len({line.get_color() for line in drawn.values()}) == 6
    assert len(drawn["none"].get_xdata()) == 11 and ax.get_ylim()[1] > 239 / 495
    diamonds = {line.get_ydata()[0]: line.get_color() for line in ax.lines if line.get_marker() == "D"}
    assert sorted(diamonds) == pytest.approx([211 / 495, 215 / 495, 228 / 495, 239 / 495], abs=1e-3)
    assert diamonds[max(diamonds)] == drawn["part."].get_color()
    sweep.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1, "the legend stands over curves"
    assert paper_figures.draw_item(tables, runs[runs.device == "host"], table, "figure 8") is None
    matplotlib.pyplot.close("all")
