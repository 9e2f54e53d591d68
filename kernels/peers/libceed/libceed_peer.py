"""libCEED: gathers and sums by element restrictions, between them the kernel as a QFunction over all elements. Sums over all
elements take several restrictions, each to a 64th of the values, for one would add all by atomics to one number.

Elements are the nodes of one element of libCEED, so that what a restriction gathers lies as a QFunction reads it."""

import re

from compiled import CALLS, VALUES, Program, Source, call, needed

FOLD = 64  # values that one restriction of such a sum adds up
MOST = 16  # fields that a QFunction reads or writes: CEED_FIELD_MAX
STEP = """#include <ceed/types.h>
#ifndef CEED_RUNNING_JIT_PASS
#include <cmath>
#endif

{kernel}
CEED_QFUNCTION(step)(void *, const CeedInt Q, const CeedScalar *const *in, CeedScalar *const *out) {{
    for (CeedInt i = 0; i < Q; i++) {{
{body}    }}
    return CEED_ERROR_SUCCESS;
}}
"""
PROGRAM = """#include <ceed.h>

#include "step.h"
#include "values.h"
{includes}

// A dat on the device: one that is reached by a map ends with a row of zeros, for points that are missing.
struct field {{
    Ceed ceed;
    long n, dim;
    bool aos, direct;
    CeedVector vector, next = nullptr;

    long rows() const {{ return direct ? n : n + 1; }}
    long at(long i, long c) const {{ return aos && !direct ? i * dim + c : c * rows() + i; }}

    template <class T> void fill(const T *packed) {{
        std::vector<CeedScalar> image(rows() * dim, 0);
        for (long i = 0; i < n; i++)
            for (long c = 0; c < dim; c++)
                image[at(i, c)] = packed[i * dim + c];
        vector = made(image.size());
        CeedVectorSetArray(vector, CEED_MEM_HOST, CEED_COPY_VALUES, image.data());
    }}

    template <class T> void fetch(std::vector<T> &packed) const {{
        const CeedScalar *image;
        CeedVectorGetArrayRead(vector, CEED_MEM_HOST, &image);
        for (long i = 0; i < n; i++)
            for (long c = 0; c < dim; c++)
                packed[i * dim + c] = static_cast<T>(image[at(i, c)]);
        CeedVectorRestoreArrayRead(vector, &image);
    }}

    CeedVector made(long size) const {{
        CeedVector out;
        CeedVectorCreate(ceed, size, &out);
        CeedVectorSetValue(out, 0);
        return out;
    }}

    // Where points (nullptr: the first row alone) find components first, first + step ...
    CeedElemRestriction restriction(const int *points, long elements, int slots, long components, long first, long step) const {{
        std::vector<CeedInt> offsets(elements);
        for (long e = 0; e < elements; e++) {{
            const long point = points ? points[e * slots] : 0;
            offsets[e] = at(point < 0 ? n : point, first);
        }}
        CeedElemRestriction out;
        CeedElemRestrictionCreate(ceed, 1, elements, components, step * (at(0, 1) - at(0, 0)), rows() * dim, CEED_MEM_HOST,
                                  CEED_COPY_VALUES, offsets.data(), &out);
        return out;
    }}

    void swap() {{ std::swap(vector, next); }}
}};

// A sum over all elements, value e of m to value e % k of k, again and again.
struct folds {{
    std::vector<CeedElemRestriction> steps;
    std::vector<CeedVector> sums;
    long left;

    folds(const field &of, long n, long components) : left(n) {{
        for (; left > {fold}; sums.push_back(of.made(left * components))) {{
            const long next = (left + {fold} - 1) / {fold};
            std::vector<CeedInt> offsets(left);
            for (long e = 0; e < left; e++)
                offsets[e] = e % next;
            steps.emplace_back();
            CeedElemRestrictionCreate(of.ceed, 1, left, components, next, next * components, CEED_MEM_HOST, CEED_COPY_VALUES,
                                      offsets.data(), &steps.back());
            left = next;
        }}
    }}

    CeedVector apply(CeedVector values) const {{
        for (size_t i = 0; i < steps.size(); values = sums[i++]) {{
            CeedVectorSetValue(sums[i], 0);
            CeedElemRestrictionApply(steps[i], CEED_TRANSPOSE, values, sums[i], CEED_REQUEST_IMMEDIATE);
        }}
        return values;
    }}
}};

int main(int, char **argv) {{
    FILE *to = program::answers();
    const std::string folder = argv[1];
    const std::vector<long> size = program::sizes(folder);
    const long n = {n};
    Ceed ceed;
    CeedInit("{resource}", &ceed);
    CeedQFunction step_function;
    CeedQFunctionCreateInterior(ceed, 1, step, (folder + "step.h:step").c_str(), &step_function);
{declared}
    const auto run = [&] {{
{steps}    }};
    const char *resource;
    CeedGetResource(ceed, &resource);
    const std::string version = std::string(argv[2]) + ", " + resource;
    program::serve(to, version.c_str(), {calls}, run, [] {{ {wait} }}, [&] {{
{saves}    }});
}}
"""


