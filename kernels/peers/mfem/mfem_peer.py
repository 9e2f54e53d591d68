"""MFEM: gathers and sums by the element restriction of linear elements whose vertices are a map's points, between them the
kernel under forall; sums over all elements by Vector::Sum."""

import importlib.util
import os
import pathlib
import re

from compiled import CALLS, VALUES, Program, Source, architecture, call, needed

SHAPES = {2: "SEGMENT", 3: "TRIANGLE", 4: "TETRAHEDRON", 8: "CUBE"}  # by a map's points; no side of a quad is three of its points
PROGRAM = """#include <mfem.hpp>

#include "values.h"

namespace user {{
#define inline inline MFEM_HOST_DEVICE
{kernel}
#undef inline
}} // namespace user

struct field {{
    long n, dim;
    bool aos;
    mfem::Vector vector;

    MFEM_HOST_DEVICE static long at(bool aos, long n, long dim, long i, long c) {{ return aos ? i * dim + c : c * n + i; }}

    template <class T> void fill(const T *packed) {{
        vector.SetSize(n * dim);
        vector.UseDevice(true);
        mfem::real_t *image = vector.HostWrite();
        for (long i = 0; i < n; i++)
            for (long c = 0; c < dim; c++)
                image[at(aos, n, dim, i, c)] = packed[i * dim + c];
    }}

    template <class T> void fetch(std::vector<T> &packed) const {{
        const mfem::real_t *image = vector.HostRead();
        for (long i = 0; i < n; i++)
            for (long c = 0; c < dim; c++)
                packed[i * dim + c] = static_cast<T>(image[at(aos, n, dim, i, c)]);
    }}
}};

// The elements of a loop with the points of a map as vertices.
struct elements {{
    mfem::Mesh mesh;
    mfem::H1_FECollection linear;

    elements(long points, long n, mfem::Geometry::Type shape, int slots, const int *index)
        : mesh(mfem::Geometry::Dimension[shape], points, n), linear(1, mfem::Geometry::Dimension[shape]) {{
        for (long i = 0; i < points; i++)
            mesh.AddVertex(0.0);
        for (long e = 0; e < n; e++) {{
            mfem::Element *element = mesh.NewElement(shape);
            element->SetVertices(index + e * slots);
            mesh.AddElement(element);
        }}
        mesh.FinalizeTopology(false);
    }}
}};

// Values at the points of elements, and between them and a field.
struct gathered {{
    mfem::FiniteElementSpace space;
    const mfem::ElementRestriction restriction;
    mfem::Vector vector;

    gathered(elements &on, const field &of)
        : space(&on.mesh, &on.linear, of.dim, of.aos ? mfem::Ordering::byVDIM : mfem::Ordering::byNODES),
          restriction(space, mfem::ElementDofOrdering::NATIVE), vector(restriction.Height()) {{
        vector.UseDevice(true);
        vector = 0.0;
    }}
}};

int main(int, char **argv) {{
    FILE *to = program::answers();
    const std::string folder = argv[1];
    const std::vector<long> size = program::sizes(folder);
    const long n = {n};
    mfem::Device device("{device}", {gpu});
{declared}
    const auto run = [&] {{
{gathers}        mfem::forall(n, [=] MFEM_HOST_DEVICE(int i) {{
{body}        }});
{adds}    }};
    const std::string version = std::string(argv[2]) + ", {device}";
    program::serve(to, version.c_str(), {calls}, run, [] {{ MFEM_DEVICE_SYNC; }}, [&] {{
{saves}    }});
}}
"""


