"""The Python worker: what becomes of tess-worker where a partitioner is a Python library.

partitioners/worker/python_call.c starts it with words key=value: what to partition, and where in the
shared memory of the request (a file descriptor) the answer goes."""

import array
import importlib
import mmap
import struct
import sys
import time


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


def name_of(asked):
    return asked["package"].partition("==")[0]


def partition(library, asked):
    """The blocks as int32, one an element."""
    ways = {"mtkahypar": mtkahypar_blocks, "kaminpar": kaminpar_blocks}
    blocks = array.array("i", ways[name_of(asked)](library, asked))
    if len(blocks) != int(asked["n_elements"]):
        raise RuntimeError(f"{name_of(asked)} gave {len(blocks)} blocks for {asked['n_elements']} elements")
    return blocks


def how_to_install(asked, error):
    return (
        f"{sys.executable} lacks its library ({error}); to have it: "
        f"python3 -m venv tess-python && tess-python/bin/pip install {asked['package']} && "
        f"export TESS_PYTHON=$PWD/tess-python")


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
    sys.path = [folder for folder in sys.path if folder]  # the current folder holds no library
    memory = mmap.mmap(int(asked["request"]), 0)
    status, message, cost = 0, "", Cost(asked)
    try:
        library = importlib.import_module(name_of(asked))
        cost.begin()
        blocks = partition(library, asked).tobytes()
        start = int(asked["block_of"])
        memory[start:start + len(blocks)] = blocks
    except ImportError as error:
        status, message = int(asked["missing"]), how_to_install(asked, error)
    except Exception as error:  # whatever the library raises is its failure, told as such
        status, message = int(asked["failed"]), f"{type(error).__name__}: {error}"
    struct.pack_into("i", memory, int(asked["status"]), status)
    cost.write(memory)
    words = message.encode()[:int(asked["message_size"]) - 1] + b"\0"
    memory[int(asked["message"]):int(asked["message"]) + len(words)] = words
    struct.pack_into("?", memory, int(asked["finished"]), True)


main()
