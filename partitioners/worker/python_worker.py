"""The Python worker: what becomes of tess-worker where a partitioner is a Python library, or a function
of the user's.

partitioners/worker/python_call.c starts it with the text of python/tesselab/problem.py and words key=value:
what to partition, and where in the shared memory of the request (a file descriptor) the answer goes."""

import sys

sys.path = [folder for folder in sys.path if folder]  # the current folder holds no library

import array
import importlib
import importlib.util
import mmap
import os
import struct
import time
import types


def mtkahypar_blocks(mtkahypar, asked):
    """Blocks that minimise km1, the weight of each net times (blocks that it touches - 1), or cut, the weight of
    the nets that touch more than one."""
    initializer = mtkahypar.initialize(int(asked["threads"]), False)
    mtkahypar.set_seed(int(asked["seed"]))
    context = initializer.context_from_preset(
        getattr(mtkahypar.PresetType, asked["preset"].upper()))
    context.set_partitioning_parameters(
        int(asked["n_parts"]), float(asked["imbalance"]),
        getattr(mtkahypar.Objective, asked["objective"].upper()))
    context.logging = False
    hypergraph = initializer.hypergraph_from_file(
        asked["input"], context, mtkahypar.FileFormat.HMETIS)
    return hypergraph.partition(context).get_partition()


def kaminpar_blocks(kaminpar, asked):
    """Blocks that minimise the cut, none over the block size."""
    kaminpar.reseed(int(asked["seed"]))
    context = kaminpar.context_by_name(asked["preset"])
    graph = kaminpar.load_graph(asked["input"], kaminpar.GraphFileFormat.METIS)
    return kaminpar.KaMinPar(int(asked["threads"]), context).compute_partition(
        graph, max_block_weights=[int(asked["largest"])] * int(asked["n_parts"]))


numpy = problems = None  # where a function is called: libraries do without


class Refused(Exception):
    """An answer of another form, or a function that is not there."""


def given():
    """The module of problems, which is told as a text: tesselab/problem.py."""
    module = types.ModuleType("tesselab_problem")
    exec(compile(sys.argv[1], "tesselab/problem.py", "exec"), module.__dict__)
    return module


def map_of(memory, n_elements, words):
    """The points of elements, as arrays of the request."""
    index, offset, arity, n_points, own, weight = words.split(",")
    rest = int(n_points), float(weight), own == "1"
    if int(offset) < 0:
        return problems.PointMap(array_of(memory, "int32", int(index), n_elements, int(arity)), *rest)
    offsets = array_of(memory, "int64", int(offset), n_elements + 1)
    return problems.PointMap(array_of(memory, "int32", int(index), int(offsets[-1])), *rest, offsets)


def problem_of(memory, asked):
    n, shape = int(asked["n_elements"]), tuple(map(int, asked["shape"].split(",")))
    coordinates = None
    if "coordinates" in asked:
        coordinates = array_of(memory, "float64", int(asked["coordinates"]), n, int(asked["dimension"]))
    maps = [map_of(memory, n, asked[f"map{m}"]) for m in range(int(asked["n_maps"]))]
    return problems.Problem(n, int(asked["block_size"]), int(asked["seed"]), maps, coordinates,
                            shape if shape[0] else None)


def array_of(memory, kind, place, *shape):
    size = 1
    for extent in shape:
        size *= extent
    return numpy.frombuffer(memory, kind, size, place).reshape(shape)


def function_of(asked):
    """The function of the user's file, whose folder is where it imports from."""
    path = os.path.abspath(asked["file"])
    sys.path.insert(0, os.path.dirname(path))
    sys.dont_write_bytecode = True
    place = importlib.util.spec_from_file_location("user_partitioner", path)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    function = getattr(module, asked["function"], None)
    if not callable(function):
        raise Refused(f"{asked['file']} has no function '{asked['function']}'")
    return function


def name_of(asked):
    return asked["package"].partition("==")[0]


def partition(asked, memory, cost):
    """The blocks as int32, one an element."""
    if "file" in asked:
        global numpy, problems
        numpy = importlib.import_module("numpy")
        problems = given()
        function = function_of(asked)
        problem = problem_of(memory, asked)
        cost.begin()
        return problems.blocks_of(function(problem), problem.n_elements, asked["function"])
    library = importlib.import_module(name_of(asked))
    cost.begin()
    ways = {"mtkahypar": mtkahypar_blocks, "kaminpar": kaminpar_blocks}
    blocks = array.array("i", ways[name_of(asked)](library, asked))
    if len(blocks) != int(asked["n_elements"]):
        raise Refused(f"{name_of(asked)} gave {len(blocks)} blocks for {asked['n_elements']} elements")
    return blocks


def how_to_install(asked, error):
    package = asked.get("package", error.name)
    whose = "its library" if "package" in asked else f"what {asked['file']} imports"
    return (
        f"{sys.executable} lacks {whose} ({error}); to have it: "
        f"python3 -m venv tess-python && tess-python/bin/pip install {package} && "
        f"export TESS_PYTHON=$PWD/tess-python")


def words_of(error, asked):
    if problems is None:
        return f"{type(error).__name__}: {error}"
    if isinstance(error, problems.AnswerError):
        return str(error)
    return problems.words_of(error, os.path.abspath(asked["file"]), asked["file"])


def status_bytes(key):
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith(key))


class Cost:
    """What the work costs, before and after this process became Python, without Python's start and
    the loading of the library."""

    def __init__(self, asked):
        self.asked = asked
        self.start_cpu = float(asked["start_cpu_before"])
        self.start_bytes = 0

    def begin(self):
        self.start_cpu += time.process_time() - float(self.asked["cpu_before"])
        self.start_bytes = status_bytes("VmRSS:")

    def write(self, memory):
        peak = status_bytes("VmHWM:")
        grown = max(int(self.asked["grown_before"]), peak - self.start_bytes)
        peak = max(int(self.asked["peak_before"]), peak)
        for kind, key, value in (("q", "peak_bytes", peak), ("q", "grown_bytes", grown),
                                 ("d", "start_cpu", self.start_cpu)):
            struct.pack_into(kind, memory, int(self.asked[key]), value)


def main():
    asked = dict(word.split("=", 1) for word in sys.argv[2:])
    memory = mmap.mmap(int(asked["request"]), 0)
    status, message, cost = 0, "", Cost(asked)
    try:
        blocks = partition(asked, memory, cost).tobytes()
        start = int(asked["block_of"])
        memory[start:start + len(blocks)] = blocks
    except ImportError as error:
        status, message = int(asked["missing"]), how_to_install(asked, error)
    except Refused as error:
        status, message = int(asked["failed"]), str(error)
    except Exception as error:  # whatever the library raises is its failure, told as such
        status, message = int(asked["failed"]), words_of(error, asked)
    struct.pack_into("i", memory, int(asked["status"]), status)
    cost.write(memory)
    words = message.encode()[:int(asked["message_size"]) - 1] + b"\0"
    memory[int(asked["message"]):int(asked["message"]) + len(words)] = words
    struct.pack_into("?", memory, int(asked["finished"]), True)


main()