class Text(Source):
    def __init__(self, loop):
        super().__init__(loop)
        real = "float" if '\n#include "ceed-f32.h"' in (installed()[0] / "include/ceed/types.h").read_text() else "double"
        if loop.about["real"] != real:
            raise NotImplementedError(f"this libCEED computes in {real}")
        self.inputs, self.outputs, used = [], [], {}
        for a, arg in enumerate(self.args):
            direct = self.is_direct(arg)
            used.setdefault(arg["dat"], []).append((direct, arg["access"]))
            for slot in arg["slots"] or [None]:
                field = (a, slot)
                if arg["access"] in ("read", "rw") or (direct and arg["access"] == "inc"):
                    self.inputs.append(field)
                if arg["access"] != "read":
                    self.outputs.append(field)
        for ways in used.values():
            if len(ways) > 1 and (len(set(ways)) > 1 or ways[0][0] and ways[0][1] != "read"):
                raise NotImplementedError("a dat is given twice, read and written: a restriction takes two vectors")
        if max(len(self.inputs), len(self.outputs)) > MOST:
            raise NotImplementedError(f"a QFunction of libCEED reads and writes at most {MOST} fields")

    def is_direct(self, arg):
        return not arg["slots"] and not self.dats[arg["dat"]]["global"]

    def components(self, arg):
        """First and step of the components of an arg."""
        given = self.dats[arg["dat"]]["components"]
        step = given[1] - given[0] if len(given) > 1 else 1
        if step < 1 or given != list(range(given[0], given[0] + step * len(given), step)):
            raise NotImplementedError("components of a dat in no order that a restriction knows")
        return given[0], step, len(given)

    def value(self, side, a, i):
        _, column, slot = self.place(self.args[a], i)
        fields = self.inputs if side == "in" else self.outputs
        if not self.is_direct(self.args[a]):
            column = i % len(self.dats[self.args[a]["dat"]]["components"])
        return f"{side}[{fields.index((a, slot))}][{column} * Q + i]"

    def read(self, a, i):
        return f"({self.dats[self.args[a]['dat']]['type']}){self.value('in', a, i)}"

    def write(self, a, i, value):
        arg = self.args[a]
        added = self.is_direct(arg) and arg["access"] == "inc"
        return f"{self.value('out', a, i)} = {self.value('in', a, i) + ' + ' if added else ''}{value};"

    def declarations(self):
        lines = []
        for d, (dat, array) in enumerate(zip(self.dats, self.loop.dats)):
            direct = any(self.is_direct(arg) for arg in self.args if arg["dat"] == d)
            rows = array.shape[0 if dat["aos"] else 1]
            if direct and dat["n"] != self.loop.n:
                raise NotImplementedError("a dat has other rows than the loop has elements")
            if direct and dat["written"] and len(dat["components"]) != dat["dim"]:
                raise NotImplementedError("a part of a dat is written")
            lines += [f'values<{dat["type"]}> values{d}{{folder + "{dat["file"]}", {str(dat["aos"]).lower()}, {self.size(dat["n"])}, '
                      f'{dat["dim"]}, {dat["row"]}, {self.size(rows)}, {{}}, {{}}}};',
                      f'field dat{d}{{ceed, values{d}.n, {dat["dim"]}, {str(dat["aos"]).lower()}, {str(direct).lower()}, nullptr}};',
                      f"dat{d}.fill(values{d}.begin());"]  # fmt: skip
            if direct and dat["written"]:
                lines.append(f"dat{d}.next = dat{d}.made(dat{d}.n * dat{d}.dim);")
        for s, (points, slots) in enumerate(zip(self.loop.about["sets"], self.loop.index)):
            lines += [f'values<int> index{s}{{folder + "{points["file"]}", {str(points["aos"]).lower()}, n, {len(slots)}, {len(slots)}, '
                      f'{self.size(self.loop.strides[s])}, {{}}, {{}}}};', f"const int *points{s} = index{s}.begin();"]  # fmt: skip
        for side, fields in (("In", self.inputs), ("Out", self.outputs)):
            for k, (a, slot) in enumerate(fields):
                arg = self.args[a]
                first, step, width = self.components(arg)
                dat, name = f"dat{arg['dat']}", f"{side.lower()}{k}"
                if self.is_direct(arg):
                    width = self.dats[arg["dat"]]["dim"]
                else:
                    points = "nullptr, n, 0" if slot is None else f"points{arg['set']} + {slot}, n, {len(self.loop.index[arg['set']])}"
                    if side == "Out" and slot is None:
                        lines.append(f"const folds folds{k}({dat}, n, {width});")
                        points = f"nullptr, folds{k}.left, 0"
                    lines += [f"const auto restrict_{name} = {dat}.restriction({points}, {width}, {first}, {step});",
                              f"const CeedVector {name} = {dat}.made(n * {width});"]  # fmt: skip
                lines.append(f'CeedQFunctionAdd{side}put(step_function, "{name}", {width}, CEED_EVAL_NONE);')
        return lines

    def steps(self):
        """Gather, the QFunction, add; and vectors with new values in the place of those with the old ones."""
        def vectors(name, fields, own):
            given = [f"dat{self.args[a]['dat']}.{own}" if self.is_direct(self.args[a]) else f"{name}{k}" for k, (a, _) in enumerate(fields)]
            return f"CeedVector {name}[] = {{{', '.join(given) or 'nullptr'}}};"

        apply = lambda name, way, first, second: f"CeedElemRestrictionApply(restrict_{name}, {way}, {first}, {second}, CEED_REQUEST_IMMEDIATE);"
        lines = []
        for k, (a, _) in enumerate(self.inputs):
            if not self.is_direct(self.args[a]):
                lines.append(apply(f"in{k}", "CEED_NOTRANSPOSE", f"dat{self.args[a]['dat']}.vector", f"in{k}"))
        lines += [vectors("in", self.inputs, "vector"), vectors("out", self.outputs, "next"),
                  "CeedQFunctionApply(step_function, n, in, out);"]  # fmt: skip
        for k, (a, _) in enumerate(self.outputs):
            arg = self.args[a]
            dat, values = f"dat{arg['dat']}", f"out{k}" if arg["slots"] else f"folds{k}.apply(out{k})"
            lines.append(f"{dat}.swap();" if self.is_direct(arg) else apply(f"out{k}", "CEED_TRANSPOSE", values, f"{dat}.vector"))
        return lines

    def texts(self):
        lines = lambda texts, indent: "".join(f"{indent}{text}\n" for text in texts)
        gpu = self.loop.on_gpu
        program = PROGRAM.format(  # of CUDA the backend ref, for gen applies no QFunction alone
            fold=FOLD, n=self.size(self.loop.n), resource=f"/gpu/cuda/ref:device_id={self.loop.gpu}" if gpu else "/cpu/self",
            includes="#include <cuda_runtime.h>" if gpu else "", wait="cudaDeviceSynchronize();" if gpu else "",
            declared=lines(self.declarations(), "    "), steps=lines(self.steps(), "        "), calls=CALLS if gpu else 1,
            saves=lines([f"dat{d}.fetch(values{d}.packed); values{d}.save();" for d, dat in enumerate(self.dats) if dat["written"]], "        "))
        step = STEP.format(kernel=self.kernel, body=lines(self.body(self.read, self.write), "        "))
        return {"program.cpp": program, "step.h": step, "values.h": VALUES}


def installed():
    """The folder of libCEED and its library."""
    root = needed("LIBCEED_ROOT", "a folder with include/ceed.h and lib/libceed.so")
    library = root / "lib/libceed.so"
    if not library.exists() or not (root / "include/ceed/ceed.h").exists():
        raise ImportError(f"{root} has no include/ceed/ceed.h or no lib/libceed.so")
    return root, library


def version():
    text = (installed()[0] / "include/ceed/ceed.h").read_text()
    return "libCEED " + ".".join(re.search(rf"CEED_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def build(loop):
    root, library = installed()

    def make(folder):
        call("nvcc" if loop.on_gpu else "c++", "-std=c++17", "-O3", f"-I{root / 'include'}", f"-I{folder}", folder / "program.cpp",
             library, "-Xlinker", "--allow-shlib-undefined", "-Xlinker", "-rpath", "-Xlinker", library.parent, "-o", folder / "program")  # fmt: skip

    source = Text(loop)
    texts = source.texts()
    (loop.folder / "step.h").write_text(texts["step.h"])  # which libCEED compiles for a GPU when the program runs
    return Program(source, texts, library, make)
