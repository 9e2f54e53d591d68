"""NVIDIA Warp: one kernel, a thread an element, sums by atomic_add; sums over all elements first of tiles, by tile_sum."""

import importlib.util

import warp
from columns import OPERATORS, Calls, Writer
from compiled import cache
from kernel_trace import Value

CALLS = 10  # one behind the other, on a GPU
TILE = 256  # threads of a block
NAMES = {"minimum": "warp.min", "maximum": "warp.max", "power": "warp.pow", "%": "warp.mod"}
TYPES = {"float32": warp.float32, "float64": warp.float64, "int32": warp.int32}


class Kernel(Writer):
    """Writes the loop as the text of a module with the kernel `step`."""

    def operand(self, x):
        """Constants stand before the kernel, in the type of the loop."""
        if isinstance(x, Value):
            return super().operand(x)
        return self.constants.setdefault(repr(float(x)), f"C{len(self.constants)}")

    def expression(self, name, operands):
        given = [self.operand(x) for x in operands]
        if len(given) == 2 and (name in ("and", "or") or (name in OPERATORS and name not in NAMES)):
            return f"{given[0]} {name} {given[1]}"
        if name in ("-", "not"):
            return f"{name} {given[0]}"
        return f"{NAMES.get(name, f'warp.{name}')}({', '.join(given)})"

    def place(self, arg, i):
        """Where value i of an arg is: the subscript, and the point, None where each element has one."""
        dat, column, slot = self.column(arg, i)
        point = f"p{arg['set']}_{slot}" if slot is not None else None
        row = "0" if dat["global"] else point or "i"
        padded = point and self.loop.about["sets"][arg["set"]]["padded"]
        return dat, f"{row}, {column}" if dat["aos"] or dat["global"] else f"{column}, {row}", point if padded else None

    def read(self, arg, i):
        _, at, point = self.place(arg, i)
        at = at.replace(point, f"warp.max({point}, 0)") if point else at
        value = f"Real(dat{arg['dat']}[{at}])"
        return f"warp.where({point} < 0, {self.operand(0)}, {value})" if point else value

    def write(self, a, arg):
        for i, x in enumerate(self.results[a]):
            dat, at, point = self.place(arg, i)
            name = f"dat{arg['dat']}"
            value = f"warp.{self.loop.dats[arg['dat']].dtype}({self.operand(x)})"
            tests = ["t < n"] * self.sums_all() + [f"{point} >= 0"] * bool(point)
            if arg["access"] != "inc":
                line = f"{name}[{at}] = {value}"
            elif dat["global"]:
                value, tests = self.of_tile(f"sum{a}_{i}", x, arg), ["t % warp.block_dim() == 0"]
                line = f"warp.atomic_add({name}, {at}, {value})"
            elif arg["slots"]:
                line = f"warp.atomic_add({name}, {at}, {value})"
            else:
                line = f"{name}[{at}] = {name}[{at}] + {value}"
            self.lines.append(f"if {' and '.join(tests)}: {line}" if tests else line)

    def sums_all(self):
        """Whether there is a sum over all elements: blocks are whole then, for all threads of one take part in its sums."""
        return any(arg["access"] == "inc" and self.loop.about["dats"][arg["dat"]]["global"] for arg in self.loop.args)

    def of_tile(self, name, x, arg):
        value = f"warp.where(t < n, {self.operand(x)}, {self.operand(0)})"
        self.lines += [f"{name} = warp.tile_sum(warp.tile({value}))", f"{name}_all = {name}[0]"]
        return f"warp.{self.loop.dats[arg['dat']].dtype}({name}_all)"

    def give_back(self, numbers):
        pass

    def text(self):
        self.constants = {}
        self.write_all()
        dats = [f"dat{d}: warp.array2d(dtype=warp.{dat.dtype})" for d, dat in enumerate(self.loop.dats)]
        slots = [(s, k) for s, points in enumerate(self.loop.index) for k in range(len(points))]
        given = ["n: warp.int32", *dats] + [f"index{s}_{k}: warp.array(dtype=warp.int32)" for s, k in slots]
        real = {"float": "float32", "double": "float64"}[self.loop.about["real"]]
        constants = [f"{name} = warp.constant(warp.{real}({value}))" for value, name in self.constants.items()]
        lines = ["t = warp.tid()", "i = warp.min(t, n - 1)" if self.sums_all() else "i = t", *(f"p{s}_{k} = index{s}_{k}[i]" for s, k in slots), *self.lines]
        body = "".join(f"    {line}\n" for line in lines)
        return "\n".join(["import warp", f"Real = warp.{real}", *constants, "", "@warp.kernel(enable_backward=False)",
                          f"def step({', '.join(given)}):", body])  # fmt: skip


class Launched(Calls):
    def __init__(self, loop, device):
        path = loop.folder / "step.py"
        kernel = Kernel(loop)
        path.write_text(kernel.text())
        n_threads = -(-loop.n // TILE) * TILE if kernel.sums_all() else loop.n
        about = importlib.util.spec_from_file_location("step", path)
        module = importlib.util.module_from_spec(about)
        about.loader.exec_module(module)
        self.arrays = [warp.array(dat, dtype=TYPES[str(dat.dtype)], device=device) for dat in loop.dats]
        index = [warp.array(slot, dtype=warp.int32, device=device) for points in loop.index for slot in points]
        launch = warp.launch(module.step, n_threads, [loop.n, *self.arrays, *index], device=device, block_dim=TILE, record_cmd=True)
        super().__init__(launch.launch, lambda: warp.synchronize_device(device), CALLS if loop.on_gpu else 1)

    def dats(self):
        return [array.numpy() for array in self.arrays]


def version():
    return f"Warp {warp.__version__}"


def forget():
    """A module of the same name takes the place of the kernel."""


def build(loop):
    warp.config.quiet = True
    warp.config.kernel_cache_dir = str(cache() / "warp")
    return Launched(loop, f"cuda:{loop.gpu}" if loop.on_gpu else "cpu")
