"""Code that the commands which write a section share: options, start, publishing."""

import argparse
import os

import page
from machine import Machine

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

#: The options that several commands have, by name.
OPTIONS = {
    "--atelier": {"default": ".build/release/atelier"},
    "--shared": {"default": "../shared"},
    "--only": {"default": "", "help": "names of networks, with commas"},
    "--isa": {"help": "the most that is used: amx, avx512_bf16, avx512, avx2, plain"},
    "--threads": {"type": int, "help": "threads; all cores unless told otherwise"},
    "--print": {"action": "store_true", "help": "prints the section and writes no file"},
}


def parser(documentation, *names):
    """Makes an argument parser with the named `OPTIONS`. The first paragraph of a command's docstring describes it."""
    made = argparse.ArgumentParser(description=documentation.split("\n\n")[0])
    for name in names:
        made.add_argument(name, **OPTIONS[name])
    return made


def require(option, program, remedy):
    """Ends the process with an error message if the value of an option is not an executable file."""
    if not os.access(program, os.X_OK):
        raise SystemExit(f"{option}: '{program}' is no program; {remedy}.")


def start(arguments):
    """Changes to the repository's folder. Ends the process with an error message if Atelier's program is missing.

    :returns: the machine, limited as the options say.
    """
    os.chdir(ROOT)
    require("--atelier", arguments.atelier, "`make build` makes one")
    return Machine(arguments.isa, arguments.threads)


def publish(arguments, machine, name, text, head, next):
    """Prints a section if --print was given, or puts it into Documentation/`name`."""
    if arguments.print:
        print(text)
    else:
        page.put(os.path.join(ROOT, "Documentation", name), machine.kind, text, head, next)
        print(f"Documentation/{name}, section {machine.kind}, is written.")