class Text(Source):
    def __init__(self, loop):
        super().__init__(loop)
        self.called = f"user::{self.function}"
        real = "float" if defines(installed()[2], "MFEM_USE_SINGLE") else "double"
        if loop.about["real"] != real:
            raise NotImplementedError(f"this MFEM computes in {real}")
        for points, slots in zip(loop.about["sets"], loop.index):
            if len(slots) not in SHAPES:
                raise NotImplementedError(f"no element of MFEM has {len(slots)} vertices")
            if points["padded"]:
                raise NotImplementedError("an element has no point in some slot, which no element of MFEM knows")

    def totals(self):
        """The dats of sums over all elements, by number."""
        return sorted({arg["dat"] for arg in self.args if self.dats[arg["dat"]]["global"] and arg["access"] == "inc"})

    def pairs(self, *accesses):
        """Dats with the set by which they are reached in one of these ways."""
        return sorted({(arg["dat"], arg["set"]) for arg in self.args if arg["slots"] and arg["access"] in accesses})

    def value(self, a, i, side):
        arg = self.args[a]
        dat, column, slot = self.place(arg, i)
        d = arg["dat"]
        if dat["global"]:
            return f"dat{d}[{column}]" if arg["access"] == "read" else f"each{d}[i + {column} * n]"
        if slot is None:
            return f"dat{d}[field::at({str(dat['aos']).lower()}, n, {dat['dim']}, i, {column})]"
        n_slots = len(self.loop.index[arg["set"]])
        return f"{side}{d}_{arg['set']}[{slot} + {n_slots} * ({column} + {dat['dim']} * i)]"

    def read(self, a, i):
        return f"({self.dats[self.args[a]['dat']]['type']}){self.value(a, i, 'in')}"

    def write(self, a, i, value):
        arg = self.args[a]
        if arg["slots"] or self.dats[arg["dat"]]["global"]:
            return f"{self.value(a, i, 'out')} {'+=' if self.n_adding(arg) > 1 else '='} {value};"
        return f"{self.value(a, i, '')} {'+=' if arg['access'] == 'inc' else '='} {value};"

    def n_adding(self, arg):
        """How many args add to the same values of elements."""
        return sum((other["dat"], other["set"], other["access"]) == (arg["dat"], arg["set"], "inc") for other in self.args)

    def declarations(self):
        lines = []
        for d, (dat, array) in enumerate(zip(self.dats, self.loop.dats)):
            rows = array.shape[0 if dat["aos"] else 1]
            lines += [f'values<{dat["type"]}> values{d}{{folder + "{dat["file"]}", {str(dat["aos"]).lower()}, {self.size(dat["n"])}, '
                      f'{dat["dim"]}, {dat["row"]}, {self.size(rows)}, {{}}, {{}}}};',
                      f"field field{d}{{values{d}.n, {dat['dim']}, {str(dat['aos']).lower()}, {{}}}};",
                      f"field{d}.fill(values{d}.begin());"]  # fmt: skip
        for s, (points, slots) in enumerate(zip(self.loop.about["sets"], self.loop.index)):
            n = max(self.dats[arg["dat"]]["n"] for arg in self.args if arg["set"] == s and arg["slots"])
            lines += [f'values<int> index{s}{{folder + "{points["file"]}", {str(points["aos"]).lower()}, n, {len(slots)}, {len(slots)}, '
                      f'{self.size(self.loop.strides[s])}, {{}}, {{}}}};',
                      f"elements elements{s}({self.size(n)}, n, mfem::Geometry::{SHAPES[len(slots)]}, {len(slots)}, index{s}.begin());"]
        for side, accesses in (("reads", ("read",)), ("adds", ("inc",))):
            lines += [f"gathered {side}{d}_{s}(elements{s}, field{d});" for d, s in self.pairs(*accesses)]
        for d in self.totals():
            lines += [f"mfem::Vector all{d}(n * {self.dats[d]['dim']}), column{d};", f"all{d}.UseDevice(true);", f"all{d} = 0.0;"]
        return lines

    def gathers(self):
        lines = [f"reads{d}_{s}.restriction.Mult(field{d}.vector, reads{d}_{s}.vector);" for d, s in self.pairs("read")]
        lines += [f"const mfem::real_t *in{d}_{s} = reads{d}_{s}.vector.Read();" for d, s in self.pairs("read")]
        for d, s in self.pairs("inc"):
            args = [arg for arg in self.args if (arg["dat"], arg["set"], arg["access"]) == (d, s, "inc")]
            whole = len(args) == 1 and args[0]["size"] == self.dats[d]["dim"] * len(self.loop.index[s])
            lines += [] if whole else [f"adds{d}_{s}.vector = 0.0;"]
            lines.append(f"mfem::real_t *out{d}_{s} = adds{d}_{s}.vector.{'Write' if whole else 'ReadWrite'}();")
        for d in self.totals():
            n_args = sum(arg["dat"] == d for arg in self.args)
            lines += [f"all{d} = 0.0;"] * (n_args > 1) + [f"mfem::real_t *each{d} = all{d}.ReadWrite();"]
        for d, dat in enumerate(self.dats):
            ways = [arg["access"] for arg in self.args if arg["dat"] == d and not arg["slots"] and d not in self.totals()]
            if ways:
                is_read = set(ways) == {"read"}
                lines.append(f"{'const ' if is_read else ''}mfem::real_t *dat{d} = field{d}.vector.{'Read' if is_read else 'ReadWrite'}();")
        return lines

    def text(self):
        lines = lambda texts, indent: "".join(f"{indent}{text}\n" for text in texts)
        adds = [f"adds{d}_{s}.restriction.AddMultTranspose(adds{d}_{s}.vector, field{d}.vector);" for d, s in self.pairs("inc")]
        for d in self.totals():
            for c in self.dats[d]["components"]:
                adds += [f"column{d}.MakeRef(all{d}, {c} * n, n);", f"const mfem::real_t total{d}_{c} = column{d}.Sum();"]
            added = " ".join(f"dat{d}[{c}] += total{d}_{c};" for c in self.dats[d]["components"])
            adds += [f"mfem::real_t *dat{d} = field{d}.vector.ReadWrite();", f"mfem::forall(1, [=] MFEM_HOST_DEVICE(int) {{ {added} }});"]
        saves = [f"field{d}.fetch(values{d}.packed); values{d}.save();" for d, dat in enumerate(self.dats) if dat["written"]]
        return PROGRAM.format(
            kernel=self.kernel, n=self.size(self.loop.n), device="cuda" if self.loop.on_gpu else "cpu", gpu=self.loop.gpu,
            declared=lines(self.declarations(), "    "), gathers=lines(self.gathers(), "        "),
            body=lines(self.body(self.read, self.write), "            "), adds=lines(adds, "        "), saves=lines(saves, "        "),
            calls=CALLS if self.loop.on_gpu else 1)  # fmt: skip


