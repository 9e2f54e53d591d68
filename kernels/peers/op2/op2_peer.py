"""OP2: the loop as an op_par_loop, in the code that OP2's translator makes of it: colours on cores, atomics on a GPU."""

import os
import sys

from compiled import CALLS, VALUES, Program, Source, architecture, call, needed

ACCESS = {"read": "OP_READ", "write": "OP_WRITE", "rw": "OP_RW", "inc": "OP_INC"}
BLOCK = "OP_BLOCK_SIZE=128"  # threads, on a GPU
PROGRAM = """#include "op_seq.h"
#include <op_profile.h>
#include "op_lib_cpp.h"
#include "values.h"

{kernel}
static inline void step({parameters}) {{
{body}}}

void run({handles}) {{
    op_par_loop(step, "step", elements{args});
}}

int main(int, char **argv) {{
    FILE *to = program::answers();
    const std::string folder = argv[1];
    const std::vector<long> size = program::sizes(folder);
    char name[] = "peer", block[] = "{block}";
    char *given[] = {{name, block, nullptr}};
    op_init(2, given, 0);
{declared}    op_profile_start("peer");
    program::serve(to, argv[2], {calls}, [&] {{ run({values}); }}, [] {{}}, [&] {{
{saves}    }});
    op_exit();
}}
"""
# Their translator takes pointers of libclang for ints of 32 bits, and ends by signal 11 where its heap lies high.
TRANSLATE = """import ctypes, runpy, sys
from clang.cindex import conf
conf.lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
conf.lib.clang_EvalResult_getAsInt.argtypes = conf.lib.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Text(Source):
    """Each slot of an arg is an arg of its own."""

    def __init__(self, loop):
        super().__init__(loop)
        self.given = [(a, slot) for a, arg in enumerate(self.args) for slot in arg["slots"] or [None]]
        for arg in self.args:
            if arg["slots"] and loop.about["sets"][arg["set"]]["padded"]:
                raise NotImplementedError("an element has no point in some slot, which OP2's maps do not know")

    def name(self, a, slot):
        return f"arg{a}" if slot is None else f"arg{a}_{slot}"

    def value(self, a, i):
        _, column, slot = self.place(self.args[a], i)
        return f"{self.name(a, slot)}[{column}]"

    def write(self, a, i, value):
        return f"{self.value(a, i)} {'+=' if self.args[a]['access'] == 'inc' else '='} {value};"

    def type(self, dat, soa=True):
        return f'"{dat["type"]}{":soa" if soa and self.loop.on_gpu and dat["dim"] > 1 else ""}"'

    def arg(self, a, slot):
        arg = self.args[a]
        d, dat, access = arg["dat"], self.dats[arg["dat"]], ACCESS[arg["access"]]
        if dat["global"]:
            return f"op_arg_gbl(dat{d}, {dat['dim']}, {self.type(dat, False)}, {access})"
        through = "-1, OP_ID" if slot is None else f"{slot}, map{arg['set']}"
        return f"op_arg_dat(dat{d}, {through}, {dat['dim']}, {self.type(dat)}, {access})"

    def sets(self):
        """Of each dat the set on which it is."""
        found = {}
        for arg in self.args:
            found[arg["dat"]] = "elements" if arg["set"] < 0 else f"set{arg['set']}"
        return found

    def declarations(self):
        lines, sets = [f'op_set elements = op_decl_set({self.size(self.loop.n)}, "elements");'], self.sets()
        for s, (points, slots) in enumerate(zip(self.loop.about["sets"], self.loop.index)):
            n = max(dat["n"] for d, dat in enumerate(self.dats) if sets[d] == f"set{s}")
            lines += [f'op_set set{s} = op_decl_set({self.size(n)}, "set{s}");',
                      f'values<int> index{s}{{folder + "{points["file"]}", {str(points["aos"]).lower()}, {self.size(self.loop.n)}, '
                      f'{len(slots)}, {len(slots)}, {self.size(self.loop.strides[s])}, {{}}, {{}}}};',
                      f'op_map map{s} = op_decl_map(elements, set{s}, {len(slots)}, index{s}.begin(), "map{s}");']  # fmt: skip
        for d, (dat, array) in enumerate(zip(self.dats, self.loop.dats)):
            rows = array.shape[0 if dat["aos"] else 1]
            lines.append(f'values<{dat["type"]}> values{d}{{folder + "{dat["file"]}", {str(dat["aos"]).lower()}, {self.size(dat["n"])}, '
                         f'{dat["dim"]}, {dat["row"]}, {self.size(rows)}, {{}}, {{}}}};')  # fmt: skip
            lines.append(f"{dat['type']} *dat{d} = values{d}.begin();" if dat["global"] else
                         f'op_dat dat{d} = op_decl_dat({sets[d]}, {dat["dim"]}, {self.type(dat)}, values{d}.begin(), "dat{d}");')
        return lines

    def saves(self):
        lines = []
        for d, dat in enumerate(self.dats):
            if dat["written"] and not dat["global"]:
                lines.append(f"op_fetch_data(dat{d}, values{d}.packed.data());")
            if dat["written"]:
                lines.append(f"values{d}.save();")
        return lines

    def text(self):
        def typed(a, slot):
            dat = self.dats[self.args[a]["dat"]]
            return f"{'const ' if self.args[a]['access'] == 'read' else ''}{dat['type']} *{self.name(a, slot)}"

        handles = ["op_set elements", *(f"op_map map{s}" for s in range(len(self.loop.index)))]
        handles += [f"{dat['type'] + ' *' if dat['global'] else 'op_dat '}dat{d}" for d, dat in enumerate(self.dats)]
        lines = lambda texts, indent: "".join(f"{indent}{text}\n" for text in texts)
        return PROGRAM.format(
            kernel=self.kernel, parameters=", ".join(typed(a, slot) for a, slot in self.given), handles=", ".join(handles),
            body=lines(self.body(self.value, self.write), "    "), block=BLOCK,
            args="".join(f",\n                {self.arg(a, slot)}" for a, slot in self.given),
            declared=lines(self.declarations(), "    "), values=", ".join(words.split()[-1].strip("*") for words in handles),
            saves=lines(self.saves(), "        "), calls=CALLS if self.loop.on_gpu else 1)


def root():
    return needed("OP2_ROOT", "a checkout of OP2 whose libraries are built")


def version():
    """As git has it, or the name of a folder that is no repository: one around it is not OP2's."""
    revision = root().name
    if (root() / ".git").exists():
        revision = call("git", "-C", root(), "describe", "--always").strip()
    return f"OP2 {revision}, translator v2"


