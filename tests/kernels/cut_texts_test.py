"""The texts that cut, plan and make tables are one page for who asks for all of them (bench/cut_speed): no name is given twice."""

import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMED = re.compile(r"^(?:INLINE [\w ]+?\**(\w+)\(|KERNEL\((\w+)\)|struct (\w+) \{)", re.MULTILINE)


def twice(texts):
    names = collections.Counter(next(filter(None, found)) for text in texts for found in NAMED.findall(text))
    return sorted(name for name, n in names.items() if n > 1)


def test_no_name_is_given_twice():
    texts = [path.read_text() for path in (ROOT / "kernels/cut").glob("*.cu")]
    assert sum(len(NAMED.findall(text)) for text in texts) > 150, "they are seen"
    assert not twice(texts)


def test_what_is_given_twice_is_named():
    texts = ["INLINE int place(int i) {\n}\nKERNEL(move) {\n}\n", "INLINE long long place(void) {\n}\nstruct move {\n};\nstruct one {\n};\n"]
    assert twice(texts) == ["move", "place"]
