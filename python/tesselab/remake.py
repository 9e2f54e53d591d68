"""Tables of the documentation, made again by the commands that experiments/recipes/pages.yaml has for each.

    PYTHONPATH=python python3 -m tesselab.remake                     # what there is, and tables that nothing makes
    PYTHONPATH=python python3 -m tesselab.remake --make              # makes those that this machine can, says what drifted
    PYTHONPATH=python python3 -m tesselab.remake --make best --write # writes that one into its page, too
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Formatter
from typing import Any

from .archive import LabError, command
from .side_by_side import END, text_table, write_part

RECIPES = Path("experiments/recipes/pages.yaml")
NOTES = Path("docs/results/README.md")
PAGES = ("README.md", "docs/which-strategy.md", "docs/results/*.md")
PLACES = {"cuda": [Path("/dev/nvidiactl")], "nvrtc": [Path("/usr/local/cuda/lib64/libnvrtc.so*"), Path("/usr/lib/x86_64-linux-gnu/libnvrtc.so*")]}
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
PROGRAMS = {"tess": "tess", "python": "python3"}  # by which a recipe names them
Rows = dict[str, dict[str, str]]  # cells by the first of their row and by the title of their column


# --- tables in pages -------------------------------------------------------------------------------


def split_row(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def parse_tables(text: str) -> Iterator[tuple[int, Rows]]:
    """The tables of a page, each with the number of its first line."""
    lines = text.splitlines()
    for i, line in enumerate(lines[:-1]):
        if not (line.startswith("|") and re.fullmatch(r"\|[-:| ]+\|", lines[i + 1])):
            continue
        titles: list[str] = []
        rows: Rows = {}
        for title in split_row(line):
            seen = sum(re.sub(r" \(\d+\)$", "", before) == title for before in titles)
            titles.append(f"{title} ({seen + 1})" if seen else title)
        for row in lines[i + 2:]:
            if not row.startswith("|"):
                break
            cells = split_row(row)
            labels = [", ".join(cells[:i]) for i in range(1, len(cells) + 1)]
            label = next((label for label in labels if label and label not in rows), labels[-1])
            rows[label] = dict(zip(titles[1:], cells[1:]))
        yield i + 1, rows


def part_of(page: Path, name: str) -> str:
    """What stands between the marks of this name; "" where there are none."""
    _, begin, rest = page.read_text().partition(f"<!-- {name}: made by")
    return rest.partition("-->")[2].partition(END.format(name))[0] if begin else ""


def unmade(root: Path, tables: dict[str, dict[str, Any]]) -> list[str]:
    """Where the tables of numbers begin that no recipe makes: page:line, and the titles."""
    found = []
    for page in sorted(path for pattern in PAGES for path in root.glob(pattern) if path != root / NOTES):
        text = page.read_text()
        for name, table in tables.items():
            if root / table["page"] == page:
                part = part_of(page, name)
                text = text.replace(part, "\n" * part.count("\n")) if part else text
        lines = text.splitlines()
        found += [f"{page.relative_to(root)}:{at}: {lines[at - 1]}" for at, rows in parse_tables(text)
                  if any(numbers(cell) for cells in rows.values() for cell in cells.values())]
    return found


def unlike(root: Path, tables: dict[str, dict[str, Any]]) -> list[str]:
    """Tables of rows whose pages have other titles, rows or cells than their recipes write."""
    found = []
    for name, table in tables.items():
        if "rows" not in table:
            continue
        columns, rows = table["columns"], [{**PROGRAMS, **table.get("with", {}), **row} for row in table["rows"]]
        label = columns[0].get("cell", "")
        wanted = [column["title"] for column in columns], *(label.format_map(row) for row in rows)
        lines = [split_row(line) for line in part_of(root / table["page"], name).splitlines() if line.startswith("|")]
        if not lines or (lines[0], *(cells[0] for cells in lines[2:])) != wanted:
            found.append(f"{name}: {table['page']} has other titles or rows than its recipe")
            continue
        odd = [f"{cells[0]}, {column['title']}: {cell or 'nothing'}" for cells, row in zip(lines[2:], rows)
               for column, cell in zip(columns, cells) if not is_like(column, row, cell)]
        if odd:
            found.append(f"{name}: {table['page']} has {len(odd)} cells that its recipe does not write, the first {odd[0]}")
    return found


def is_like(column: dict[str, Any], row: dict[str, Any], cell: str) -> bool:
    """Whether a cell of a page has the form that its recipe writes."""
    kind, words = kind_of(column), words_of(column, row)
    if kind == "cell" or not words:
        return cell == "".join(words)
    if kind == "time":
        return bool(re.fullmatch(r"\d+\.\d{4} \[\d+\.\d{4}, \d+\.\d{4}\]", cell))
    if kind == "shell" and "find" not in column:
        return bool(cell)
    style = ".2f" if kind in ("times", "ratio") else column.get("format", "" if kind == "shell" else ",")
    return bool(numbers(cell)) and (not style or cell in [format(number, style) for number in (numbers(cell)[0], int(numbers(cell)[0]))])


# --- drift -----------------------------------------------------------------------------------------


def numbers(cell: str) -> list[float]:
    return [float(word.replace(",", "")) for word in NUMBER.findall(re.sub(r"`[^`]*`", "", cell))]


def has_drifted(old: str, new: str, within: float) -> bool:
    """Whether the first number of a cell left what is said of the new one: its interval in brackets, else a share of it."""
    before, now = numbers(old), numbers(new)
    if not before or not now:
        return bool(before) != bool(now)
    low, high = now[1:3] if "[" in new and len(now) >= 3 else (now[0], now[0])
    margin = within * abs(now[0])
    return not low - margin <= before[0] <= high + margin


def distance(old: str, new: str) -> float:
    """The share by which the first number of a cell changed; 0 without two numbers."""
    before, now = numbers(old), numbers(new)
    return abs(before[0] / now[0] - 1) if before and now and now[0] else 0.0


def drift(old: Rows, new: Rows, within: float) -> list[str]:
    """What drifted, the furthest first."""
    cells = [(f"{row}, {title}", old[row].get(title, ""), cell) for row in new if row in old for title, cell in new[row].items()]
    found = sorted(((distance(before, now), f"{where}: {before} -> {now}") for where, before, now in cells if has_drifted(before, now, within)),
                   key=lambda one: -one[0])
    return [*(line for _, line in found), *(f"{row}: is new" for row in new if row not in old), *(f"{row}: is gone" for row in old if row not in new)]


def note_drift(root: Path, name: str, page: str, rows: Rows, found: list[str]) -> None:
    """Writes what drifted into the table's line of docs/results/README.md."""
    lines = {split_row(line)[0]: line for line in part_of(root / NOTES, "drift").splitlines() if line.startswith("| `")}
    count = sum(bool(numbers(cell)) for cells in rows.values() for cell in cells.values())
    lines[f"`{name}`"] = f"| `{name}` | {page} | {count} | {len(found)} | {found[0].replace('|', ' ') if found else ''} |"
    write_part(root / NOTES, "drift", "python3 -m tesselab.remake --make --write",
               "\n".join(["| table | page | numbers | drifted | the furthest |", "|---|---|---|---|---|", *(lines[one] for one in sorted(lines))]))


