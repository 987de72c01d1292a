"""Runs the program: `python -m piton`."""

import os
import sys

from piton import find_piton

program = find_piton()
os.execv(program, [program, *sys.argv[1:]])
