"""PyTorch: gathers by index_select, sums by index_add_; eager, or as torch.compile makes one of it."""

import sys

import torch
from columns import Columns, functions_of

CALLS = 10  # one behind the other, on a GPU


def scalar(function, bound):
    """A function of two columns, of which one may be a number."""

    def called(a, b):
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            return function(a, b)
        return bound(a, b) if isinstance(a, torch.Tensor) else bound(b, a)

    return called


def rows(dat, index):
    return dat.index_select(0, index)


def add(dat, aos, column, index, value):
    target = dat[:, column] if aos else dat[column]
    target.index_add_(0, index, value if isinstance(value, torch.Tensor) else target.new_full(index.shape, value))
    return dat


def add_rows(dat, index, values):
    columns = [x if isinstance(x, torch.Tensor) else dat.new_full(index.shape, x) for x in values]
    dat.index_add_(0, index, torch.stack(columns, 1))
    return dat


def version():
    return f"PyTorch {torch.__version__}"


def forget():
    if "torch._dynamo" in sys.modules:  # its import takes longer than a loop
        torch.compiler.reset()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def build(loop):
    device = torch.device("cuda", loop.gpu) if loop.on_gpu else torch.device("cpu")
    library = {**functions_of(torch), "power": torch.pow, "rows": rows, "add": add, "add_rows": add_rows,
               "minimum": scalar(torch.minimum, lambda x, most: x.clamp(max=most)),
               "maximum": scalar(torch.maximum, lambda x, least: x.clamp(min=least)),
               "load": lambda array: torch.tensor(array, device=device), "unload": lambda array: array.cpu().numpy()}

    def wait(dats):
        if loop.on_gpu:
            torch.cuda.synchronize(device)

    def compiled(step, dats, index):
        if loop.peer != "torch-compiled":
            return step
        step = torch.compile(step)
        step([dat.clone() for dat in dats], index)
        return step

    return Columns(loop, library, compiled, wait, CALLS if loop.on_gpu else 1)
