"""Files with random bytes changed, lost or doubled."""


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
