"""The documents: links lead somewhere, files and sections that are named exist, and tables that a command makes
are those that it makes today."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("bench", "core", "data", "docs", "experiments", "include", "kernels", "notebooks", "packaging", "partitioners", "tests", "viz")
PAGES = sorted(page.relative_to(ROOT) for folder in (".", *FOLDERS)
               for page in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
               if "LICENSES" not in page.parts)  # fmt: skip
SOURCES = (".c", ".h", ".cu", ".cxx", ".py", ".sh", ".cmake", ".yaml")


def prose_of(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)


def headings_of(page):
    return re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)


def exists(name):
    """A file or folder, a file without its ending, or a test by its name in ctest: data/writer."""
    folder, _, last = name.rstrip("/").rpartition("/")
    return ((ROOT / name).exists() or any(ROOT.glob(f"{name}.*"))
            or any((ROOT / "tests").glob(f"{folder}/**/{last}_test.c")))  # fmt: skip


def anchor_of(heading):
    """As GitHub makes it: letters, digits and hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        path, _, anchor = link.partition("#")
        if "://" in path:
            continue
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists():
            lost.append(link)
        elif anchor and anchor not in map(anchor_of, headings_of(target)):
            lost.append(link)
    assert not lost, f"{page}: links to nowhere: {lost}"


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_files_that_are_named_exist(page):
    """What stands in backticks and begins with a folder of the repository; NAME and the like stand for any."""
    named = re.findall(r"`([\w.\-]+(?:/[\w.\-]+)*/?)`", prose_of(page))
    lost = [name for name in named
            if "/" in name and name.split("/")[0] in FOLDERS and not re.search(r"(^|/)[A-Z]+(\.|_|/|$)", name)
            and not exists(name)]  # fmt: skip
    assert not lost, f"{page}: no such files: {lost}"


def test_sources_cite_sections_that_exist():
    """`docs/PAGE.md, Section` in a source: a page of the repository and one of its headings."""
    lost = []
    for folder in FOLDERS:
        for source in (ROOT / folder).rglob("*"):
            if source.suffix not in SOURCES or source == pathlib.Path(__file__):
                continue
            for name, section in re.findall(r"(docs/[\w\-]+\.md)(?:, ([A-Z][\w -]*))?", source.read_text()):
                page = ROOT / name
                if not page.exists() or section and not any(map(section.startswith, headings_of(page))):
                    lost.append(f"{source.relative_to(ROOT)}: {name}, {section}")
    assert not lost, "sources cite what is not there:\n" + "\n".join(lost)


def test_the_table_of_metrics_is_todays(tess, monkeypatch):
    """What Python and the page know of metrics is what the program says."""
    monkeypatch.syspath_prepend(str(ROOT / "notebooks"))
    quantities = pytest.importorskip("tesselab.quantities")
    known = [one for one in quantities.QUANTITIES.values() if one.metric]
    assert [one.name for one in known] == [one["name"] for one in json.loads(tess("list", "metrics", "--json").stdout)["metrics"]]
    for one in known:
        said = json.loads(tess("explain", one.name, "--json").stdout)
        assert {key: getattr(one, key) for key in said if key != "schema"} == {key: said[key] for key in said if key != "schema"}
    table = pytest.importorskip("tesselab.metric_table").metric_table()
    assert table in (ROOT / "docs/concepts.md").read_text(), (
        "docs/concepts.md lags behind: PYTHONPATH=notebooks python3 -m tesselab.metric_table --into docs/concepts.md")  # fmt: skip


def test_excerpts_of_how_a_loop_runs_are_of_the_page(tess, tmp_path):
    """Each block of C has lines of the kept page, in their order."""
    tess("run", "airfoil", "--mesh", "quads:nx=60:ny=40", "--strategy", "halo-atomics", "--keep-text", tmp_path,
         "--no-lab")  # fmt: skip
    (page,) = tmp_path.iterdir()
    blocks = re.findall(r"^```c\n(.*?)^```", (ROOT / "docs/how-a-loop-runs.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 8
    for block in blocks:
        lines = iter([line.strip() for line in page.read_text().splitlines()])
        lost = [line for line in block.splitlines() if line.strip() not in lines]
        assert not lost, f"not in today's page, or not in this order: {lost}"
