"""The site of the documents: every page is there, every link and anchor leads somewhere, nothing comes from elsewhere."""

import html.parser
import subprocess
import sys
import urllib.parse

import pytest
from conftest import ROOT

pytest.importorskip("mkdocs")


class Page(html.parser.HTMLParser):
    """The links of a page, what it loads, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.n_lists = [], [], set(), 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        self.n_lists += tag == "li"
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("img", "script", "link"):
            self.loaded += [values[key] for key in ("src", "href") if values.get(key)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, ROOT / "docs/make_site.py", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.relative_to(folder): Page(path) for path in folder.rglob("*.html")}, folder


def test_every_page_is_there(site):
    pages, folder = site
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, text=True, capture_output=True, check=True).stdout
    for page in listed.split():
        if "LICENSES" not in page:
            made = page.replace("README.md", "index.md").replace(".md", ".html")
            assert (folder / made).exists(), page


def test_links_and_anchors_lead_somewhere(site):
    pages, folder = site
    lost, n_anchors = [], 0
    for name, page in pages.items():
        for link in page.links + page.loaded:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or name.name in ("404.html", "search.html"):  # whose links begin at the server's root
                continue
            target = (folder / name).parent / urllib.parse.unquote(parts.path) if parts.path else folder / name
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                lost.append(f"{name}: {link}")
            elif parts.fragment and target.suffix == ".html":
                n_anchors += 1
                other = pages[target.resolve().relative_to(folder.resolve())]
                if parts.fragment not in other.anchors and parts.fragment:
                    lost.append(f"{name}: {link}")
    assert not lost and n_anchors > 100


def test_nothing_is_loaded_from_elsewhere(site):
    pages, _ = site
    assert not [link for page in pages.values() for link in page.loaded if urllib.parse.urlsplit(link).netloc]


def test_lists_are_lists(site):
    """Where a list follows its paragraph at once, as GitHub's Markdown lets it."""
    pages, folder = site
    for name in ("CONTRIBUTING", "CHANGELOG", "docs/concepts"):
        n_items = sum(line.startswith(("- ", "1. ")) for line in (ROOT / f"{name}.md").read_text().splitlines())
        found = next(page for path, page in pages.items() if str(path) == f"{name}.html")
        assert found.n_lists >= n_items


def test_a_lost_link_fails(tmp_path):
    """On a copy of the documents with one more page."""
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, tmp_path / "copy"], check=True)
    for name in ("docs/make_site.py",):
        (tmp_path / "copy" / name).write_text((ROOT / name).read_text())
    (tmp_path / "copy" / "docs" / "more.md").write_text("# More\n\n[lost](nowhere.md)\n")
    done = subprocess.run([sys.executable, tmp_path / "copy/docs/make_site.py", tmp_path / "site"], capture_output=True, text=True)
    assert done.returncode != 0 and "nowhere.md" in done.stdout + done.stderr
