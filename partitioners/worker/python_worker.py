"""The Python worker: what becomes of tess-worker where a partitioner is a Python library, or a function
of the user's.

partitioners/worker/python_call.c starts it with words key=value: what to partition, and where in the
shared memory of the request (a file descriptor) the answer goes."""

import sys

sys.path = [folder for folder in sys.path if folder]  # the current folder holds no library

import array
import importlib
import importlib.util
import mmap
import os
import struct
import time
import traceback


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


class Refused(Exception):
    """An answer that is none, or a function that is not there."""


class Map:
    """The points of each element through one map: row e of `index` [n_elements, arity], in which -1 is no
    point; or index[offset[e]:offset[e + 1]] where an element may have any number of points (`offset` is
    None otherwise). Points have numbers from 0 to n_points; at each, `bytes` are accessed. Where `own` is
    true points are the elements themselves, and each row has its own element last."""

    def __init__(self, memory, n_elements, words):
        index, offset, arity, n_points, own, weight = words.split(",")
        self.n_points, self.own, self.bytes = int(n_points), own == "1", float(weight)
        self.offset = None
        if int(offset) < 0:
            self.index = array_of(memory, "int32", int(index), n_elements, int(arity))
        else:
            self.offset = array_of(memory, "int64", int(offset), n_elements + 1)
            self.index = array_of(memory, "int32", int(index), int(self.offset[-1]))

    def pairs(self):
        """Elements and their points, one pair an entry, by element; none twice."""
        n = len(self.index) if self.offset is None else len(self.offset) - 1
        if self.offset is not None:
            return numpy.repeat(numpy.arange(n), numpy.diff(self.offset)), self.index.astype("int64")
        elements = numpy.repeat(numpy.arange(n), self.index.shape[1])
        points = self.index.ravel().astype("int64")
        elements, points = elements[points >= 0], points[points >= 0]
        _, first = numpy.unique(elements * self.n_points + points, return_index=True)
        first.sort()
        return elements[first], points[first]


class Problem:
    """What a partitioner is given: n_elements, which are to be cut into blocks of at most block_size, and
    n_blocks, how few these can be; the maps to the points of elements; the coordinates of elements
    [n_elements, dimension], or None; their shape where they are a box in lexicographic order, or None;
    the seed of what is random. Arrays are read-only."""

    def __init__(self, memory, asked):
        self.n_elements, self.block_size = int(asked["n_elements"]), int(asked["block_size"])
        self.n_blocks = -(-self.n_elements // self.block_size)
        self.seed = int(asked["seed"])
        shape = tuple(map(int, asked["shape"].split(",")))
        self.shape = shape if shape[0] else None
        self.coordinates = None
        if "coordinates" in asked:
            self.coordinates = array_of(memory, "float64", int(asked["coordinates"]), self.n_elements,
                                        int(asked["dimension"]))
        self.maps = [Map(memory, self.n_elements, asked[f"map{m}"]) for m in range(int(asked["n_maps"]))]

    def pairs(self):
        """Elements and their points of all maps, one pair an entry; the points of a map are numbered
        behind those of the maps before it."""
        found, first = [], 0
        for each in self.maps:
            elements, points = each.pairs()
            found.append((elements, points + first))
            first += each.n_points
        return tuple(numpy.concatenate(side) for side in zip(*found))

    def graph(self):
        """The graph of elements that share points: the neighbours of element e are
        neighbour[offset[e]:offset[e + 1]], and shared[...] says how many points each shares with it.
        Where elements are points themselves, an edge joins two of which one reaches the other."""
        elements, points = self.pairs()
        if len(self.maps) == 1 and self.maps[0].own:
            others = elements != points
            ends = [(elements[others], points[others])]
        else:
            order = numpy.argsort(points, kind="stable")
            elements, points, ends, apart = elements[order], points[order], [], 1
            while (points[apart:] == points[:-apart]).any():
                same = points[apart:] == points[:-apart]
                ends.append((elements[:-apart][same], elements[apart:][same]))
                apart += 1
        keys = [numpy.zeros(0, "int64")]
        for one, other in ends:
            keys += [one * self.n_elements + other, other * self.n_elements + one]
        edges, shared = numpy.unique(numpy.concatenate(keys), return_counts=True)
        offset = numpy.searchsorted(edges // self.n_elements, numpy.arange(self.n_elements + 1))
        return offset, edges % self.n_elements, shared


def array_of(memory, kind, place, *shape):
    size = 1
    for extent in shape:
        size *= extent
    found = numpy.frombuffer(memory, kind, size, place).reshape(shape)
    found.flags.writeable = False
    return found


def function_of(asked):
    """The function of the user's file, whose folder is where it imports from."""
    path = os.path.abspath(asked["file"])
    if not os.path.isfile(path):
        raise Refused(f"{asked['file']}: there is no such file")
    sys.path.insert(0, os.path.dirname(path))
    sys.dont_write_bytecode = True
    place = importlib.util.spec_from_file_location("user_partitioner", path)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    function = getattr(module, asked["function"], None)
    if not callable(function):
        raise Refused(f"{asked['file']} has no function '{asked['function']}'")
    return function


def checked(answer, asked):
    """The answer of a function as blocks; refused by element."""
    blocks, name = numpy.asarray(answer), asked["function"]
    if blocks.shape != (int(asked["n_elements"]),):
        raise Refused(f"{name} gave an array of shape {blocks.shape}, not a block for each of "
                      f"{asked['n_elements']} elements")
    if blocks.dtype.kind not in "iu":
        raise Refused(f"{name} gave blocks of type {blocks.dtype}, not of whole numbers")
    wrong = numpy.flatnonzero((blocks < 0) | (blocks > 2**31 - 1))
    if len(wrong):
        raise Refused(f"{name} put element {wrong[0]} in block {blocks[wrong[0]]}, which is not in 0 to "
                      f"{2**31 - 1}")
    return blocks.astype("int32")


def name_of(asked):
    return asked["package"].partition("==")[0]


def partition(asked, memory, cost):
    """The blocks as int32, one an element."""
    if "file" in asked:
        global numpy  # which libraries do without
        numpy = importlib.import_module("numpy")
        function = function_of(asked)
        problem = Problem(memory, asked)
        cost.begin()
        return checked(function(problem), asked)
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


def place_of(asked, error):
    """Where in the user's file an error is, as " (FILE:LINE)"; or nothing."""
    path = os.path.abspath(asked.get("file", ""))
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines = []  # it says so itself
    return f" ({asked['file']}:{lines[-1]})" if lines else ""


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
    asked = dict(word.split("=", 1) for word in sys.argv[1:])
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
        status, message = int(asked["failed"]), f"{type(error).__name__}: {error}{place_of(asked, error)}"
    struct.pack_into("i", memory, int(asked["status"]), status)
    cost.write(memory)
    words = message.encode()[:int(asked["message_size"]) - 1] + b"\0"
    memory[int(asked["message"]):int(asked["message"]) + len(words)] = words
    struct.pack_into("?", memory, int(asked["finished"]), True)


main()