def defines(configuration, name):
    """MFEM's makefile leaves what is not used as a comment, `// #define NAME`."""
    return re.search(rf"^#define {name}\b", configuration, re.M) is not None


def installed():
    """The folder of MFEM, its library and the text of its configuration."""
    package = importlib.util.find_spec("mfem")
    if package and "MFEM_ROOT" not in os.environ:
        root = pathlib.Path(package.submodule_search_locations[0]) / "external/ser"
    else:
        root = needed("MFEM_ROOT", "the folder in which MFEM is installed, unless this Python has it: pip install mfem")
    library = next((root / "lib" / name for name in ("libmfem.so", "libmfem.a") if (root / "lib" / name).exists()), None)
    configuration = root / "include/mfem/config/_config.hpp"
    if not library or not configuration.exists():
        raise ImportError(f"{root} holds no installed MFEM")
    return root, library, configuration.read_text()


def version():
    return "MFEM " + re.search(r'MFEM_VERSION_STRING "([^"]*)"', installed()[2])[1]


def build(loop):
    root, library, configuration = installed()
    if loop.on_gpu and not defines(configuration, "MFEM_USE_CUDA"):
        raise ImportError(f"the MFEM in {root} is not built for CUDA")

    def make(folder):
        arch = architecture()
        compiler = ["c++"] if not loop.on_gpu else [
            "nvcc", "-x", "cu", f"-arch={arch if arch == 'native' else f'sm_{arch}'}", "--expt-extended-lambda", "--expt-relaxed-constexpr"]
        link = ["-Xlinker", str(library)] if loop.on_gpu else [library]
        call(*compiler, "-std=c++17", "-O3", f"-I{root / 'include'}", f"-I{folder}", folder / "program.cpp", *link, "-o", folder / "program",
             "-Xlinker", "-rpath", "-Xlinker", library.parent)  # fmt: skip

    source = Text(loop)
    return Program(source, {"program.cpp": source.text(), "values.h": VALUES}, library, make)
