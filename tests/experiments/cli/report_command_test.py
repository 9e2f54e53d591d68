"""tess report: one page that needs no network, whose runs are sorted, filtered and clicked in a browser; what a
stranger's lab holds is text in it."""

import html.parser
import itertools
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess

import browser
import pytest
from conftest import ROOT, limited

VIEWER = ROOT / "build/vtkjs"  # as bootstrap installs it
EVIL = "</script><script>window.evil=1</script><img src=x onerror='window.evil=2'>\"'&amp;"
TAG = "<img src=x onerror=window.evil=3>"
needs_browser = pytest.mark.skipif(browser.program() is None, reason="Chromium is not installed")


def test_numbers_of_a_page_have_seven_digits():
    report = pytest.importorskip("tesselab.report")
    numbers = [0.1234567891, 123456789.0, -2.5e-40, 2.62890106e-23, 2.46064853e56, 0.0, float("nan"), float("inf")]
    expected = [None if one != one or abs(one) == float("inf") else float(f"{one:.7g}") for one in numbers]
    assert report.seven_digits(report.np.array(numbers)) == expected
    assert [type(one) for one in report.seven_digits(report.np.array([3.0, 1e9]))] == [int, int]


def environment():
    return dict(os.environ, PYTHONPATH=str(VIEWER), OMP_NUM_THREADS="1")


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    """A lab whose mesh, command, note and tag are markup: by a path of folders named so."""
    folder = tmp_path_factory.mktemp("report")
    mesh = folder / (EVIL + ".su2")
    mesh.parent.mkdir(parents=True)
    shutil.copy(made(tess, folder), mesh)
    tess("partition", mesh, "--map", "edges:cells", "-b", "32,64", "-p", "file-order,rcb,mosaic", "--view", cwd=folder)
    tess("partition", "hexes:nx=6:ny=5:nz=4", "--map", "faces:cells", "-b", "32", "-p", "rcb", "--view", cwd=folder)
    tess("run", "airfoil", "--mesh", "airfoil:i=20:j=30", "-d", "host", "-s", "sequential,openmp", "-p", "rcb", "--samples", "9", "--view",
         cwd=folder, env=environment())
    tess("note", "@last", EVIL, cwd=folder)
    last = max((folder / "lab/runs").glob("*.hdf")).stem
    (folder / "lab/notes" / last / f"tag.{TAG}").touch()
    return folder / "lab"


def made(tess, folder):
    tess("mesh", "convert", "quads:nx=12:ny=9", folder / "plain.su2")
    return folder / "plain.su2"


@pytest.fixture(scope="module")
def page(tess, lab):
    file = lab.parent / "lab.html"
    done = tess("report", "--lab", lab, "-o", file, env=environment())
    assert done.stdout == f"{file}\n"
    assert ("trame-vtk" in done.stderr) == (not VIEWER.exists())
    return file


def test_quiet_says_nothing_but_what_is_wrong(tess, lab, tmp_path):
    """What is not installed is no error; a run that cannot be read is told once."""
    shutil.copytree(lab, tmp_path / "lab", ignore=shutil.ignore_patterns("index.hdf"))
    words = ("report", "--lab", tmp_path / "lab", "-o", tmp_path / "page.html", "--quiet")
    bare = {**os.environ, "PYTHONPATH": "", "PYTHONWARNINGS": "error"}
    assert tess(*words, env=bare).stderr == ""
    damaged = min((tmp_path / "lab/runs").iterdir())
    damaged.chmod(0o600)
    damaged.write_bytes(b"damaged")
    (tmp_path / "lab/index.hdf").unlink()
    assert [damaged.name in line for line in tess(*words, env=bare).stderr.splitlines()] == [True]


def attributes_of(words):
    """The attributes of all elements of a page."""
    found = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.extend((name, value or "") for name, value in attributes)

    Reader().feed(words)
    return found


