"""Columns: a loop in a library of arrays, as its users write one: gather, compute whole columns, add where points are.

A library is a dictionary of functions on columns (`functions_of`), and of

    load(array)                          its array of a NumPy array; unload(array): the reverse
    rows(dat, index)                     rows of a dat; if not as here
    add(dat, aos, column, index, value)  adds to dat[:, column] (AoS) or dat[column] at an index; gives the dat
    add_rows(dat, index, values)         adds rows of all columns (AoS)
    put(dat, aos, column, n, value)      sets the first n of a column; if not as here"""

import math
import time

from kernel_trace import NotTraced, Value, trace

FUNCTIONS = ("where", "sqrt", "abs", "minimum", "maximum", "exp", "log", "power", "sin", "cos", "floor", "sum")
OPERATORS = {"+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!="}
LOGICAL = {"and": "&", "or": "|"}
MOMENT = 0.01  # seconds


def rows(dat, index):
    return dat[index]


def put(dat, aos, column, n, value):
    if aos:
        dat[:n, column] = value
    else:
        dat[column, :n] = value
    return dat


def functions_of(module):
    return {"rows": rows, "put": put, **{name: getattr(module, name) for name in FUNCTIONS if hasattr(module, name)}}


class Writer:
    """Writes the Python of a loop: step(dats, index) gives the dats behind it."""

    def __init__(self, loop):
        self.loop = loop
        self.lines = []
        text, function = loop.kernel()
        self.traced, self.results = trace(text, function, [(arg["access"], arg["size"]) for arg in loop.args])

    def operand(self, x):
        return f"v{x.number}" if isinstance(x, Value) else repr(x)

    def expression(self, name, operands):
        given = [self.operand(x) for x in operands]
        if name in OPERATORS and len(given) == 2:
            return f"{given[0]} {name} {given[1]}"
        if name in LOGICAL:
            return f"{given[0]} {LOGICAL[name]} {given[1]}"
        if name in ("-", "not"):
            return f"{'-' if name == '-' else '~'}{given[0]}"
        return f"{name}({', '.join(given)})"

    def column(self, arg, i):
        """The dat, the column and the slot (None: direct) of value i of an arg."""
        dat = self.loop.about["dats"][arg["dat"]]
        n = len(dat["components"])
        column = dat["components"][i % n]
        return dat, column, arg["slots"][i // n] if arg["slots"] else None

    def read(self, arg, i):
        dat, column, slot = self.column(arg, i)
        name = f"dats[{arg['dat']}]"
        if dat["global"]:
            return f"{name}[0, {column}]"
        if slot is None:
            return f"{name}[:n, {column}]" if dat["aos"] else f"{name}[{column}, :n]"
        points = f"index[{arg['set']}][{slot}]"
        rows = f"rows{arg['dat']}_{arg['set']}_{slot}"
        if dat["aos"] and f"{rows} = rows({name}, {points})" not in self.lines:
            self.lines.append(f"{rows} = rows({name}, {points})")
        found = f"{rows}[:, {column}]" if dat["aos"] else f"{name}[{column}][{points}]"
        return f"where({points} < 0, 0.0, {found})" if self.loop.about["sets"][arg["set"]]["padded"] else found

    def write(self, a, arg):
        values = self.results[a]
        dat = self.loop.about["dats"][arg["dat"]]
        name = f"dats[{arg['dat']}]"
        width = len(dat["components"])
        for first in range(0, len(values), width):
            row = [self.operand(x) for x in values[first : first + width]]
            slot = self.column(arg, first)[2]
            if slot is not None and dat["aos"] and width == dat["row"]:
                self.lines.append(f"{name} = add_rows({name}, index[{arg['set']}][{slot}], [{', '.join(row)}])")
                continue
            for i, value in enumerate(row):
                self.write_column(name, self.column(arg, first + i), arg, value)

    def write_column(self, name, where, arg, value):
        dat, column, slot = where
        if slot is not None and value != "0":
            self.lines.append(f"{name} = add({name}, {dat['aos']}, {column}, index[{arg['set']}][{slot}], {value})")
        elif dat["global"]:
            self.lines.append(f"{name} = put({name}, True, {column}, 1, {name}[0, {column}] + sum({value}))")
        elif slot is None and arg["access"] == "inc":
            before = f"{name}[:n, {column}]" if dat["aos"] else f"{name}[{column}, :n]"
            self.lines.append(f"{name} = put({name}, {dat['aos']}, {column}, n, {before} + {value})")
        elif slot is None:
            self.lines.append(f"{name} = put({name}, {dat['aos']}, {column}, n, {value})")

    def compute(self):
        """The operations; what nobody reads any more is given back."""
        results = [x for a, arg in enumerate(self.loop.args) if arg["access"] != "read" for x in self.results[a]]
        numbers = self.traced.live(results)
        last = {}
        for number in numbers:
            for x in self.traced.operations[number][1]:
                if isinstance(x, Value):
                    last[x.number] = number
        kept = {x.number for x in results if isinstance(x, Value)}
        for number in numbers:
            name, operands = self.traced.operations[number]
            said = self.read(self.loop.args[operands[0]], operands[1]) if name == "arg" else self.expression(name, operands)
            self.lines.append(f"v{number} = {said}")
            self.give_back([x for x in {y.number for y in operands if isinstance(y, Value)} if last[x] == number and x not in kept])

    def give_back(self, numbers):
        if numbers:
            self.lines.append("del " + ", ".join(f"v{x}" for x in sorted(numbers)))

    def write_all(self):
        self.lines = []
        self.compute()
        for a, arg in enumerate(self.loop.args):
            if arg["access"] in ("write", "rw") and arg["slots"]:
                raise NotTraced("an arg is written through a map")
            if arg["access"] != "read":
                self.write(a, arg)

    def text(self):
        self.write_all()
        body = "".join(f"    {line}\n" for line in ["dats = list(dats)", f"n = {self.loop.n}", *self.lines])
        return f"def step(dats, index):\n{body}    return dats\n"


class Calls:
    """What runs a loop: `begin` begins it, `wait` waits for all that was begun."""

    def __init__(self, begin, wait, calls):
        self.begin, self.wait, self.calls = begin, wait, calls
        self.each = 1

    def run(self, times):
        """Of some calls one behind the other, as a program makes them: `calls` at most, or as many as take a moment."""
        n = times * self.each
        self.wait()
        start = time.perf_counter()
        for _ in range(n):
            self.begin()
        self.wait()
        seconds = (time.perf_counter() - start) / n
        self.each = min(self.calls, math.ceil(MOMENT / max(seconds, 1e-9)))
        return seconds


class Columns(Calls):
    """A loop that a library runs; `compiled` makes another function of step for these arrays, which it leaves as they are,
    `wait` waits for what was begun."""

    def __init__(self, loop, library, compiled=lambda step, dats, index: step, wait=lambda dats: None, calls=1):
        text = Writer(loop).text()
        (loop.folder / "step.py").write_text(text)
        names = dict(library)
        exec(compile(text, str(loop.folder / "step.py"), "exec"), names)
        self.library = library
        self.values = [library["load"](dat) for dat in loop.dats]
        self.index = [[library["load"](slot) for slot in points] for points in loop.index]
        self.step = compiled(names["step"], self.values, self.index)
        super().__init__(self.next, lambda: wait(self.values), calls)

    def next(self):
        self.values = self.step(self.values, self.index)

    def dats(self):
        return [self.library["unload"](dat) for dat in self.values]
