"""Kokkos: a loop as parallel_for over Views, sums by ScatterView: duplicated on cores, atomic on a GPU; sums over all
elements by parallel_reduce."""

import re

from compiled import CALLS, Program, Source, call, needed

CMAKE = """cmake_minimum_required(VERSION 3.16)
project(peer CXX)
find_package(Kokkos REQUIRED CONFIG)
add_executable(program program.cpp)
target_link_libraries(program Kokkos::kokkos)
"""
PROGRAM = """#include "program.h"
#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>

namespace user {{
#define inline inline KOKKOS_FUNCTION
{kernel}
#undef inline
}} // namespace user

using space = {space};

template <class VIEW> VIEW filled(const std::string &path, size_t n, size_t columns) {{
    using host = Kokkos::View<typename VIEW::data_type, typename VIEW::array_layout, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    auto values = program::read<typename VIEW::value_type>(path, n * columns);
    VIEW view(path, n, columns);
    Kokkos::deep_copy(view, host(values.data(), n, columns));
    return view;
}}

template <class VIEW> void save(const std::string &path, const VIEW &view) {{
    using host = Kokkos::View<typename VIEW::data_type, typename VIEW::array_layout, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    std::vector<typename VIEW::value_type> values(view.size());
    Kokkos::deep_copy(host(values.data(), view.extent(0), view.extent(1)), view);
    program::write(path, values);
}}

struct loop {{
    const std::vector<long> size;
{members}
    explicit loop(const std::string &folder)
        : size(program::sizes(folder)),
          {filled} {{}}

    void step() {{
{copies}        const int n = {n};
{reset}        Kokkos::parallel_{way}("{function}", Kokkos::RangePolicy<space>(0, n), KOKKOS_LAMBDA(const int i{partial}) {{
{access}{body}        }}{results});
{contribute}    }}

    void save_all(const std::string &folder) const {{
{saves}    }}
}};

int main(int, char **argv) {{
    FILE *to = program::answers();
    Kokkos::ScopeGuard guard(Kokkos::InitializationSettings().set_device_id({gpu}));
    const std::string version = std::string(argv[2]) + " " + space::name();
    loop on(argv[1]);
    program::serve(to, version.c_str(), {calls}, [&] {{ on.step(); }}, [] {{ Kokkos::fence(); }},
                   [&] {{ on.save_all(argv[1]); }});
}}
"""


