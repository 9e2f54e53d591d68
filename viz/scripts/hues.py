"""The hues of views: fills that stay apart under every common colour blindness, Okabe and Ito's, then Tol's muted ones."""

HUES = ["56b4e9", "e69f00", "009e73", "f0e442", "cc79a7", "0072b2", "d55e00", "bbbbbb",
        "882255", "999933", "332288", "44aa99"]
CATEGORIES = {"display_colour", "block_colour", "thread_colour", "rank_colour", "ring_colour", "warp"}  # numbers without an order
PRESET = "Tesselab"


def rgb(text):
    return [int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)]


def hue(i):
    """Category i's colour: beyond the table the same hues again, darker and lighter."""
    colour = rgb(HUES[i % len(HUES)])
    turn = i // len(HUES)
    if turn % 3 == 1:
        return [0.6 * c for c in colour]
    if turn % 3 == 2:
        return [0.5 + 0.5 * c for c in colour]
    return colour


def preset(n=3 * len(HUES)):
    """What ParaView's dialogue of colour presets imports, of n categories."""
    return [{"Name": PRESET, "Annotations": [text for i in range(n) for text in (str(i), str(i))],
             "IndexedColors": [part for i in range(n) for part in hue(i)]}]