# --- making ----------------------------------------------------------------------------------------


class CommandError(Exception):
    """A command of a table that fails, or prints what is not asked for."""


class Maker:
    """Runs commands, each once, so many at a time; `seconds` is the most that one may take. Answers are kept in the file `kept`,
    a line each as soon as it is there, and those that it has are not asked for again."""

    def __init__(self, program: str, jobs: int, seconds: float, kept: Path | None = None) -> None:
        self.program, self.jobs, self.seconds, self.kept = program, jobs, seconds, kept
        self.answers: dict[str, Any] = {}
        if kept and kept.exists():
            text = kept.read_text()
            kept.write_text(text[: text.rfind("\n") + 1])  # the last line may be cut off
            self.answers = dict(json.loads(line) for line in kept.read_text().splitlines())

    def keep(self, words: str, answer: Any) -> None:
        self.answers[words] = answer
        if self.kept:
            with self.kept.open("a") as file:
                file.write(json.dumps([words, answer]) + "\n")

    def answer_all(self, commands: list[tuple[bool, str]], jobs: int) -> None:
        """Commands of the shell, and of tess."""
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda one: self.printed(one[1]) if one[0] else self.answer(one[1]), dict.fromkeys(commands)))

    def answer(self, words: str) -> Any:
        """What tess prints as JSON."""
        if words not in self.answers:
            done = subprocess.run([self.program, *shlex.split(words), "--no-lab", "--json"], capture_output=True, text=True,
                                  timeout=self.seconds, check=False)
            if done.returncode:
                raise CommandError(f"tess {words}\nended with exit code {done.returncode}: {done.stderr.strip()}")
            self.keep(words, json.loads(done.stdout))
        n_runs = len(self.answers[words].get("runs", "1"))
        if n_runs != 1:
            raise CommandError(f"tess {words}\nmade {n_runs} runs, of which a cell has room for one")
        return self.answers[words]

    def printed(self, words: str) -> str:
        """What a command of the shell prints."""
        if words not in self.answers:
            self.keep(words, run_shell(words, self.seconds))
        return str(self.answers[words])

    def samples(self, words: str) -> list[float]:
        """Milliseconds of the samples of a run, or of a step in the rows of a march but the first, which warms up."""
        told = self.answer(words)
        if "rows" in told:
            return [1e3 * row["seconds_per_step"] for row in told["rows"][1:]]
        return [1e3 * seconds for seconds in told["runs"][0]["samples"]]


