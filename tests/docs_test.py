"""The documents: links lead somewhere, files and sections that are named exist, and tables that a command makes
are those that it makes today."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("bench", "core", "data", "docs", "experiments", "include", "kernels", "notebooks", "packaging", "partitioners", "python", "tests", "viz")
PAGES = sorted(page.relative_to(ROOT) for folder in (".", *FOLDERS)
               for page in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
               if "LICENSES" not in page.parts)  # fmt: skip
COLUMNS = 100
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


def lines_of_prose(page):
    """Number and text of each line that is no table, heading, block of code or mark."""
    lines, block, above = [], False, ""
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            block = not block
        elif not (block or line.lstrip().startswith(("|", "#", "<!--")) or line.startswith("    ") and not above.strip()):
            lines.append((number, line))
        above = "" if line.startswith("    ") and not above.strip() else line
    return lines


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_prose_is_wrapped(page):
    """At 100 columns, but for what cannot be broken."""
    long = [number for number, line in lines_of_prose(page) if len(line) > COLUMNS and " " in line.strip().removeprefix("- ")]
    assert not long, f"{page}: lines of more than {COLUMNS} columns: {long}"


def test_the_changelog_is_short_and_has_one_heading_a_version():
    text = (ROOT / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert len(text.splitlines()) < 120 and len(versions) == len(set(versions))
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        headings = re.findall(r"^### (.*)$", section, re.MULTILINE)
        assert len(headings) == len(set(headings)), f"twice in {section.splitlines()[0]}: {headings}"


def test_one_version_is_named_everywhere():
    version = re.search(r"tesselab VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    for file, words in (("CHANGELOG.md", f"## {version} - "), ("debian/changelog", f"tesselab ({version}-1)"),
                        ("include/tesselab.h", f'/* "{version}"; static. */'), ("python/pyproject.toml", f'version = "{version}"'),
                        ("packaging/conda/recipe.yaml", f"version: {version}"), ("packaging/spack/package.py", f'version("{version}")')):  # fmt: skip
        assert words in (ROOT / file).read_text(), f"{file} names another version than {version}"


# Days on which somebody looked, commits, and what was hoped for: a page of results says what a command gives.
DIARY = re.compile(r"\bin vain\b|\bgoals?\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
                   r"|\b20\d\d-\d\d-\d\d\b|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
TEXT = 10  # lines of text in a row, between tables, commands and headings


@pytest.mark.parametrize("page", [page for page in PAGES if page.match("docs/results/*.md")], ids=str)
def test_results_are_no_diary(page):
    found = [f"{number}: {match[0]}" for number, line in lines_of_prose(page) for match in DIARY.finditer(line)]
    assert not found, f"{page}: {found}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.match("docs/results/*.md")], ids=str)
def test_results_are_tables_with_few_lines_of_text(page):
    """Ten lines in a row at most: lists count, empty lines do not."""
    run, last = 0, 0
    for number, line in lines_of_prose(page):
        run = run + bool(line.strip()) if number == last + 1 else bool(line.strip())
        last = number
        assert run <= TEXT, f"{page}:{number}: more than {TEXT} lines of text without a table or a command"


def test_the_table_of_metrics_is_todays(tess, monkeypatch):
    """What Python and the page know of metrics is what the program says."""
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    quantities = pytest.importorskip("tesselab.quantities")
    known = [one for one in quantities.QUANTITIES.values() if one.metric]
    assert [one.name for one in known] == [one["name"] for one in json.loads(tess("list", "metrics", "--json").stdout)["metrics"]]
    for one in known:
        said = json.loads(tess("explain", one.name, "--json").stdout)
        assert {key: getattr(one, key) for key in said if key != "schema"} == {key: said[key] for key in said if key != "schema"}
    table = pytest.importorskip("tesselab.metric_table").metric_table()
    assert table in (ROOT / "docs/concepts.md").read_text(), (
        "docs/concepts.md lags behind: PYTHONPATH=python python3 -m tesselab.metric_table --into docs/concepts.md")  # fmt: skip


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
