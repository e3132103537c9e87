#!/usr/bin/env python3
"""Writes the list of functions in Documentation/Accelerate.md, from the C headers and the Swift sources.

    Scripts/list_accelerate.py          # writes the page
    Scripts/list_accelerate.py --check  # fails if the page is not up to date
"""
import collections
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "Documentation/Accelerate.md"
begin, end = "<!-- begin of the list: Scripts/list_accelerate.py -->\n", "<!-- end of the list -->\n"


def c_functions():
    headers = root / "C/CAccelerate/include/CAccelerate.h"
    text = subprocess.run(["clang", "-E", "-P", headers], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b((?:vDSP|vv|vImage|cblas_|[sd][a-z]+_\b)\w*)\s*\(", text))


def swift_functions(namespace):
    names = set()
    for file in sorted((root / "Sources/Apple/Accelerate").glob(f"{namespace}*.swift")):
        text = file.read_text()
        for part in re.split(r"^extension ", text, flags=re.M)[1:]:
            if not part.startswith(namespace + " "):
                continue
            names |= set(re.findall(r"^  public static func (\w+)", part, flags=re.M))
            names |= {f"{name} (class)" for name in re.findall(r"^  public (?:final )?class (\w+)", part, flags=re.M)}
    return names


def both_precisions(names, suffix_of_double, suffix_of_single=""):
    """Returns the names without suffixes that exist in both precisions, and all other names unchanged."""
    singles = {n for n in names if n.endswith(suffix_of_single)} if suffix_of_single else names
    stem = lambda n: n[: len(n) - len(suffix_of_single)] if suffix_of_single else n
    pairs = {n for n in singles if stem(n) + suffix_of_double in names and stem(n) + suffix_of_double != n}
    doubles = {stem(n) + suffix_of_double for n in pairs}
    return sorted(pairs), sorted(names - pairs - doubles)


def listed(title, names):
    return f"**{title}** ({len(names)}): " + ", ".join(f"`{n}`" for n in names) + "\n\n" if names else ""


functions = c_functions()
families = collections.defaultdict(set)
for name in functions:
    for prefix in ("vDSP_", "vImage", "cblas_", "vv"):
        if name.startswith(prefix):
            families[prefix].add(name)
            break
    else:
        families["LAPACK"].add(name)
vdsp, rest = both_precisions(families["vDSP_"], "D")
vforce, _ = both_precisions(families["vv"], "", "f")
lines = f"{len(functions)} C functions.\n\n"
lines += listed("vDSP, in both precisions (with D at the end in double precision)", vdsp)
lines += listed("vDSP, others", rest)
lines += listed("vForce, in both precisions (without f at the end in double precision)", vforce)
lines += listed("BLAS", sorted(families["cblas_"]))
lines += listed("LAPACK", sorted(families["LAPACK"]))
lines += listed("vImage", sorted(families["vImage"]))
lines += listed("Swift: vDSP", sorted(swift_functions("vDSP")))
lines += listed("Swift: BNNS", sorted(swift_functions("BNNS")))
lines += listed("Swift: vForce", sorted(swift_functions("vForce")))
text = page.read_text()
before, after = text[: text.index(begin) + len(begin)], text[text.index(end):]
new = before + "\n" + lines + after
if "--check" in sys.argv:
    sys.exit(0 if new == text else "Documentation/Accelerate.md is not up to date: run Scripts/list_accelerate.py.")
page.write_text(new)