def build(loop):
    target = "cuda" if loop.on_gpu else "openmp"
    library = root() / "op2/lib" / f"libop2_{target}.a"
    if not library.exists():
        raise ImportError(f"{library} is not built")
    flags = ["-std=c++17", "-O3", f"-I{root() / 'op2/include'}"]

    def make(folder):
        out = folder / "out"
        out.mkdir()
        call(os.environ.get("OP2_PYTHON", sys.executable), "-c", TRANSLATE, root() / "translator-v2/op2-translator", "-I",
             root() / "op2/include", "-t", target, "-o", out, folder / "program.cpp")  # fmt: skip
        given = [*flags, f"-I{folder}", out / "program.cpp"]
        if loop.on_gpu:
            arch = architecture()
            call("nvcc", *flags, f"-arch={arch if arch == 'native' else f'sm_{arch}'}", "--expt-relaxed-constexpr", "-DOP2_CUDA",
                 f"-I{folder}", "-c", out / "cuda/op2_kernels.cu", "-o", out / "kernels.o")
            call("nvcc", *given, out / "kernels.o", library, "-lcuda", "-lnvrtc", "-o", folder / "program")
        else:
            call("c++", *given, "-fopenmp", out / "openmp/op2_kernels.cpp", library, "-o", folder / "program")

    if loop.on_gpu:  # op_decl_map of OP2 for CUDA reads up to 31 elements behind its copy of a map: memory of a heap goes on there
        given = os.environ.get("GLIBC_TUNABLES")
        os.environ["GLIBC_TUNABLES"] = ":".join([*([given] if given else []), "glibc.malloc.mmap_max=0"])
    source = Text(loop)
    return Program(source, {"program.cpp": source.text(), "values.h": VALUES}, library, make)
