#!/usr/bin/env python3
"""Times style networks from 256² to 4096², with the memory that the plan promises and the memory
that the process took, and several predictions at once; writes a section of
Documentation/Throughput.md.

usage: sizes.py [--only NAMES] [--sizes 256,...] [--threads N] [--isa NAME] [--print]
"""

import json
import os
import subprocess

import frame
import networks
import page
import processes

HEAD = """# Sizes, and several at once

Written by `make bench-sizes` ([Benchmarks/](../Benchmarks/README.md)); a section for every kind of processor.
*Beside the best* compares the time of a pixel with that of the best size; of a network that computes more pixels than
it paints, as it pads the picture and crops the painting, first by the pixels that it computes and then by those that
it paints. *Promised* is what a plan counts before
it runs: tensors between layers, packed weights, outputs. *Taken* is the most that the process had in memory, less
what it had with a picture of 64². *At once* divides the predictions a second of two and four sessions, each with all
threads, by those of one after another.
"""


class Painter:
    """A style network: its name, its file, and the pixels by which it pads each side."""

    def __init__(self, key, file, margin=0):
        self.key, self.file, self.margin = key, file, margin

    def computed(self, side):
        """The pixels that it computes for a square."""
        return (side + 2 * self.margin) ** 2


def options():
    """What the command was asked for."""
    parser = frame.parser(__doc__, "--atelier", "--shared", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--sizes", default="256,512,768,1024,1536,2048,3072,4096")
    return parser.parse_args()


def painters(arguments):
    """The networks that were asked for, or all that are at hand."""
    gallery = "Gallery/great-wave"
    known = [
        Painter("cnn", f"{gallery}/model.mlmodel", margin=48),
        Painter("lite", f"{gallery}/lite.mlmodel", margin=28),
        Painter("styleblue", f"{arguments.shared}/models/createml-style/StyleBlue.mlmodel"),
    ]
    return networks.chosen([one for one in known if os.path.exists(one.file)], arguments.only)


def predict(arguments, machine, painter, side, units, *more):
    """The report of `atelier bench`, and the most memory that it took, in bytes."""
    command = [
        arguments.atelier, "bench", painter.file, "--size", str(side), "--compute-units", units,
        "--threads", str(machine.threads), "--json", *more]
    done = processes.measure(command, stdout=subprocess.PIPE, env=machine.environment)
    if done.exit_code:
        raise SystemExit(f"{' '.join(command)} ended with {done.exit_code}.")
    return json.loads(done.text), done.peak_bytes


def table(arguments, machine, painter, sides, units):
    """The lines of the table of sizes."""
    base, memory = predict(arguments, machine, painter, 64, units, "--runs", "1", "--warm-up", "0")
    found = []
    for side in sides:
        runs = max(3, min(30, int(3e6 / side**2)))
        report, taken = predict(
            arguments, machine, painter, side, units, "--runs", str(runs),
            "--warm-up", str(max(2, 6_000_000 // side**2)))
        found.append((side, report["medianMilliseconds"], report.get("memoryBytes", 0),
                      taken - memory + base.get("memoryBytes", 0)))
        print(painter.key, units, found[-1], flush=True)
    best = min(time / side**2 for side, time, _, _ in found)
    least = min(time / painter.computed(side) for side, time, _, _ in found)
    lines = ["| size | median | a million pixels | beside the best | promised | taken |",
             "|---|---|---|---|---|---|"]
    for side, time, promised, taken in found:
        share = f"{time / painter.computed(side) / least:.2f}"
        if painter.margin:
            share += f", {time / side**2 / best:.2f}"
        lines.append(
            f"| {side}² | {time:.1f} ms | {time / side**2 * 1e6:.0f} ms |"
            f" {share} | {promised / 1e6:.0f} MB | {taken / 1e6:.0f} MB |")
    return lines


def at_once(arguments, machine, painter, units):
    """The line of several predictions at once."""
    ratios = []
    for count in (2, 4):
        report, _ = predict(
            arguments, machine, painter, 512, units, "--runs", "12", "--at-once", str(count))
        together, alone = report["perSecondAtOnce"], report["perSecond"]
        ratios.append(
            f"{count} at once {together:.2f} a second, one after another {alone:.2f}:"
            f" **{together / alone:.2f}**")
        print(ratios[-1], flush=True)
    return "512²: " + "; ".join(ratios) + "."


def main():
    """Measures, and publishes the section."""
    arguments = options()
    machine = frame.start(arguments)
    sides = [int(side) for side in arguments.sizes.split(",")]
    lines = []
    for painter in painters(arguments):
        for units in ["cpuOnly", "all"] if machine.has_bfloat16 else ["cpuOnly"]:
            lines += ["", f"`{painter.key}`, `.{units}`:", ""]
            lines += table(arguments, machine, painter, sides, units)
            lines += ["", at_once(arguments, machine, painter, units)]
    text = "\n".join(page.heading(machine) + lines) + "\n"
    frame.publish(arguments, machine, "Throughput.md", text, HEAD)


if __name__ == "__main__":
    main()
