#!/usr/bin/python3
"""Makes the site of the documents in build/site, with mkdocs (apt-get install mkdocs): every page of the repository
and all that it links to, under its own path. A link that leads nowhere fails.

    docs/make_site.py [FOLDER]          then open FOLDER/index.html; the default is build/site
    python3 -m http.server --directory build/site       its search wants a server"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
except ModuleNotFoundError:
    sys.exit("make_site.py: this Python lacks mkdocs: apt-get install mkdocs, then /usr/bin/python3 docs/make_site.py")

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The pages that a reader wants first, and those that come last.
FIRST = ["README.md", "docs/concepts.md", "docs/how-a-loop-runs.md", "docs/which-strategy.md", "docs/user_kernel/README.md",
         "docs/user_partitioner/README.md", "docs/c_library/README.md", "python/README.md"]  # fmt: skip
LAST = ["CONTRIBUTING.md", "CHANGELOG.md"]
# Wide tables: the page takes the window's width, options break where they must, and a table that is wider still scrolls.
STYLE = """@media (min-width: 1200px) { .container { max-width: 1600px; } }
table { display: block; overflow-x: auto; }
td code { white-space: normal; overflow-wrap: anywhere; }
"""


def pages():
    """The pages of the repository, those that a reader wants first before the others."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], text=True,
                            check=True, capture_output=True).stdout.split()  # fmt: skip
    others = sorted(page for page in listed if page not in FIRST + LAST and "LICENSES" not in page)
    return FIRST + others + LAST


def links_of(text):
    """Local links of a page, without its blocks of code."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in link]


def title_of(text):
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1].replace("`", "")


def anchor_of(heading, separator):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def spaced(text):
    """Python's Markdown wants an empty line before a list, GitHub's does not; and none within blocks of code."""
    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    item = re.compile(r"^(?!\s*(?:[-*]|\d+\.) |\s*$|\s)(.+\n)(?=(?:[-*]|\d+\.) )", re.MULTILINE)
    return "".join(part if part.startswith("```") else item.sub(r"\1\n", part) for part in parts)


def stage(folder):
    """Copies the pages, and the files that they link to; gives the titles of pages."""
    titles = {}
    for page in pages():
        text = (ROOT / page).read_text()
        titles[page] = title_of(text)
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(spaced(text))
        for link in links_of(text):
            target = ((ROOT / page).parent / link).resolve()
            place = folder / target.relative_to(ROOT)
            if target.is_file() and target.suffix != ".md":
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, place)
    return titles


def menu(titles):
    """The pages by what they are about."""
    groups = {"Guides": [], "Results": [], "Parts": [], "Project": []}
    for page, title in titles.items():
        group = ("Project" if page in LAST else "Guides" if page in FIRST else "Results" if "results/" in page else
                 "Guides" if page.startswith("docs/") else "Parts")  # fmt: skip
        groups[group].append({title: page})
    first = groups["Guides"].pop(0)
    return [first, *({name: group} for name, group in groups.items())]


def make(site):
    with tempfile.TemporaryDirectory() as folder:
        staged, settings = pathlib.Path(folder, "pages"), pathlib.Path(folder, "mkdocs.yml")
        nav = menu(stage(staged))
        (staged / "style.css").write_text(STYLE)
        settings.write_text("site_name: Tesselab\n")
        build(load_config(
            str(settings), docs_dir=str(staged), site_dir=str(site), nav=nav, strict=True,
            use_directory_urls=False, theme={"name": "mkdocs", "highlightjs": False}, extra_css=["style.css"],
            markdown_extensions=[{"toc": {"slugify": anchor_of, "permalink": True}}, "sane_lists"]))  # fmt: skip


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve()
    make(where)
    print(where / "index.html")
