"""Recipes of packages: they are of this version, and bring what CMake asks for."""

import re
import types

import pytest
from conftest import ROOT

VERSION = re.search(r"project\(tesselab VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
# What CMake calls a library: as Debian does (to build with it), conda and Spack.
NAMES = {"hdf5": ("libhdf5-dev", "hdf5", "hdf5"), "libarchive": ("libarchive-dev", "libarchive", "libarchive"),
         "jansson": ("libjansson-dev", "jansson", "jansson"), "yaml-0.1": ("libyaml-dev", "yaml", "libyaml"),
         "expat": ("libexpat1-dev", "expat", "expat"), "zlib": ("zlib1g-dev", "zlib", "zlib-api"),
         "smartcols": ("libsmartcols-dev", "util-linux", "util-linux"), "libcrypto": ("libssl-dev", "openssl", "openssl"),
         "libxxhash": ("libxxhash-dev", "xxhash", "xxhash"), "metis": ("libmetis-dev", "metis", "metis"),
         "scotch": ("libscotch-dev", "scotch", "scotch")}  # fmt: skip
OPTIONAL = {"metis", "scotch"}


def read(path):
    return (ROOT / path).read_text()


@pytest.mark.parametrize("path, pattern, digits", [
    ("CHANGELOG.md", r"^## (\d\S+) - \d{4}-\d\d-\d\d$", 3), ("python/pyproject.toml", r'^version = "(.*)"$', 3),
    ("debian/changelog", r"^tesselab \((.*)-1\)", 3), ("debian/control", r"^Package: libtesselab(\d.*)$", 2),
    ("packaging/conda/recipe.yaml", r"^  version: (.*)$", 3), ("packaging/spack/package.py", r'version\("(.*?)"\)', 3),
    ("packaging/spack/package.py", r"tesselab@(\S+),", 3), ("include/tesselab.h", r'"(.*)"; static', 3),
    ("include/tesselab.h", r"find_package\(tesselab (\S+)", 2), ("docs/c_library/CMakeLists.txt", r"find_package\(tesselab (\S+)", 2),
    ("tests/experiments/cli/consumer/CMakeLists.txt", r"find_package\(tesselab (\S+)", 2),
    ("docs/c_library/README.md", r"find_package\(tesselab (\S+)", 2), ("python/tesselab/shared_library.py", r'^VERSION = "(.*?)"', 2)])  # fmt: skip
def test_all_say_the_same_version(path, pattern, digits):
    """The newest where a file has a history."""
    assert re.search(pattern, read(path), re.M)[1] == VERSION.rsplit(".", 3 - digits)[0]


def test_debian_names_its_files_by_the_library():
    library = "libtesselab" + VERSION.rpartition(".")[0]
    assert {path.name for path in (ROOT / "debian").glob("libtesselab[0-9]*")} == {f"{library}.install", f"{library}.lintian-overrides"}


def test_the_table_has_what_cmake_asks_for():
    lists = "\n".join(path.read_text() for path in ROOT.glob("*/CMakeLists.txt"))
    asked = set(re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET (\S+)\)", lists))
    asked |= set(re.findall(r'^tess_library_of_others\(\w+ "?(?:[\w-]+;)*([\w-]+)', lists, re.M))  # the last of what would do
    asked |= {name for name in re.findall(r"^find_library\(\w+ (\w+)", read("partitioners/CMakeLists.txt"), re.M) if name != "scotcherr"}
    assert asked == set(NAMES)


def test_debian_and_docker_bring_it():
    control, image, build = read("debian/control"), read("packaging/Dockerfile"), read("bootstrap")
    asked = re.search(r"^Build-Depends:(.*?)^\S", control, re.M | re.S)[1]
    for debian, _, _ in NAMES.values():
        assert debian in re.split(r"[,\s]+", asked) and re.search(rf"\b{debian}\b", build)
    installed = re.findall(r"\blib[\w.-]+|zlib1g", image[image.index("\nFROM debian:12\n"):])
    for debian, _, _ in NAMES.values():
        stem = re.sub("(1g?)?-dev$", "", debian)
        assert [name for name in installed if name.startswith(stem)], f"{debian} has no library in the image"
    assert "./bootstrap build" in image and 'ENTRYPOINT ["tess"]' in image


def test_conda_brings_it():
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))
    host = {line.split()[0] for line in recipe["requirements"]["host"]}
    assert {conda for _, conda, _ in NAMES.values()} <= host
    project = read("python/pyproject.toml")
    asked = re.findall(r'"([a-z0-9]+)', re.search(r"^dependencies = \[(.*?)\]", project, re.M | re.S)[1])
    run = {line.split()[0].removesuffix("-base") for line in recipe["requirements"]["run"]}
    assert set(asked) <= run
    assert re.search(r'^requires-python = "(.*)"', project, re.M)[1] in [line.partition(" ")[2] for line in recipe["requirements"]["run"]]


class Recipe:
    """Stands for Spack: keeps what directives of a package say."""

    def __init__(self):
        self.said = {name: [] for name in ("version", "variant", "depends_on", "license", "generator")}

    def names(self):
        def keep(name):
            return lambda *words, **more: self.said[name].append((words, more))

        return {name: keep(name) for name in self.said} | {"CMakePackage": type("CMakePackage", (), {})}

    def of(self, name):
        return {words[0]: more for words, more in self.said[name]}


def test_spack_brings_it(monkeypatch):
    recipe = Recipe()
    for module in ("spack", "spack.package", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems",
                   "spack_repo.builtin.build_systems.cmake"):  # fmt: skip
        made = types.ModuleType(module)
        made.__dict__.update(recipe.names(), __all__=list(recipe.names()))
        monkeypatch.setitem(__import__("sys").modules, module, made)
    namespace = {}
    exec(compile(read("packaging/spack/package.py"), "package.py", "exec"), namespace)
    assert issubclass(namespace["Tesselab"], namespace["CMakePackage"])
    assert list(recipe.of("version")) == [VERSION] and set(recipe.of("variant")) == OPTIONAL
    asked = {re.split("[~+@]", name)[0]: more for name, more in recipe.of("depends_on").items()}
    for name, (_, _, spack) in NAMES.items():
        assert asked[spack].get("when") == (f"+{name}" if name in OPTIONAL else None), name
    least = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", read("CMakeLists.txt"))[1]
    assert f"cmake@{least}:" in recipe.of("depends_on")
