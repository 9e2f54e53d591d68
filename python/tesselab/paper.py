"""A paper redrawn: its published values beside those of a lab, with a verdict each.

    PYTHONPATH=python python3 -m tesselab.paper sulyok-2019                  # the runs that ship
    PYTHONPATH=python python3 -m tesselab.paper sulyok-2019 --lab LAB --figures FOLDER
    PYTHONPATH=python python3 -m tesselab.paper all --figures FOLDER         # every paper, every figure
    PYTHONPATH=python python3 -m tesselab.paper all --from-nothing LABS      # what needs no GPU, by `tess` in PATH
    PYTHONPATH=python python3 -m tesselab.paper                              # all tables and figures, and their state

A paper is a folder of `notebooks/papers`: `published.csv` has its values, `series.csv` the run that makes each
series, `because.csv` a reason for each difference, `figures.csv` what is more than bars, `recipe.yaml` the runs, `lab`
and `runs.csv.xz` what they gave, `values.csv` what other commands print. The command ends with 1 where a value differs,
or is missing, without a reason."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from .archive import command
from .paper_again import make_again, without_gpu
from .paper_page import items_page, page, shown, title
from .paper_tables import PAPERS, Paper, beside, open_paper, unexplained
from .side_by_side import print_or_write


def judge(paper: Paper, asked: argparse.Namespace, lab: Path | None, figures: Path | None) -> int:
    """Reports on one paper; the exit code."""
    runs = paper.runs(lab)
    table = beside(paper, runs)
    print_or_write(asked.into, paper.folder.name, f"paper {paper.folder.name}",
                   page(paper, table, asked.markdown or asked.into is not None))  # fmt: skip
    if figures:
        from .paper_figures import save_figures  # matplotlib takes longer to load than all else

        save_figures(paper, runs, table, figures)
    new = unexplained(table)
    for row in new.itertuples():
        print(f"{row.item}, {row.series}, {title(row.quantity)}: {row.verdict}, and no reason stands in because.csv "
              f"(published {shown(row.published, row.quantity)}, ours {shown(row.ours, row.quantity) or 'missing'})",
              file=sys.stderr)
    return 1 if len(new) else 0


def judge_all(asked: argparse.Namespace) -> int:
    """Reports on each paper, from its lab in a folder of labs where one is named; made by `tess` first, and only what
    needs no GPU, where asked so."""
    code = 0
    for path in sorted(asked.papers.glob("*/published.csv")):
        paper = open_paper(path.parent.name, asked.papers)
        print(f"\n{paper.folder.name}\n")
        name = paper.folder.name
        lab = Path(asked.lab) / name if asked.lab else None
        if asked.from_nothing:
            lab = asked.from_nothing / name
            paper = replace(without_gpu(paper), values=make_again(paper, asked.from_nothing / name))
        code = max(code, judge(paper, asked, lab, asked.figures and asked.figures / name))
    return code


@command
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.paper",
                                     description="A paper's published values beside ours, with a verdict each.")
    parser.add_argument("paper", nargs="?", help="a folder of notebooks/papers, say sulyok-2019, or all (default: all "
                                                 "tables and figures of the papers, and their state)")
    parser.add_argument("--lab", help="of the runs of its recipe.yaml, with all a folder of labs (default: what ships)")
    parser.add_argument("--papers", type=Path, default=PAPERS, help="where the folders of papers are")
    parser.add_argument("--figures", metavar="FOLDER", type=Path, help="draw a figure an item, ITEM.png")
    parser.add_argument("--from-nothing", metavar="LABS", type=Path, help="with all: run the subsets `structure` into "
                        "labs of this folder first, by tess in PATH; tells what needs no GPU")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--into", metavar="FILE", type=Path, help="write Markdown between the marks of a file")
    asked = parser.parse_args(words)
    if asked.paper is None:
        print_or_write(asked.into, "papers", "paper", items_page(asked.papers, asked.markdown or asked.into is not None))
        return
    if asked.from_nothing and asked.paper != "all":
        parser.error("--from-nothing goes with all")
    raise SystemExit(judge_all(asked) if asked.paper == "all" else
                     judge(open_paper(asked.paper, asked.papers), asked, asked.lab, asked.figures))


if __name__ == "__main__":
    main()
