"""A kernel trace: what a user kernel computes, as a straight line of operations.

`trace(text, function, args)` walks the C of a kernel once, with values that note what is done to them. Loops and
subscripts follow from constants; where a branch depends on data both sides are computed and one is selected. So any
library that knows columns, or any language, can say the same."""

import math
import re

from pycparser import c_ast, c_parser

MOST_TURNS = 10000  # of a loop
COMPARISONS = {"<", ">", "<=", ">=", "==", "!=", "and", "or"}
# C's functions: what they are called here, and their value of constants.
FUNCTIONS = {"sqrt": ("sqrt", math.sqrt), "root": ("sqrt", math.sqrt), "fabs": ("abs", abs), "fmin": ("minimum", min),
             "fmax": ("maximum", max), "exp": ("exp", math.exp), "log": ("log", math.log), "pow": ("power", math.pow),
             "sin": ("sin", math.sin), "cos": ("cos", math.cos), "floor": ("floor", math.floor)}  # fmt: skip


class NotTraced(NotImplementedError):
    """The kernel does what columns cannot."""


class Value:
    """A value that data decide: value `number` of the trace."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


class Trace:
    """The operations in order: (name, operands), an operand being a number or a Value. The first are ("arg", (a, i))."""

    def __init__(self):
        self.operations = []
        self.known = {}

    def add(self, name, *operands):
        key = (name, *((type(x).__name__, x.number if isinstance(x, Value) else x) for x in operands))
        if key not in self.known:
            self.known[key] = Value(len(self.operations))
            self.operations.append((name, operands))
        return self.known[key]

    def live(self, results):
        """The operations that the results need, by number, in order."""
        wanted = {x.number for x in results if isinstance(x, Value)}
        for number in range(len(self.operations) - 1, -1, -1):
            if number in wanted:
                wanted.update(x.number for x in self.operations[number][1] if isinstance(x, Value))
        return sorted(wanted)


class Store(list):
    """What holds C's objects; only elements that were live then know it."""

    born = None


class Cells:
    """Where C's objects lie: a place in a list."""

    __slots__ = ("items", "at")

    def __init__(self, items, at=0):
        self.items, self.at = items, at


class Frame:
    """A call: its variables by name, those that are arrays or structs, whether it goes on (None: for sure), its value."""

    def __init__(self):
        self.variables, self.whole, self.live, self.over, self.value = {}, set(), None, False, None


