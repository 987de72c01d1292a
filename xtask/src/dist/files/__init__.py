"""Finds the program `piton`, which this package installs."""

import os
import sysconfig


def find_piton() -> str:
    """Returns the path of the program."""
    places = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
        # With `pip install --target`, the program is beside the module.
        os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin"),
    ]
    for place in places:
        program = os.path.join(place, "piton")
        if os.path.isfile(program):
            return program
    raise FileNotFoundError(
        f"The program piton is in none of {', '.join(places)}. Install the package piton-rs again."
    )
