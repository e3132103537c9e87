#!/usr/bin/env python3
"""Times models with and without dynamic quantisation, and writes the table of Documentation/Quantized.md.

usage: dynamic.py [--atelier PROGRAM] [--threads N] [--rounds N] [--runs N] MODEL=TITLE...

MODEL is a model file. Runs of both kinds alternate; a time is the median of the rounds.
"""

import argparse
import json
import os
import re
import statistics
import subprocess

from machine import Machine

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Documentation", "Quantized.md")
KINDS = {"as written": [], "dynamic": ["--quantize", "dynamic"]}


def measure(options, model):
    """Returns the median time and processor time of a prediction in milliseconds, for each kind."""
    results = {kind: [] for kind in KINDS}
    for _ in range(options.rounds):
        for kind, more in KINDS.items():
            answer = subprocess.run(
                [options.atelier, "bench", model, "--json", "--threads", str(options.threads),
                 "--runs", str(options.runs), *more], check=True, capture_output=True, text=True)
            found = json.loads(answer.stdout)
            results[kind].append((found["medianMilliseconds"], found["processorMilliseconds"]))
    return {kind: [statistics.median(times) for times in zip(*runs)] for kind, runs in results.items()}


def table(options, rows):
    """Returns the lines of the table, with the machine and the command."""
    machine = Machine(None, options.threads)
    lines = [
        f"{machine.name}, {machine.kind}; {options.threads} threads; medians of {options.rounds} alternating rounds of"
        f" {options.runs} predictions, in milliseconds, with processor time in brackets. Load average of the last"
        f" minute before: {options.load:.1f}.", "",
        "| model | as written | dynamic | dynamic / as written |", "|---|---|---|---|"]
    for title, result in rows:
        cells = [f"{wall:.2f} ({processor:.1f})" for wall, processor in result.values()]
        before, after = (result[kind] for kind in KINDS)
        lines.append(f"| {title} | {' | '.join(cells)} | **{after[1] / before[1]:.2f}** |")
    lines += ["", "The ratios are those of processor time."]
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--atelier", default=".build/release/atelier")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--runs", type=int, default=10)
    arguments.add_argument("models", nargs="+", metavar="MODEL=TITLE")
    options = arguments.parse_args()
    options.load = os.getloadavg()[0]
    rows = []
    for pair in options.models:
        model, _, title = pair.partition("=")
        rows.append((title or os.path.basename(model), measure(options, model)))
        print(rows[-1], flush=True)
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    made = "\n".join(table(options, rows))
    page, count = re.subn(
        r"(<!-- dynamic\.py -->\n).*?(<!-- end -->)", lambda match: f"{match[1]}\n{made}\n\n{match[2]}", page,
        flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{PAGE}: expected one table between '<!-- dynamic.py -->' and '<!-- end -->', found {count}.")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