class Walker:
    """Walks the functions of a parsed text."""

    def __init__(self, tree, out):
        self.out = out
        self.functions = {}
        self.structs = {}
        self.constants = {}
        for item in tree.ext:
            if isinstance(item, c_ast.FuncDef):
                self.functions[item.decl.name] = item
            elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.Struct):
                self.structs[item.type.name] = item.type.decls
            elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.Enum):
                self.note_enum(item.type)

    def note_enum(self, enum):
        following = 0
        for item in enum.values.enumerators:
            following = self.constant(self.value(item.value, Frame())) if item.value else following
            self.constants[item.name] = following
            following += 1

    # values

    def constant(self, x):
        if isinstance(x, Value):
            raise NotTraced("a subscript, a bound of a loop or a size depends on data")
        return x

    def binary(self, name, a, b):
        if isinstance(a, Cells) or isinstance(b, Cells):
            base, step = (a, b) if isinstance(a, Cells) else (b, a)
            return Cells(base.items, base.at + self.constant(step) * (-1 if name == "-" else 1))
        if not isinstance(a, Value) and not isinstance(b, Value):
            return constant_of(name, a, b)
        if (name == "+" and same_number(a, 0)) or (name == "*" and same_number(a, 1)):
            return b
        if (name in "+-" and same_number(b, 0)) or (name in "*/" and same_number(b, 1)):
            return a
        return self.out.add(name, a, b)

    def select(self, condition, a, b):
        if a is b or b is None:
            return a
        if not isinstance(a, Value) and not isinstance(b, Value):
            a, b = float(a), float(b)
        return self.out.add("where", condition, a, b)

    def truth(self, x):
        """A condition: True, False or a Value that is a comparison."""
        if not isinstance(x, Value):
            return bool(x)
        return x if self.out.operations[x.number][0] in COMPARISONS | {"not"} else self.out.add("!=", x, 0)

    def call(self, node, frame):
        name = node.name.name
        given = [self.value(x, frame) for x in node.args.exprs] if node.args else []
        if name == "reciprocal":
            return self.binary("/", 1.0, given[0])
        if name == "divide":
            return self.binary("/", *given)
        if name == "fma":
            return self.binary("+", self.binary("*", given[0], given[1]), given[2])
        if name in FUNCTIONS:
            called, of_constants = FUNCTIONS[name]
            return self.out.add(called, *given) if any(isinstance(x, Value) for x in given) else float(of_constants(*given))
        if name not in self.functions:
            raise NotTraced(f"there is no function {name}")
        return self.enter(self.functions[name], given, frame.live)

    def enter(self, function, given, live):
        inner = Frame()
        inner.live = live
        for declared, value in zip(function.decl.type.args.params if function.decl.type.args else [], given):
            inner.variables[declared.name] = stored([value], inner)
        self.statement(function.body, inner)
        return inner.value

    def value(self, node, frame):
        if isinstance(node, c_ast.Constant):
            text = node.value.rstrip("uUlLfF") if not node.value.startswith("0x") else node.value
            return int(text, 0) if "int" in node.type else float.fromhex(text) if "0x" in text else float(text)
        if isinstance(node, c_ast.ID):
            if node.name in self.constants:
                return self.constants[node.name]
            cells = self.variable(node.name, frame)
            return cells if node.name in frame.whole else read(cells)
        if isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            found = read(self.place(node, frame))
            return found.cells if isinstance(found, Held) else found
        if isinstance(node, c_ast.BinaryOp):
            return self.operation(node, frame)
        if isinstance(node, c_ast.UnaryOp):
            return self.unary(node, frame)
        if isinstance(node, c_ast.TernaryOp):
            condition = self.truth(self.value(node.cond, frame))
            if not isinstance(condition, Value):
                return self.value(node.iftrue if condition else node.iffalse, frame)
            return self.select(condition, self.value(node.iftrue, frame), self.value(node.iffalse, frame))
        if isinstance(node, c_ast.Cast):
            return converted(self.value(node.expr, frame), type_name(node.to_type.type))
        if isinstance(node, c_ast.FuncCall):
            return self.call(node, frame)
        if isinstance(node, c_ast.Assignment):
            return self.assign(node, frame)
        if isinstance(node, c_ast.ExprList):
            return [self.value(x, frame) for x in node.exprs][-1]
        raise NotTraced(f"{type(node).__name__} in line {node.coord.line}")

    def operation(self, node, frame):
        if node.op not in ("&&", "||"):
            return self.binary(node.op, self.value(node.left, frame), self.value(node.right, frame))
        left = self.truth(self.value(node.left, frame))
        if not isinstance(left, Value):
            return self.truth(self.value(node.right, frame)) if left == (node.op == "&&") else left
        right = self.truth(self.value(node.right, frame))
        if not isinstance(right, Value):
            return left if right == (node.op == "&&") else right
        return self.out.add("and" if node.op == "&&" else "or", left, right)

    def unary(self, node, frame):
        if node.op == "&":
            return self.place(node.expr, frame)
        if node.op == "*":
            return read(self.value(node.expr, frame))
        if node.op in ("p++", "++", "p--", "--"):
            place = self.place(node.expr, frame)
            before = read(place)
            self.write(place, self.binary("+", before, 1 if "+" in node.op else -1), frame)
            return before if node.op.startswith("p") else read(place)
        value = self.value(node.expr, frame)
        if node.op == "+":
            return value
        if node.op == "!":
            value = self.truth(value)
            return self.out.add("not", value) if isinstance(value, Value) else not value
        if node.op == "-":
            return self.out.add("-", value) if isinstance(value, Value) else -value
        raise NotTraced(f"operator {node.op} in line {node.coord.line}")

    # places

    def variable(self, name, frame):
        if name not in frame.variables:
            raise NotTraced(f"there is no variable {name}")
        return frame.variables[name]

    def place(self, node, frame):
        if isinstance(node, c_ast.ID):
            return self.variable(node.name, frame)
        if isinstance(node, c_ast.ArrayRef):
            base = self.value(node.name, frame)
            return Cells(base.items, base.at + self.constant(self.value(node.subscript, frame)))
        if isinstance(node, c_ast.StructRef):
            members = self.value(node.name, frame) if node.type == "->" else self.place(node.name, frame)
            return read(members)[node.field.name]
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self.value(node.expr, frame)
        raise NotTraced(f"{type(node).__name__} in line {node.coord.line} is no place")

    def write(self, place, value, frame):
        before = place.items[place.at]
        place.items[place.at] = value if frame.live is place.items.born else self.select(frame.live, value, before)

    def assign(self, node, frame):
        value = self.value(node.rvalue, frame)
        place = self.place(node.lvalue, frame)
        if node.op != "=":
            value = self.binary(node.op[:-1], read(place), value)
        self.write(place, value, frame)
        return value

    def blank(self, kind, frame):
        """What a declared object of that type holds."""
        if isinstance(kind, c_ast.ArrayDecl):
            n = self.constant(self.value(kind.dim, frame))
            return Held(stored([self.blank(kind.type, frame) for _ in range(n)], frame))
        if isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.Struct):
            return {d.name: stored([self.blank(d.type, frame)], frame) for d in self.structs[kind.type.name]}
        return None

    def fill(self, cells, values, frame):
        for i, item in enumerate(values.exprs):
            if isinstance(item, c_ast.InitList):
                self.fill(cells.items[i].cells, item, frame)
            else:
                cells.items[i] = self.value(item, frame)
        for i in range(len(values.exprs), len(cells.items)):
            cells.items[i] = 0

    def declare(self, node, frame):
        held = self.blank(node.type, frame)
        if isinstance(held, Held):
            frame.variables[node.name] = held.cells
            frame.whole.add(node.name)
            if node.init:
                self.fill(held.cells, node.init, frame)
            return
        frame.whole.discard(node.name)
        value = held
        if node.init:
            value = self.value(node.init, frame)
            if isinstance(node.type, c_ast.TypeDecl):
                value = converted(value, type_name(node.type))
        frame.variables[node.name] = stored([value], frame)

    # statements

    def statement(self, node, frame):
        if frame.over or node is None or isinstance(node, c_ast.EmptyStatement):
            return
        if isinstance(node, c_ast.Compound):
            outer = dict(frame.variables), set(frame.whole)
            for item in node.block_items or []:
                self.statement(item, frame)
            frame.variables, frame.whole = outer
        elif isinstance(node, c_ast.DeclList):
            for item in node.decls:
                self.declare(item, frame)
        elif isinstance(node, c_ast.Decl):
            self.declare(node, frame)
        elif isinstance(node, c_ast.For):
            self.loop(node, frame)
        elif isinstance(node, c_ast.If):
            self.branch(node, frame)
        elif isinstance(node, c_ast.Return):
            self.leave(node, frame)
        else:
            self.value(node, frame)

    def goes_on(self, node, frame):
        """Whether a loop has one more turn; where that depends on data, for the elements for which it has."""
        condition = self.truth(self.value(node.cond, frame)) if node.cond else True
        if isinstance(condition, Value):
            frame.live = condition if frame.live is None else self.out.add("and", frame.live, condition)
        return condition

    def loop(self, node, frame):
        outer, before = (dict(frame.variables), set(frame.whole)), frame.live
        self.statement(node.init, frame)
        for _ in range(MOST_TURNS):
            if not self.goes_on(node, frame):
                break
            narrowed = frame.live
            self.statement(node.stmt, frame)
            if frame.over or frame.live is not narrowed:
                raise NotTraced(f"a return in the loop of line {node.coord.line}")
            live, frame.live = frame.live, before  # the counter goes on for all
            if node.next:
                self.value(node.next, frame)
            frame.live = live
        else:
            raise NotTraced(f"the loop of line {node.coord.line} has no end that is known")
        frame.live = before
        frame.variables, frame.whole = outer

    def branch(self, node, frame):
        condition = self.truth(self.value(node.cond, frame))
        if not isinstance(condition, Value):
            self.statement(node.iftrue if condition else node.iffalse, frame)
            return
        before, lives, returned = frame.live, [], False
        for side, holds in ((node.iftrue, condition), (node.iffalse, self.out.add("not", condition))):
            frame.live = within = holds if before is None else self.out.add("and", before, holds)
            self.statement(side, frame)
            returned |= frame.over or frame.live is not within
            lives += [] if frame.over else [frame.live]
            frame.over = False
        frame.over = not lives
        frame.live = (before if not returned or not lives else lives[0] if len(lives) == 1 else
                      self.out.add("or", *lives))

    def leave(self, node, frame):
        if node.expr:
            value = self.value(node.expr, frame)
            frame.value = value if frame.live is None or frame.value is None else self.select(frame.live, value, frame.value)
        frame.over = True


