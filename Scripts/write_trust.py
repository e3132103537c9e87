#!/usr/bin/env python3
"""Writes Documentation/Trust.md: numbers about what runs and what does not. The numbers come from files that other
scripts wrote, or are counted in the sources.

    Scripts/write_trust.py            writes the page
    Scripts/write_trust.py --check    fails if the page is not up to date (make format-check)
"""
import collections
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "Documentation/Trust.md"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def rows(path):
    return [line.split("\t") for line in read(path).splitlines() if line and not line.startswith("#")]


def number(value):
    return f"{value:,}"


def table(head, body):
    marks = ["--:" if all(re.fullmatch(r"[\d,.]+ ?%?", str(row[i])) for row in body) else "---" for i in range(len(head))]
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(marks) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in body])


def wrapped(text):
    return "\n".join(textwrap.wrap(text, 120, break_on_hyphens=False))


def swift_files(folder):
    for path, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            if name.endswith(".swift"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    yield os.path.relpath(os.path.join(path, name), os.path.join(ROOT, folder)), file.read()


def coremltools():
    groups = collections.OrderedDict()
    for group, _, *counts in rows("Python/conformance/results.tsv"):
        if group == "all":
            continue
        name = re.sub(r"operations of iOS\d+", "operations of ML Programs, iOS 14 to 18", group)
        old = groups.setdefault(name, [0] * 5)
        groups[name] = [a + int(b) for a, b in zip(old, counts)]
    total = [sum(values) for values in zip(*groups.values())]
    body = [[name] + [number(n) for n in counts] for name, counts in groups.items()]
    body.append(["**all**"] + [number(n) for n in total])
    return table(["coremltools' tests", "cases", "passed", "failed", "skipped", "failed as expected"], body)


def reasons():
    counts = collections.Counter()
    for _, _, failed, _, reason in rows("Python/conformance/failures.tsv"):
        counts[reason.split(";")[0]] += int(failed)
    return table(["cases", "why they fail"], [[number(n), reason] for reason, n in counts.most_common()])


def onnx():
    page = read("Documentation/ONNX.md").replace("\n", " ")
    found = re.search(r"Of the (\d+) node tests of onnx ([\d.]+) \*\*(\d+) pass\*\* and (\d+) give a wrong answer; (\d+)",
                      page)
    if not found:
        sys.exit(f"{PAGE}: Documentation/ONNX.md has no sentence with the counts of the node tests.")
    cases, version, passed, wrong, refused = found.groups()
    return table([f"tests of the package onnx {version}", "cases"],
                 [["pass", number(int(passed))], ["give a wrong answer", number(int(wrong))],
                  ["are refused with a message", number(int(refused))], ["**all**", number(int(cases))]])


def layers():
    page = read("Documentation/Support.md")
    before = page.split("## Constants in programs")[0]
    # | layer | what it computes | kernels | gradient | samples | tests |
    found = [line.split(" | ") for line in before.splitlines() if line.startswith("| `")]
    samples = sum(int(cells[4].strip()) for cells in found if cells[4].strip().isdigit())
    return table(["layers of the NeuralNetwork specification", "number"], [
        ["that run", number(len(found))],
        ["with a kernel beside their definition", number(sum(1 for c in found if c[2].strip()))],
        ["with a gradient", number(sum(1 for c in found if c[3].strip() == "yes"))],
        ["samples on which kernels, definitions and known answers are compared", number(samples)]])


def model_types():
    known = re.findall(r'case \.(\w+): "', read("Sources/Formats/ModelFormat/Generated/ModelSpec.swift"))
    runners = "".join(text for _, text in swift_files("Sources/Apple/CoreML/Running")).split("private func wayOut")[0]
    networks = {"neuralNetwork", "neuralNetworkClassifier", "neuralNetworkRegressor"}
    runs = [name for name in known if name in networks or re.search(rf"case \.{name}(\(let \w+\))?\?", runners)]
    refused = [name for name in known if name not in runs]
    names = lambda list_: ", ".join(f"`{name}`" for name in list_)
    return wrapped(f"Of the {len(known)} model types of the specification, {len(runs)} run: {names(runs)}.") + "\n\n" + \
        wrapped(f"Refused in one sentence, with the way out: {names(refused)}.")


def tests():
    counts = collections.Counter()
    for path, text in swift_files("Tests"):
        counts[path.split(os.sep)[0]] += len(re.findall(r"^\s*@Test", text, re.M))
    counts = {name: n for name, n in counts.items() if n}
    python = sum(len(re.findall(r"^def test_", read(f"Python/tests/{name}"), re.M))
                 for name in os.listdir(os.path.join(ROOT, "Python/tests")) if name.endswith(".py"))
    return wrapped(
        f"More than {number(sum(counts.values()) // 100 * 100)} test functions in Swift and"
        f" {number(python // 10 * 10)} in Python; many run once for each of several arguments. Every kernel is compared with a definition in plain loops of `Double`, and"
        " with answers that PyTorch, NumPy, ONNX Runtime, LiteRT or Apple's own results give.")


def page():
    return f"""# What to trust

This page says in numbers what runs and what does not. `Scripts/write_trust.py` writes it from the files that the named
commands write, and `make format-check` fails if it is not up to date.

## Models

{model_types()}

{layers()}

`make docs` lists them all: [Support](Support.md).

## Other people's tests

    make conformance         # coremltools' own tests, against our package beside coremltools
    make conformance-onnx    # the node tests of the package onnx

{coremltools()}

Skipped tests need TensorFlow, XGBoost or a Mac. [Support](Support.md#coremltools-tests-of-ml-programs) lists the failing
ones by name. Their reasons:

{reasons()}

{onnx()}

[ONNX](ONNX.md) lists the refused ones.

## Our tests

    make test

{tests()}

## Runs

{table(["date", "processor", "what ran", "cases", "findings"], rows("Documentation/runs.tsv"))}

`Documentation/runs.tsv` holds these rows. `make fuzz` makes damaged files, `make sanitize` runs the readers with
AddressSanitizer, and `make test-instructions` runs the engine's tests for each instruction set.

## What is not tested

- The suite's tests of matrix tiles (AMX) use an emulation where the processor has none; [Matrix tiles](MatrixTiles.md)
  says what was measured with AMX.
- Processors other than x86-64 have never run it.
- Apple's own results are known for the models of five texts and for some published ones. For all other models, the
  yardsticks are the independent programs above.

Next: [Performance](Performance.md), [Support](Support.md).
"""


def main():
    made = page()
    if "--check" in sys.argv:
        if not os.path.exists(os.path.join(ROOT, PAGE)) or read(PAGE) != made:
            sys.exit(f"{PAGE} is not up to date: run Scripts/write_trust.py (or `make docs`).")
        return
    with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
