"""Catalyst: the cells of every channel with all their arrays, as .vtpd, and no picture: for viz_speed.c."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../viz/scripts"))

import in_situ

options = in_situ.options()
for name, source in in_situ.producers().items():
    in_situ.write_cells(name, source)
