"""Files with random bytes changed, lost or doubled; trees of YAML or JSON with other values in some places."""

import copy


def mutant(content, chance):
    """The content with one to four places changed."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        kind = chance.randrange(6)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            del data[at : at + chance.randint(1, 40)]
        elif kind == 3:
            data[at:at] = data[at : at + chance.randint(1, 40)]
        elif kind == 4:
            data[at:at] = chance.choice([b"-1 ", b"99999999999999999999 ", b"1e999", b"nan", b"\n", b"$", b"\0\0\0\x80"])
        else:
            del data[at:]
        if not data:
            data = bytearray(b"\n")
    return bytes(data)


VALUES = [0, -1, 1, 2**31, 2**63, 10**30, 1e308, -1e308, 1e-320, float("inf"), float("nan"), None, True, "", " ", "x", "a" * 300, "all", "auto",
          "none", "0", "-1", "nan", "a,b", "a:b=c", ":", "..", "/dev/null", "%s%n", "é", "@last", [], {}, [1], [[]], [None], {"a": 1}]  # fmt: skip


def places(tree, path=()):
    """The path of each node below the root."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def node(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def changed_tree(tree, chance):
    """A copy in which one or two nodes are another value or node, lost, or under another key."""
    tree = copy.deepcopy(tree)
    for _ in range(chance.randint(1, 2)):
        paths = list(places(tree))
        if not paths:
            break
        *path, key = chance.choice(paths)
        parent, kind = node(tree, path), chance.randrange(8)
        if kind == 0:
            del parent[key]
        elif kind == 1:
            parent[key] = copy.deepcopy(node(tree, chance.choice(paths)))
        elif kind == 2 and isinstance(parent, dict):
            parent[str(chance.choice(VALUES))] = parent.pop(key)
        elif kind == 3 and isinstance(parent[key], (int, float)):
            parent[key] = chance.choice((parent[key] + 1, -parent[key], parent[key] * 1000, parent[key] / 3, str(parent[key])))
        else:
            parent[key] = copy.deepcopy(chance.choice(VALUES))
    return tree
