"""The Python worker: what becomes of tess-worker where a partitioner is a Python library.

partitioners/python_call.c starts it with words key=value: what to partition, and where in the
shared memory of the request (a file descriptor) the answer goes."""

import array
import mmap
import struct
import sys


def mtkahypar_blocks(asked):
    """Blocks that minimise km1: the weight of each net times (blocks that it touches - 1)."""
    import mtkahypar

    initializer = mtkahypar.initialize(int(asked["threads"]), False)
    mtkahypar.set_seed(int(asked["seed"]))
    context = initializer.context_from_preset(
        getattr(mtkahypar.PresetType, asked["preset"].upper()))
    context.set_partitioning_parameters(
        int(asked["n_parts"]), float(asked["imbalance"]), mtkahypar.Objective.KM1)
    context.logging = False
    hypergraph = initializer.hypergraph_from_file(
        asked["input"], context, mtkahypar.FileFormat.HMETIS)
    return hypergraph.partition(context).get_partition()


def kaminpar_blocks(asked):
    """Blocks that minimise the cut, none over the block size."""
    import kaminpar

    kaminpar.reseed(int(asked["seed"]))
    context = kaminpar.context_by_name(asked["preset"])
    graph = kaminpar.load_graph(asked["input"], kaminpar.GraphFileFormat.METIS)
    return kaminpar.KaMinPar(int(asked["threads"]), context).compute_partition(
        graph, max_block_weights=[int(asked["largest"])] * int(asked["n_parts"]))


def partition(asked):
    """The blocks as int32, one an element."""
    library = asked["package"].partition("==")[0]
    libraries = {"mtkahypar": mtkahypar_blocks, "kaminpar": kaminpar_blocks}
    blocks = array.array("i", libraries[library](asked))
    if len(blocks) != int(asked["n_elements"]):
        raise RuntimeError(f"{library} gave {len(blocks)} blocks for {asked['n_elements']} elements")
    return blocks


def how_to_install(asked, error):
    return (
        f"{sys.executable} lacks its library ({error}); to have it: "
        f"python3 -m venv tess-python && tess-python/bin/pip install {asked['package']} && "
        f"export TESS_PYTHON=$PWD/tess-python")


def peak_bytes(asked):
    """The most memory that this process has had, before and after it became Python."""
    with open("/proc/self/status") as status:
        kilobytes = next(line.split()[1] for line in status if line.startswith("VmHWM:"))
    return max(int(asked["peak_before"]), 1024 * int(kilobytes))


def main():
    asked = dict(word.split("=", 1) for word in sys.argv[1:])
    sys.path = [folder for folder in sys.path if folder]  # the current folder holds no library
    memory = mmap.mmap(int(asked["request"]), 0)
    status, message = 0, ""
    try:
        blocks = partition(asked).tobytes()
        start = int(asked["block_of"])
        memory[start:start + len(blocks)] = blocks
    except ImportError as error:
        status, message = int(asked["missing"]), how_to_install(asked, error)
    except Exception as error:  # whatever the library raises is its failure, told as such
        status, message = int(asked["failed"]), f"{type(error).__name__}: {error}"
    struct.pack_into("i", memory, int(asked["status"]), status)
    struct.pack_into("q", memory, int(asked["peak_bytes"]), peak_bytes(asked))
    words = message.encode()[:int(asked["message_size"]) - 1] + b"\0"
    memory[int(asked["message"]):int(asked["message"]) + len(words)] = words
    struct.pack_into("?", memory, int(asked["finished"]), True)


main()