def run_shell(words: str, seconds: float) -> str:
    done = subprocess.run(words, shell=True, capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode:
        raise CommandError(f"{words}\nended with exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def shown_time(samples: list[float]) -> str:
    """The median with the middle four fifths."""
    ordered, cut = sorted(samples), len(samples) // 10
    return f"{statistics.median(ordered):.4f} [{ordered[cut]:.4f}, {ordered[-1 - cut]:.4f}]"


def kind_of(column: dict[str, Any]) -> str:
    return next(kind for kind in ("cell", "time", "times", "of", "shell", "ratio") if kind in column)


def words_of(column: dict[str, Any], row: dict[str, Any]) -> list[str]:
    """What a column asks for with the words of a row; [] where the row has not all of them."""
    forms = [*column[kind_of(column)]] if "times" in column or "ratio" in column else [column[kind_of(column)]]
    known = all(name in row for form in forms for _, name, _, _ in Formatter().parse(form) if name)
    return [form.format_map(row) for form in forms] if known else []


def make_cell(maker: Maker, column: dict[str, Any], row: dict[str, Any], before: dict[str, str]) -> str:
    """before: the cells of this row that stand before this one, by their titles."""
    words = words_of(column, row)
    if not words or "cell" in column:
        return "".join(words)
    if "ratio" in column:
        over, under = (numbers(before[title]) for title in words)
        return f"{over[0] / under[0]:.2f}" if over and under else ""
    if "shell" in column and "find" not in column:
        printed: dict[str, str] = next((cells for _, rows in parse_tables(maker.printed(words[0])) for cells in rows.values()), {})
        if column["title"] not in printed:
            raise CommandError(f"{words[0]}\nprinted no table with {column['title']}: {maker.printed(words[0]).strip()}")
        return printed[column["title"]]
    if "shell" in column:
        found = re.search(column["find"].format_map(row), maker.printed(words[0]))
        if not found:
            raise CommandError(f"{words[0]}\nprinted nothing like {column['find'].format_map(row)}: {maker.printed(words[0]).strip()}")
        return format(float(found[1].replace(",", "")) * column.get("scale", 1), column["format"]) if "format" in column else found[1]
    if "time" in column:
        return shown_time(maker.samples(words[0]))
    if "times" in column:
        slow, fast = (statistics.median(maker.samples(these)) for these in words)
        return f"{slow / fast:.2f}"
    return format(maker.answer(words[0])["runs"][0][column["value"]] * column.get("scale", 1), column.get("format", ","))


def make_rows(maker: Maker, table: dict[str, Any]) -> str:
    programs = dict(zip(PROGRAMS, (maker.program, sys.executable)))
    for words in table.get("first", []):
        maker.printed(words.format_map({**programs, **table.get("with", {})}))
    columns, lines = table["columns"], [{**programs, **table.get("with", {}), **row} for row in table["rows"]]
    maker.answer_all([("shell" in column, words) for row in lines for column in columns if kind_of(column) not in ("cell", "ratio")
                      for words in words_of(column, row)], 1 if table.get("alone") else maker.jobs)
    rows = [[column["title"] for column in columns]]
    for row in lines:
        cells: list[str] = []
        for column in columns:
            cells.append(make_cell(maker, column, row, dict(zip(rows[0], cells))))
        rows.append(cells)
    return text_table(rows, True)


def make_by_commands(maker: Maker, name: str, table: dict[str, Any], page: Path) -> str:
    """Runs the commands on a copy of the page; the last of them writes the table there, or prints it."""
    all_words = "\n".join(table["commands"])
    if all_words not in maker.answers:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / page.name
            copy.write_bytes(page.read_bytes())
            said = ""
            for line in table["commands"]:
                words = line.format(page=copy, lab=Path(folder) / "lab", tess=maker.program, python=sys.executable)
                said = run_shell(words, maker.seconds)
            printed = [line for line in said.splitlines() if line.startswith("|")]
            maker.keep(all_words, "\n".join(printed) or part_of(copy, name).strip())
    return str(maker.answers[all_words])


def make(maker: Maker, name: str, table: dict[str, Any], root: Path, write: bool) -> list[str]:
    """Makes a table; what drifted since its page was written."""
    page = root / table["page"]
    content = make_rows(maker, table) if "rows" in table else make_by_commands(maker, name, table, page)
    old, new = (dict(row for _, rows in parse_tables(text) for row in rows.items()) for text in (part_of(page, name), content))
    found = drift(old, new, table.get("within", 0.03))
    print(content, flush=True)
    if write:
        write_part(page, name, f"python3 -m tesselab.remake --make {name}", content)
        note_drift(root, name, table["page"], new, found)
    return found


# --- the command -----------------------------------------------------------------------------------


def read_recipes(path: Path) -> dict[str, dict[str, Any]]:
    try:
        import yaml
    except ImportError:
        raise SystemExit("PyYAML is missing: pip install pyyaml (Debian: apt-get install python3-yaml)") from None
    try:
        text = path.read_text()
        tables: dict[str, dict[str, Any]] = yaml.safe_load(text)["tables"]
        names = [key.value for part, each in yaml.compose(text).value if part.value == "tables" for key, _ in each.value]
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise LabError(f"{path}: no recipes of pages can be read: {error}; --root names the checkout") from None
    if len(names) > len(tables):
        raise LabError(f"{path}: there are two recipes {', '.join(sorted(name for name in tables if names.count(name) > 1))}")
    for name, table in tables.items():
        lacking = {"page", "needs", "minutes"} - set(table)
        if lacking or ("rows" in table) == ("commands" in table):
            raise LabError(f"{path}: the table {name} needs {', '.join(sorted(lacking)) or 'either rows or commands'}")
    return tables


def is_here(needs: str) -> bool:
    """Whether this machine has all that a table needs: a GPU, so many cores, NVRTC, a Python package, a program, a folder that
    an environment variable names."""
    if "," in needs:
        return all(is_here(part.strip()) for part in needs.split(","))
    cores = re.fullmatch(r"(\d+) cores", needs)
    if cores:
        return (os.cpu_count() or 1) >= int(cores[1])
    if needs in ("cuda", "nvrtc"):
        return any(any(pattern.parent.glob(pattern.name)) for pattern in PLACES[needs])
    if needs.isupper():
        return Path(os.environ.get(needs, "")).is_dir() and bool(os.environ.get(needs))
    return needs == "cpu" or bool(shutil.which(needs)) or (needs.isidentifier() and importlib.util.find_spec(needs) is not None)


def chosen(tables: dict[str, dict[str, Any]], asked: argparse.Namespace) -> dict[str, dict[str, Any]]:
    found = {name: table for name, table in tables.items()
             if (not asked.names or name in asked.names) and (asked.needs is None or table["needs"] == asked.needs)
             and table["minutes"] <= asked.minutes}
    if not asked.make or asked.names or asked.needs:
        return found
    for name, table in found.items():
        if not is_here(table["needs"]):
            print(f"{name}: not made, for it needs {table['needs']}")
    return {name: table for name, table in found.items() if is_here(table["needs"])}


def tell_of_pages(root: Path, tables: dict[str, dict[str, Any]]) -> None:
    """Which tables no recipe makes, and which are not as theirs makes them."""
    lines = [f"no recipe makes {line}" for line in unmade(root, tables)] or ["each table has a recipe"]
    print("\n".join(lines + unlike(root, tables)))


@command
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.remake", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="TABLE", help="default: all; to be made, those for which this machine has what they need")
    parser.add_argument("--make", action="store_true", help="run the commands and say what drifted; exit code 1 where something did, or fails")
    parser.add_argument("--write", action="store_true", help="write the tables into their pages, too")
    parser.add_argument("--needs", metavar="WHAT", help="only tables that need this: cuda, or nothing but a cpu")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="only tables that take as long at most")
    parser.add_argument("--jobs", type=int, default=1, help="commands at a time, but of tables that say alone: runs and marches take turns on a GPU")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="keeps what commands answer, so that a table which was cut off is carried on")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    asked = parser.parse_args(words)
    tables = read_recipes(asked.root / RECIPES)
    unknown = set(asked.names) - set(tables)
    if unknown:
        parser.error(f"no recipe makes {', '.join(sorted(unknown))}; there are {', '.join(tables)}")
    these = chosen(tables, asked)
    if not asked.make:
        print(text_table([["table", "page", "needs", "minutes"], *([name, table["page"], table["needs"], str(table["minutes"])]
                                                                for name, table in these.items())], False))
        tell_of_pages(asked.root, tables)
        return
    maker = Maker(os.environ.get("TESS_BIN", "tess"), asked.jobs, 3600, asked.answers)
    drifted, failed = [], []
    for name, table in these.items():
        print(f"{name}: about {table['minutes']} min", file=sys.stderr, flush=True)
        try:
            found = make(maker, name, table, asked.root, asked.write)
        except (CommandError, subprocess.TimeoutExpired, OSError, ValueError, LookupError) as error:
            failed.append(name)
            print(f"{name}: failed: {error or type(error).__name__}", flush=True)
            continue
        print("\n".join([f"{name}: {len(found)} drifted", *(f"  {line}" for line in found)]), flush=True)
        drifted += [name] * bool(found)
    print(f"made: {len(these) - len(failed)} of {len(tables)} tables; drifted: {', '.join(drifted) or 'none'}; failed: {', '.join(failed) or 'none'}")
    if not asked.names:
        tell_of_pages(asked.root, tables)
    if drifted or failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
