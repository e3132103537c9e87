#!/usr/bin/env python3
"""Compares Apple's public names with the modules of the last build, and writes the result into
Python/conformance/apple_names.tsv, from which `make docs` makes a part of Documentation/Support.md.

    Scripts/apple_names.py          # writes the table
    Scripts/apple_names.py --check  # fails if the table is not up to date

The table has a line for each name: module, name, and whether it works, has no effect or is absent. A name that the
documentation comment says has no effect counts as such. Of CoreML and CreateML the list has every name; of Vision it has
the types and functions, and the members of the types around models.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
table = root / "Python/conformance/apple_names.tsv"
build = root / ".build/release"
idle = re.compile(r"\b(has no effect|always nil|always empty|always throws)\b", re.IGNORECASE)


def graph(module, folder, maps):
    subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", module, "-I", build / "Modules", *maps, "-target",
         f"{subprocess.run(['uname', '-m'], capture_output=True, text=True).stdout.strip()}-unknown-linux-gnu",
         "-minimum-access-level", "public", "-output-dir", folder], check=True)
    return [json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob(f"{module}*.symbols.json"))]


def names(module, folder, maps):
    """The public names with whether they have an effect."""
    found = {}
    for part in graph(module, folder, maps):
        for symbol in part["symbols"]:
            path = symbol["pathComponents"]
            comment = " ".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
            # The first sentence says what a declaration does.
            works = not idle.search(comment.split(". ")[0])
            if symbol["kind"]["identifier"].startswith("swift.subscript"):
                path = path[:-1] + ["subscript"]
            name = ".".join(path)
            found[name] = found.get(name, False) or works
    return found


def main():
    maps = subprocess.run(
        ["sh", root / "Scripts/module_maps.sh", build], capture_output=True, text=True, check=True).stdout.split()
    flags = subprocess.run(["pkg-config", "--cflags-only-I", "gobject-2.0"], capture_output=True, text=True)
    for flag in flags.stdout.split():
        maps += ["-Xcc", flag]
    lines = [line.split("\t") for line in table.read_text().splitlines()]
    ours = {}
    with tempfile.TemporaryDirectory() as folder:
        for module in sorted({cells[0] for cells in lines}):
            ours[module] = names(module, folder, maps)
    written = ""
    for module, name, *_ in lines:
        works = ours[module].get(name)
        state = "absent" if works is None else "works" if works else "no effect"
        written += f"{module}\t{name}\t{state}\n"
    if "--check" in sys.argv[1:]:
        if written != table.read_text():
            sys.exit(f"{table.relative_to(root)} is not up to date; run Scripts/apple_names.py")
        return
    table.write_text(written)


if __name__ == "__main__":
    main()