class Held:
    """An array within another or in a struct."""

    def __init__(self, cells):
        self.cells = cells


def stored(items, frame):
    store = Store(items)
    store.born = frame.live
    return Cells(store)


def read(cells):
    return cells.items[cells.at]


def same_number(x, number):
    return not isinstance(x, Value) and x == number


def type_name(kind):
    names = getattr(getattr(kind, "type", None), "names", [""])
    return "int" if names and names[-1] in ("int", "long", "bool", "_Bool") else "real"


def converted(value, kind):
    """A constant as its type holds it."""
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, (int, float)):
        return int(value) if kind == "int" else float(value)
    return value


def constant_of(name, a, b):
    if name in ("/", "%") and isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if name == "/" else a - quotient * b
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "<": lambda: a < b, ">": lambda: a > b,
            "<=": lambda: a <= b, ">=": lambda: a >= b, "==": lambda: a == b, "!=": lambda: a != b,
            "<<": lambda: a << b, ">>": lambda: a >> b, "&": lambda: a & b, "|": lambda: a | b}[name]()  # fmt: skip


def parsed(text):
    """The text without comments and directives, its macros that stand for a value put in."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL).replace("\\\n", " ")
    macros = {}
    for name, body in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?![\w(])[ \t]*([^\n]*)$", text, re.MULTILINE):
        macros[name] = body.strip()
    text = re.sub(r"^[ \t]*#[^\n]*$", "", text, flags=re.MULTILINE)
    for _ in range(8):  # macros of macros
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: macros.get(m[0], m[0]), text)
    return c_parser.CParser().parse("typedef double real;\n" + text)


def trace(text, function, args):
    """Traces a kernel whose args are (access, size). Gives the trace, and of each arg the values of its local array behind
    the call: what is added to where it is increments."""
    out = Trace()
    walker = Walker(parsed(text), out)
    if function not in walker.functions:
        raise NotTraced(f"there is no function {function}")
    given = []
    for a, (access, size) in enumerate(args):
        given.append(Cells(Store(out.add("arg", a, i) if access in ("read", "rw") else 0 for i in range(size))))
    walker.enter(walker.functions[function], given, None)
    return out, [cells.items for cells in given]