class Text(Source):
    def __init__(self, loop):
        super().__init__(loop)
        self.called = f"user::{self.function}"

    def summed(self):
        """The dats to whose points elements add, by number."""
        return sorted({arg["dat"] for arg in self.args if arg["access"] == "inc" and arg["slots"]})

    def totals(self):
        """The sums over all elements: dat and column."""
        return sorted({(arg["dat"], column) for arg in self.args if arg["access"] == "inc" and self.dats[arg["dat"]]["global"]
                       for column in self.dats[arg["dat"]]["components"]})  # fmt: skip

    def at(self, a, i):
        arg = self.args[a]
        dat, column, slot = self.place(arg, i)
        row = "0" if dat["global"] else "i" if slot is None else f"index{arg['set']}(i, {slot})"
        return row, column, slot

    def read(self, a, i):
        arg = self.args[a]
        row, column, slot = self.at(a, i)
        value = f"dat{arg['dat']}({row}, {column})"
        padded = slot is not None and self.loop.about["sets"][arg["set"]]["padded"]
        return f"{row} < 0 ? 0 : {value}" if padded else value

    def write(self, a, i, value):
        arg = self.args[a]
        row, column, slot = self.at(a, i)
        if arg["access"] != "inc":
            return f"dat{arg['dat']}({row}, {column}) = {value};"
        if (arg["dat"], column) in self.totals():
            return f"total{arg['dat']}_{column} += {value};"
        name = f"sums{arg['dat']}" if arg["dat"] in self.summed() else f"dat{arg['dat']}"
        return f"{name}({row}, {column}) += {value};"

    def text(self):
        views = []
        for d, (dat, array) in enumerate(zip(self.dats, self.loop.dats)):
            layout = "LayoutRight" if dat["aos"] else "LayoutLeft"
            rows, columns = array.shape if dat["aos"] else array.shape[::-1]
            views.append((f"dat{d}", f"Kokkos::View<{dat['type']} **, Kokkos::{layout}, space>", dat["file"], rows, columns))
        for s, (points, slots) in enumerate(zip(self.loop.about["sets"], self.loop.index)):
            layout = "LayoutRight" if points["aos"] else "LayoutLeft"
            rows = self.loop.strides[s]
            views.append((f"index{s}", f"Kokkos::View<int **, Kokkos::{layout}, space>", points["file"], rows, len(slots)))
        summed, totals = self.summed(), self.totals()
        members = [f"    {kind} {name};\n" for name, kind, *_ in views]
        filled = [f'{name}(filled<{kind}>(folder + "{file}", {self.size(rows)}, {columns}))' for name, kind, file, rows, columns in views]
        for d in summed:
            kind = views[d][1]
            members.append(f"    decltype(Kokkos::Experimental::create_scatter_view({kind}())) scatter{d};\n")
            filled.append(f"scatter{d}(Kokkos::Experimental::create_scatter_view(dat{d}))")
        for d, c in totals:
            kind = f"Kokkos::View<{self.dats[d]['type']}, space>"
            members.append(f"    {kind} of_all{d}_{c};\n")
            filled.append(f'of_all{d}_{c}("of_all{d}_{c}")')
        copies = [f"        const auto {name} = this->{name};\n" for name, *_ in views]
        copies += [f"        const auto of_all{d}_{c} = this->of_all{d}_{c};\n" for d, c in totals]
        copies += [f"        const auto scatter{d} = this->scatter{d};\n" for d in summed]
        lines = {
            "kernel": self.kernel, "members": "".join(members), "filled": ",\n          ".join(filled),
            "copies": "".join(copies), "n": f"static_cast<int>({self.size(self.loop.n)})", "function": self.function,
            "reset": "".join(f"        this->scatter{d}.reset_except(this->dat{d});\n" for d in summed),
            "access": "".join(f"            const auto sums{d} = scatter{d}.access();\n" for d in summed),
            "way": "reduce" if totals else "for",
            "partial": "".join(f", {self.dats[d]['type']} &total{d}_{c}" for d, c in totals),
            "results": "".join(f", of_all{d}_{c}" for d, c in totals),
            "contribute": "".join(f"        Kokkos::Experimental::contribute(this->dat{d}, this->scatter{d});\n" for d in summed) +
                          "".join("        Kokkos::parallel_for(Kokkos::RangePolicy<space>(0, 1), KOKKOS_LAMBDA(int) { "
                                  f"dat{d}(0, {c}) += of_all{d}_{c}(); }});\n" for d, c in totals),
            "body": "".join(f"            {line}\n" for line in self.body(self.read, self.write)),
            "saves": "".join(f'        save(folder + "{dat["file"]}", dat{d});\n' for d, dat in enumerate(self.dats) if dat["written"]),
            "space": f"Kokkos::Default{'' if self.loop.on_gpu else 'Host'}ExecutionSpace", "gpu": self.loop.gpu,
            "calls": CALLS if self.loop.on_gpu else 1}
        return PROGRAM.format(**lines)


def installed():
    """The folder of the installed Kokkos, the text of its configuration and its library."""
    root = needed("KOKKOS_ROOT", "the folder in which Kokkos is installed")
    found = [next(root.rglob(name), None) for name in ("KokkosCore_config.h", "libkokkoscore.*")]
    if None in found:
        raise ImportError(f"{root} holds no installed Kokkos")
    return root, found[0].read_text(), found[1]


def version():
    number = int(re.search(r"KOKKOS_VERSION (\d+)", installed()[1])[1])
    return f"Kokkos {number // 10000}.{number // 100 % 100}.{number % 100}"


def build(loop):
    root, configuration, library = installed()
    has_gpu = "define KOKKOS_ENABLE_CUDA\n" in configuration
    if loop.on_gpu and not has_gpu:
        raise ImportError(f"the Kokkos in {root} is not built for CUDA")
    compiler = [f"-DCMAKE_CXX_COMPILER={root / 'bin/nvcc_wrapper'}"] if has_gpu else []

    def make(folder):
        call("cmake", "-S", folder, "-B", folder, f"-DKokkos_ROOT={root}", "-DCMAKE_BUILD_TYPE=Release", *compiler)
        call("cmake", "--build", folder)

    source = Text(loop)
    return Program(source, {"program.cpp": source.text(), "CMakeLists.txt": CMAKE}, library, make)
