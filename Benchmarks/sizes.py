#!/usr/bin/env python3
"""Measures style networks for pictures from 256² to 4096²: the time, the memory that the plan counts, the memory that
the process took, and the speed of concurrent predictions. Writes a section of Documentation/Throughput.md.

usage: sizes.py [--only NAMES] [--sizes 256,...] [--threads N] [--isa NAME] [--print]
"""

import json
import os
import subprocess

import frame
import networks
import page
import processes
import styles

HEAD = """# Throughput

Times and memory of style networks for pictures from 256² to 4096², and of several predictions at once. To measure them
on your machine:

    make bench-sizes

`make bench-sizes` writes this page ([Benchmarks/](../Benchmarks/README.md)), with one section per kind of processor.

- *Per megapixel* is the median divided by the painted pixels.
- *Relative to the best* divides the time per pixel by that of the best size. `cnn` and `lite` have two values: they pad
  the picture and crop the painting, and so compute more pixels than they paint. The first value counts the computed
  pixels, the second the painted ones.
- *Planned* is the memory that a plan counts before it runs: tensors between layers, packed weights, outputs.
- *Measured* is the peak memory of the process, minus its peak with a picture of 64², plus what was planned for 64².
- *At once* lines compare predictions per second of two and four concurrent sessions, each with all threads, with
  predictions one after another. The bold number is the ratio.
"""
NEXT = """## Next

- [Performance](Performance.md#picture-sizes): why the times are so
- [Benchmarks](Benchmarks.md): comparison with other runtimes
"""


class Painter:
    """A style network: its name, its file, and the number of pixels by which it pads each side of the picture."""

    def __init__(self, key, file, margin=0):
        self.key, self.file, self.margin = key, file, margin

    def computed(self, side):
        """Returns the number of pixels that the network computes for a square with a side."""
        return (side + 2 * self.margin) ** 2


def options():
    """Parses the command line."""
    parser = frame.parser(__doc__, "--atelier", "--shared", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--sizes", default="256,512,768,1024,1536,2048,3072,4096")
    return parser.parse_args()


def painters(arguments):
    """Returns the networks that --only names, or all whose files are on this machine."""
    known = [
        Painter("cnn", styles.exported("great-wave", arguments.atelier), margin=48),
        Painter("lite", styles.exported("great-wave", arguments.atelier, lite=True), margin=28),
        Painter("styleblue", f"{arguments.shared}/models/createml-style/StyleBlue.mlmodel"),
    ]
    return networks.chosen([one for one in known if os.path.exists(one.file)], arguments.only)


def predict(arguments, machine, painter, side, units, *more):
    """Runs `atelier bench`. Returns its report, and the peak memory of the process in bytes."""
    command = [
        arguments.atelier, "bench", painter.file, "--size", str(side), "--compute-units", units,
        "--threads", str(machine.threads), "--json", *more]
    done = processes.measure(command, stdout=subprocess.PIPE, env=machine.environment)
    if done.exit_code:
        raise SystemExit(f"{' '.join(command)} ended with {done.exit_code}.")
    return json.loads(done.text), done.peak_bytes


def table(arguments, machine, painter, sides, units):
    """Measures all sizes, and returns the lines of their table."""
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
    lines = ["| size | median | per megapixel | relative to the best | planned | measured |",
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
    """Measures concurrent predictions, and returns their line of the table."""
    ratios = []
    for count in (2, 4):
        report, _ = predict(
            arguments, machine, painter, 512, units, "--runs", "12", "--at-once", str(count))
        together, alone = report["perSecondAtOnce"], report["perSecond"]
        ratios.append(
            f"{count} at once {together:.2f} per second, one after another {alone:.2f}:"
            f" **{together / alone:.2f}**")
        print(ratios[-1], flush=True)
    return "512²: " + "; ".join(ratios) + "."


def main():
    """Measures, and writes the section of this kind of processor."""
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
    frame.publish(arguments, machine, "Throughput.md", text, HEAD, NEXT)


if __name__ == "__main__":
    main()