def test_the_page_refers_to_nothing_outside(page):
    words = page.read_text()
    attributes = attributes_of(words)
    links = [value for name, value in attributes if name in ("src", "href", "action", "srcset", "data", "xlink:href")]
    assert len(links) > 5 and [link for link in links if not link.startswith(("data:", "#"))] == []
    assert [name for name, _ in attributes if name.startswith("on")] == []
    assert "default-src &#x27;none&#x27;" in words and "unsafe-eval" not in words
    assert re.search(r"script-src (&#x27;sha256-[^&]+&#x27; ?)+;", words)
    assert len(words) < 8e6  # Plotly has 4.8 MB


def test_verdicts_are_those_of_compare(tess, lab):
    report = json.loads(tess("report", "--lab", lab, "--json").stdout)
    timed, *expected = report["verdicts"]
    assert timed["rows"][0]["home"].startswith("tess export -f arrays ") and "home" not in timed["rows"][1]
    home = [shlex.split(one["rows"][0]["home"]) for one in expected]  # a path of markup is one word
    assert [words[4:7] for words in home] == [["OUT", "--map", "edges:cells"], ["OUT", "--map", "faces:cells"]]
    assert home[0][:3] == ["tess", "mesh", "reorder"] and home[0][3].endswith(EVIL + ".su2")
    runs = {run["strategy"]: run for run in json.loads(tess("runs", "--lab", lab, "--json", "-w",
                                                            "application = airfoil").stdout)["runs"]}
    first, second = (runs[row["name"]]["run"] for row in timed["rows"])
    compared = json.loads(tess("compare", first, second, "--lab", lab, "--json").stdout)["comparisons"][0]
    assert {key: timed["rows"][1][key] for key in ("ratio", "low", "high", "p", "verdict")} == pytest.approx(
        {key: compared[key] for key in ("ratio", "low", "high", "p", "verdict")})
    assert timed["rows"][0]["verdict"] == ("fastest" if compared["verdict"] == "slower" else "tie")
    assert [problem["metric"] for problem in expected] == 2 * ["predicted time"] and expected[0]["words"]
    partitioned = json.loads(tess("runs", "--lab", lab, "--json", "-w", "loop = edges:cells").stdout)["runs"]
    times = {f"{run['partitioner']}, block size {run['block_size']}": run["predicted_time"] for run in partitioned}
    *rows, stored = expected[0]["rows"]
    assert [row["name"] for row in rows] == sorted(times, key=times.get) and len(times) == 6
    least = min(times.values())
    for row in rows:
        assert row["median"] == pytest.approx(1e3 * times[row["name"]]) and row["ratio"] == pytest.approx(times[row["name"]] / least)
        assert row["verdict"] == ""  # of a mesh this small
    assert expected[0]["words"].startswith("The mesh is too small for a GPU to care")
    assert stored["name"] == "as stored" and stored["median"] == pytest.approx(
        1e3 * statistics.median(run["stored_time"] for run in partitioned))


def test_traffic_stands_where_no_time_was_predicted(tess, tmp_path):
    """As in labs of earlier versions; it is called traffic, a table for each block size."""
    words = ("partition", "tris:nx=12:ny=9", "--map", "edges:cells", "-b", "32,64", "-p", "file-order,rcb,mosaic", "--machine", "none")
    runs = json.loads(tess(*words, "--json", cwd=tmp_path).stdout)["runs"]
    counted = json.loads(tess("report", "--json", cwd=tmp_path).stdout)["verdicts"]
    assert [problem["title"].split(", ")[2:] for problem in counted] == [[f"block size {size}", "soa", "renumbered: blocks"] for size in (32, 64)]
    for problem, size in zip(counted, (32, 64)):
        assert problem["metric"] == "traffic"
        moved = {run["partitioner"]: run["transfer_total"] for run in runs if run["block_size"] == size}
        least = min(moved.values())
        assert [row["name"] for row in problem["rows"]] == sorted(moved, key=moved.get) and len(moved) == 3
        for row in problem["rows"]:
            assert row["median"] == pytest.approx(1e-6 * moved[row["name"]]) and row["ratio"] == pytest.approx(moved[row["name"]] / least)
        same = [moved[row["name"]] <= 1.01 * least for row in problem["rows"]]
        assert [row["verdict"] for row in problem["rows"]] == (
            ["tie" if same[1] else "best"] + ["same" if one else "worse" for one in same[1:]])


