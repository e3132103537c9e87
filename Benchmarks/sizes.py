#!/usr/bin/env python3
"""Times a network from 256² to 4096², with the memory that the plan promises and the memory that the process took,
and several predictions at once; writes a section of Documentation/Throughput.md.

usage: sizes.py [--model FILE] [--sizes 256,...] [--threads N] [--isa NAME] [--print]
"""

import argparse
import datetime
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page
from machine import Machine

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

HEAD = """# Sizes, and several at once

Written by `make bench-sizes` ([Benchmarks/](../Benchmarks/README.md)); a section for every kind of processor.
*Beside the best* compares the time of a pixel with that of the best size. *Promised* is what a plan counts before
it runs: tensors between layers, packed weights, outputs. *Taken* is the most that the process had in memory, less
what it had with a picture of 64². *At once* divides the predictions a second of two and four sessions, each with all
threads, by those of one after another.
"""


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--atelier", default=".build/release/atelier")
    parser.add_argument("--model", default="Gallery/great-wave/model.mlmodel")
    parser.add_argument("--sizes", default="256,512,768,1024,1536,2048,3072,4096")
    parser.add_argument("--isa", help="the most that is used: amx, avx512_bf16, avx512, avx2, plain")
    parser.add_argument("--threads", type=int, help="threads; all cores unless told otherwise")
    parser.add_argument("--print", action="store_true", help="prints the section and writes no file")
    return parser.parse_args()


def predict(arguments, machine, side, units, *more):
    """The report of `atelier bench`, and the most memory that it took, in bytes."""
    command = [
        arguments.atelier, "bench", arguments.model, "--size", str(side), "--compute-units", units,
        "--threads", str(machine.threads), "--json", *more]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, env=machine.environment, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}.")
    return json.loads(text), usage.ru_maxrss * 1024


def main():
    arguments = options()
    os.chdir(ROOT)
    machine = Machine(arguments.isa, arguments.threads)
    load, sides = machine.load(), [int(side) for side in arguments.sizes.split(",")]
    name = os.path.basename(os.path.dirname(arguments.model)) or arguments.model
    lines = []
    for units in ["cpuOnly", "all"] if machine.has_bfloat16 else ["cpuOnly"]:
        base = predict(arguments, machine, 64, units, "--runs", "1", "--warm-up", "0")
        found = []
        for side in sides:
            runs = max(3, min(30, int(3e6 / side**2)))
            report, taken = predict(
                arguments, machine, side, units, "--runs", str(runs), "--warm-up", "2")
            found.append((side, report["medianMilliseconds"], report.get("memoryBytes", 0),
                          taken - base[1] + base[0].get("memoryBytes", 0)))
            print(units, found[-1], flush=True)
        best = min(time / side**2 for side, time, _, _ in found)
        lines += ["", f"{name}, `.{units}`:", "",
                  "| size | median | a million pixels | beside the best | promised | taken |",
                  "|---|---|---|---|---|---|"]
        for side, time, promised, taken in found:
            lines.append(
                f"| {side}² | {time:.1f} ms | {time / side**2 * 1e6:.0f} ms | {time / side**2 / best:.2f} |"
                f" {promised / 1e6:.0f} MB | {taken / 1e6:.0f} MB |")
        ratios = []
        for count in (2, 4):
            report, _ = predict(arguments, machine, 512, units, "--runs", "5", "--at-once", str(count))
            ratios.append(
                f"{count} at once {report['perSecondAtOnce']:.2f} a second, one after another"
                f" {report['perSecond']:.2f}: **{report['perSecondAtOnce'] / report['perSecond']:.2f}**")
            print(ratios[-1], flush=True)
        lines += ["", "512²: " + "; ".join(ratios) + "."]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    limited = " A machine that has more was limited to it." if machine.is_limited else ""
    text = "\n".join([
        f"## {machine.kind}", "",
        f"{machine.name}; {machine.threads} threads; commit {commit or 'unknown'},"
        f" {datetime.date.today().isoformat()}.{limited} Load of the last minute before: {load:.1f}."]
        + lines) + "\n"
    if arguments.print:
        print(text)
    else:
        page.put(os.path.join(ROOT, "Documentation", "Throughput.md"), machine.kind, text, HEAD)
        print(f"Documentation/Throughput.md, section {machine.kind}, is written.")


if __name__ == "__main__":
    main()
