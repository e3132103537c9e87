"""The program `atelier`, which pip puts on the PATH."""

import os
import sys


def main():
    """Replace this process by the program. The libatelier.so of a wheel is also a program."""
    library = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libatelier.so")
    with open(library, "rb") as file:
        # The first page of a program contains the name of its loader.
        is_program = b"/ld-linux" in file.read(4096) and os.access(library, os.X_OK)
    if not is_program:
        sys.exit(
            f"atelier: '{library}' is only a library. `pip install ./Python` brings the Python package alone; "
            "install the wheel that `make wheel` makes, or the program with `make install`."
        )
    os.execv(library, ["atelier", *sys.argv[1:]])