@needs_browser
def test_the_page_in_a_browser(tess, lab, page, tmp_path):
    runs = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    with browser.Page(f"file://{page}") as shown:
        count = "document.querySelector('#count').textContent"
        assert shown.value(count) == f"{len(runs)} of {len(runs)} runs"
        cells = "[...document.querySelectorAll('#rows tr[data-row] td:nth-child({})')].map((cell) => cell.textContent)"
        names = shown.value("[...document.querySelectorAll('#head button')].map((one) => one.dataset.column)")
        reuse, partitioner = names.index("reuse_factor") + 1, names.index("partitioner") + 1
        for down in (False, True):
            shown.click('#head button[data-column="reuse_factor"]')
            found = [float(one) for one in shown.value(cells.format(reuse)) if one]
            wanted = sorted((run["reuse_factor"] for run in runs), reverse=down)
            assert found == pytest.approx(wanted, rel=1e-3)
        shown.type("#filter", "mosaic")
        assert shown.value(count) == f"2 of {len(runs)} runs"
        assert set(shown.value(cells.format(partitioner))) == {"mosaic"}
        shown.type('#head input[data-column="block_size"]', ">=64")
        assert shown.value(count) == f"1 of {len(runs)} runs"
        shown.type("#filter", "")
        shown.value("document.querySelector('#filter').dispatchEvent(new Event('input'))")
        shown.type('#head input[data-column="block_size"]', "1..1000")
        shown.type('#head input[data-column="tags"]', "onerror")
        assert shown.value(count) == f"1 of {len(runs)} runs"
        shown.click("#rows tr[data-row] td", while_pressed="document.querySelector('#table').dispatchEvent(new Event('scroll'));"
                    "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
        detail = shown.value("document.querySelector('#detail').innerText")
        assert EVIL in detail and TAG in detail, "a note and a tag are text"
        shown.picture(tmp_path / "page.png")
        assert shown.value("document.querySelectorAll('svg').length") >= 3
        assert shown.value("[...document.images].every((one) => one.naturalWidth > 300)")
        assert shown.value("window.evil") is None
        assert shown.problems == []
        assert [one for one in shown.asked if not one.startswith(("data:", "blob:", f"file://{page}"[:20]))] == []


FOCUSED = """(() => { const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one);
    return {name: one.id || one.className || one.tagName, seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1
            && box.width > 0 && box.right > 0 && box.bottom > 0 && box.top < innerHeight, row: one.dataset.row,
            words: one.getAttribute("aria-label") || one.textContent}; })()"""


@needs_browser
def test_the_page_by_keyboard(page):
    """A link to the runs comes first; what has the focus is seen; a row opens by Enter and keeps the focus; tables scroll."""
    with browser.Page(f"file://{page}", width=400) as shown:
        shown.press("Tab")
        assert shown.value(FOCUSED)["name"] == "skip" and shown.value(FOCUSED)["seen"]
        shown.press("Enter")
        assert shown.value(FOCUSED)["name"] == "filter"
        met, ended = [], False
        while not ended:
            shown.press("Tab")
            met.append(shown.value(FOCUSED))
            ended = met[-1]["words"] == "Commands" or len(met) > 200
        assert [one for one in met if not one["seen"]] == []
        names = [one["name"] for one in met]
        assert len([one for one in met if one.get("row")]) == 1, "Tab does not go through all rows"
        assert names.count("scroll") >= 5 and "PRE" in names
        shown.value("document.querySelector('.scroll:has(.verdicts)').focus()")
        for _ in range(50):  # a key that comes before the page is drawn scrolls nothing
            shown.press("ArrowRight")
            if shown.value("new Promise((seen) => requestAnimationFrame(() => seen(document.activeElement.scrollLeft)))"):
                break
        assert shown.value("document.activeElement.scrollLeft") > 0
        shown.value("document.querySelector('#rows tr[tabindex=\"0\"]').focus()")
        first = shown.value(FOCUSED)
        for key, place in (("ArrowDown", 1), ("End", -1), ("ArrowDown", -1), ("Home", 0), ("ArrowUp", 0), ("PageDown", -1)):
            shown.press(key)
            assert int(shown.value(FOCUSED)["row"]) == shown.value(f"runs.rows.at({place})"), key
            assert shown.value(FOCUSED)["seen"]
        for key in ("Enter", " "):
            shown.value("document.querySelector('#detail').hidden = true")
            shown.press(key)
            assert not shown.value("document.querySelector('#detail').hidden")
            assert shown.value(FOCUSED)["row"] == str(shown.value("runs.chosen")) != first["row"]
        assert shown.problems == []


@needs_browser
def test_pictures_of_charts_have_the_colours_of_the_page(tess, lab, tmp_path):
    """As they are without Plotly: no white in the dark, side by side where there is room, readable on a telephone."""
    tess("report", "--lab", lab, "-o", tmp_path / "static.html", env=dict(os.environ, PYTHONPATH=""))
    with browser.Page(f"file://{tmp_path / 'static.html'}", width=2560) as shown:
        shown.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        assert shown.value("document.querySelectorAll('.static svg').length") >= 3
        found = shown.value("[...document.querySelectorAll('.static svg *')].flatMap((one) => [getComputedStyle(one).fill, getComputedStyle(one).stroke])")
        light = shown.value("[...document.querySelectorAll('.static svg [id^=patch] path')].map((one) => getComputedStyle(one).fill)")
        assert "rgb(255, 255, 255)" not in found and "rgb(0, 0, 0)" not in found and "rgb(22, 24, 27)" in light
        places = shown.value("[...document.querySelectorAll('.static svg')].map((one) => one.getBoundingClientRect().left)")
        assert len(set(places)) > 2
        shown.ask("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
        shown.value("document.querySelector('main p').append('a_folder_of_views/'.repeat(9))")
        assert shown.value("document.documentElement.scrollWidth") <= 400
        assert min(shown.value("[...document.querySelectorAll('.static svg')].map((one) => one.getBoundingClientRect().width)")) >= 500


@needs_browser
@pytest.mark.skipif(not (VIEWER / "plotly").exists(), reason="Plotly is not installed")
def test_a_point_of_a_chart_names_its_run_and_shows_it(page):
    """On a telephone, too, whose width the page keeps to, and in the dark."""
    with browser.Page(f"file://{page}", width=400) as shown:
        shown.wait("document.querySelectorAll('.chart .point').length > 4")
        assert shown.value("document.documentElement.scrollWidth") <= 400
        run, words = shown.value("(() => { const one = document.querySelector('.chart > div').data[0]; return [one.customdata[0], one.hovertext[0]]; })()")
        assert run[:14] in words and re.search("file-order|rcb|mosaic", words)
        x, y = shown.value("(() => { const one = document.querySelector('.chart .point'); one.scrollIntoView({block: 'center', behavior: 'instant'});"
                           "const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        for across in (3, 0):
            shown.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x + across, y=y)
        shown.wait("document.querySelector('.chart .hoverlayer').textContent.length > 0")
        assert run[:14] in shown.value("document.querySelector('.chart .hoverlayer').textContent")
        shown.click_at(x, y)
        assert shown.value("document.querySelector('#detail strong').textContent") == run
        colour = "getComputedStyle(document.body).backgroundColor"
        assert shown.value(colour) == "rgb(255, 255, 255)"
        shown.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        assert max(map(int, re.findall(r"\d+", shown.value(colour)))) < 40
        assert shown.problems == [] and shown.value("window.evil") is None


@needs_browser
@pytest.mark.skipif(not VIEWER.exists(), reason="vtk.js is not installed")
def test_blocks_in_3d(page, tmp_path):
    """They are drawn, moved apart, turned by the mouse and cut."""
    with browser.Page(f"file://{page}") as shown:
        look_at_blocks(shown, tmp_path)
        click_on_blocks(shown, tmp_path)
        assert shown.problems == [] and shown.value("window.evil") is None


def look_at_blocks(shown, folder):
    shown.click("#start")
    shown.wait("document.querySelector('#stage').dataset.ready === 'yes'")
    shown.value("document.querySelector('#which').selectedIndex = 1;"
                "document.querySelector('#which').dispatchEvent(new Event('change'))")
    shown.wait("stage.data.name.startsWith('hexes')")
    shown.value("document.querySelector('#stage').scrollIntoView({block: 'center', behavior: 'instant'})")
    pictures = [shown.picture(folder / "blocks.png", "#stage")]
    shown.value("document.querySelector('#explode').value = 0.5;"
                "document.querySelector('#explode').dispatchEvent(new Event('input'))")
    pictures.append(shown.picture(folder / "apart.png", "#stage"))
    shown.drag("#stage", 150, 60)
    pictures.append(shown.picture(folder / "turned.png", "#stage"))
    shown.value("document.querySelector('#cut').value = 'x';"
                "document.querySelector('#cut').dispatchEvent(new Event('input'))")
    pictures.append(shown.picture(folder / "cut.png", "#stage"))
    assert len(set(pictures)) == 4
    drawn, of = (int(one.replace(",", "")) for one in re.findall(r"[\d,]+", shown.value("document.querySelector('#shown').textContent")))
    assert 0 < drawn < of


def click_on_blocks(shown, folder):
    """What is clicked is the block that vtk.js has drawn there: it turns dark where the mouse is, and its values are said."""
    left, top, width, height = shown.value("(() => { const box = document.querySelector('#stage canvas').getBoundingClientRect();"
                                           "return [box.x, box.y, box.width, box.height]; })()")  # fmt: skip
    block, found = "document.querySelector('#block')", set()
    shown.value("clickBlock(null)")
    before, hues = stage(shown, folder), {}
    for down, across in itertools.product(range(20, int(height) - 20, 23), range(20, int(width) - 20, 23)):
        patch = before[down - 3:down + 4, across - 3:across + 4].reshape(-1, 3)
        if (patch == patch[0]).all():  # no edge is near: a face of one block, or nothing
            hues.setdefault(tuple(patch[0]), (across, down))
    assert len(hues) > 4
    for hue, (across, down) in list(hues.items())[:7]:
        shown.click_at(left + across, top + down)
        after = stage(shown, folder)[down, across]
        if min(hue) == 1:
            assert shown.value(f"{block}.hidden") and min(after) == 1, "nothing is there"
            continue
        assert max(after) < 0.1 < max(hue)
        words = shown.value(f"{block}.innerText").split("\n")
        number = int(words[0].removeprefix("Block "))
        told = dict(zip(words[1::2], words[2::2]))
        for array in shown.value("stage.data.arrays"):
            if array["name"] != "display_colour":
                assert float(told[array["words"]]) == pytest.approx(array["values"][number], rel=1e-3)
        found.add(number)
        shown.value("clickBlock(null)")
    assert len(found) > 1
    shown.value("clickBlock(2)")
    shown.drag("#stage", 90, 40)
    assert shown.value("stage.clicked") == 2, "a drag is no click"


def stage(shown, folder):
    """The colours that are drawn [row][column], red, green and blue from 0 to 1."""
    image = pytest.importorskip("matplotlib.image")
    shown.value("document.querySelector('#block').style.visibility = 'hidden'")
    shown.picture(folder / "stage.png", "#stage canvas")
    shown.value("document.querySelector('#block').style.visibility = ''")
    return image.imread(folder / "stage.png")[:, :, :3]


@needs_browser
def test_50000_runs_are_a_few_rows_of_the_page(page):
    """Values are made in the page; the last row is there when the table is scrolled to its end."""
    with browser.Page(f"file://{page}") as shown:
        shown.value("""takeRuns({n: 50000, usual: ["run", "value"], notes: {}, columns: [
            {name: "run", unit: "", text: Array.from({length: 50000}, (_, i) => "r" + i), of: Array.from({length: 50000}, (_, i) => i)},
            {name: "value", unit: "s", of: Array.from({length: 50000}, (_, i) => (i * 7919) % 50000)}]})""")
        shown.click('#head button[data-column="value"]') if shown.value("runs.shown.length") > 1 else shown.value(
            "(runs.shown = runs.columns, drawHead(), chooseRows())")
        shown.value("runs.sort = 'value', runs.down = true, sortRows()")
        assert shown.value("document.querySelectorAll('#rows tr').length") < 100
        shown.value("document.querySelector('#table').scrollTop = 1e9")
        shown.wait("[...document.querySelectorAll('#rows tr[data-row]')].pop().textContent === 'r00'")
        shown.value("document.querySelector('#filter').value = 'r4999', chooseRows()")
        assert shown.value("document.querySelector('#count').textContent") == "11 of 50,000 runs"


def test_surfaces_are_the_outer_faces_of_blocks(lab):
    """In 3D they are closed: each edge is one of an even number of a block's triangles. Flat ones of edges tile the mesh
    of 12 x 9 cells but for the quarters of cells beside its 42 edges at the boundary."""
    script = """
import sys, numpy as np
from pathlib import Path
from tesselab.surface import read_surface
for path in sorted(set(Path(sys.argv[1], "views").glob("*.hdf")) - set(Path(sys.argv[1], "views").glob("*.blocks.hdf"))):
    surface = read_surface(path)
    assert (surface.block[surface.triangles] == surface.block[surface.triangles[:, :1]]).all()
    a, b, c = (surface.points[surface.triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    edges = np.sort(np.concatenate([surface.triangles[:, [0, 1]], surface.triangles[:, [1, 2]], surface.triangles[:, [2, 0]]]), axis=1)
    even = (np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0).all()
    box = np.ptp(surface.points, axis=0)
    assert not surface.flat and even or surface.flat and (len(surface.of_block["block_elements"]) > 20 or np.isclose(area, box[0] * box[1] * (1 - 42 / 4 / 108)))
    print(surface.flat)
"""
    done = subprocess.run(["/usr/bin/python3", "-c", script, lab], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(ROOT / "python")), **limited(60))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["False"] + 7 * ["True"]


@pytest.mark.parametrize("words, code, message", [
    (("report", "page.html"), 2, "-o"),
    (("report", "--blocks", "zzzzzz"), 3, "zzzzzz"),
    (("report", "-o", "/nowhere/a.html"), 1, "/nowhere/a.html"),
    (("report", "-w", "block_size = 7"), 3, "no run fits"),
])  # fmt: skip
def test_what_cannot_be_reported_is_said(tess, lab, tmp_path, words, code, message):
    assert message in tess(*words, "--lab", lab, code=code, cwd=tmp_path).stderr


def test_all_notes_of_a_page_that_was_made_are_told(tess, lab, tmp_path, monkeypatch):
    """By a package that writes many notes and no page."""
    (tmp_path / "tesselab").mkdir()
    notes = "".join(f"note {i} of what the page lacks\n" for i in range(400))
    (tmp_path / "tesselab/start.py").write_text(f"import sys\nsys.stderr.write({notes!r})\n")
    monkeypatch.setenv("TESS_PACKAGE", str(tmp_path))
    assert notes in tess("report", "--lab", lab, "-o", tmp_path / "page.html").stderr
