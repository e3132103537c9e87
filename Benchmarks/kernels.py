#!/usr/bin/env python3
"""Times every kernel of every convolution and product that is chosen by time, and writes how near
to the best the choices are, and what choosing costs, into Documentation/KernelChoices.md.

usage: kernels.py [--only NAME,...] [--runs 15] [--isa NAME] [--threads N] [--print]
"""

import json
import os
import subprocess
import tempfile

import frame
import networks
import page

HEAD = """# Kernel choices

Written by `make bench-kernels` ([Benchmarks/](../Benchmarks/README.md)); a section for every kind of processor. Each
candidate of every convolution and product that is chosen by time ([Tuning](Tuning.md)) runs on the whole picture, in
turns with the others; the least time counts. *Chosen* and *fixed* say how much longer than the best candidate the one
takes that was chosen by time on parts of the picture, and the first of the fixed order. Nodes that are alike are
counted, not repeated.
"""
#: The share of the best candidate's time up to which a choice counts as right.
NEAR = 1.05


def options():
    """What the command was asked for."""
    parser = frame.parser(
        __doc__, "--atelier", "--shared", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--runs", type=int, default=15, help="runs of each candidate")
    return parser.parse_args()


class Network:
    """What was measured of one network in one precision."""

    def __init__(self, network, units, machine, arguments, folder):
        self.title = f"{network.title}, {network.side}²"
        self.folder = folder
        self.environment = dict(machine.environment, ATELIER_TUNING="on")
        self.command = [
            arguments.atelier, "bench", network.file, "--size", str(network.side),
            "--compute-units", units, "--threads", str(machine.threads), "--json"]
        # With a cache of its own the first process measures, and the second reads the file. In turns, as the machine's
        # other guests slow down whatever runs beside them.
        turns = [
            (self.first_prediction(cache), self.first_prediction(cache),
             self.first_prediction(cache, "--no-tuning")) for cache in "123"]
        self.first, self.second, self.fixed = (min(times) for times in zip(*turns))
        made = json.loads(self.ask("3", "--kernels", "--runs", str(arguments.runs)))
        self.precision, self.entries = made["precision"], made["entries"]

    def ask(self, cache, *more):
        """What `atelier bench` says, with the choices in one of several caches."""
        environment = dict(self.environment, XDG_CACHE_HOME=os.path.join(self.folder, cache))
        return subprocess.run(
            self.command + list(more), env=environment, capture_output=True, text=True,
            check=True).stdout

    def first_prediction(self, cache, *more):
        """Milliseconds of the first prediction of a new process, with its plan."""
        report = json.loads(self.ask(cache, "--runs", "1", "--warm-up", "0", *more))
        return report["firstMilliseconds"]


def ratio(entry, kernel):
    """The time of a kernel beside that of the best."""
    times = {time["kernel"]: time["milliseconds"] for time in entry["times"]}
    return times.get(kernel, min(times.values())) / min(times.values())


def rows(network):
    """The table of a network's nodes."""
    for entry in network.entries:
        count = f" × {entry['count']}" if entry["count"] > 1 else ""
        times = ", ".join(
            ("**" if time["kernel"] == entry["chosen"] else "") + time["kernel"]
            + f" {time['milliseconds']:.3f}" + ("**" if time["kernel"] == entry["chosen"] else "")
            for time in entry["times"])
        yield (f"| {entry['name']}{count} | {ratio(entry, entry['chosen']):.2f} |"
               f" {ratio(entry, entry['fixed']):.2f} | {times} |")


def section(machine, found):
    """The section of Documentation/KernelChoices.md, as text."""
    lines = page.heading(machine) + [
        "", "| network | precision | within 5 % | worst"
        " | first prediction: measuring, remembered, fixed order |",
        "|---|---|---|---|---|"]
    for network in found:
        chosen = [ratio(entry, entry["chosen"]) for entry in network.entries]
        near = sum(one <= NEAR for one in chosen)
        lines.append(
            f"| {network.title} | {network.precision} | {near} of {len(chosen)} |"
            f" {max(chosen, default=1):.2f} | {network.first:.0f}, {network.second:.0f},"
            f" {network.fixed:.0f} ms |")
    for network in found:
        lines += ["", f"### {machine.kind}: {network.title}, {network.precision}", "",
                  "| node | chosen | fixed | milliseconds, **chosen** |", "|---|---|---|---|"]
        lines += rows(network)
    return "\n".join(lines) + "\n"


def main():
    """Measures, and publishes the section."""
    arguments = options()
    machine = frame.start(arguments)
    found = []
    for network in networks.wanted(arguments.shared, arguments.only):
        for units in ["cpuOnly", "all"]:
            with tempfile.TemporaryDirectory() as folder:
                made = Network(network, units, machine, arguments, folder)
            found.append(made)
            near = sum(ratio(entry, entry["chosen"]) <= NEAR for entry in made.entries)
            print(f"{made.title}, {units}: {near} of {len(made.entries)} within 5 %;"
                  f" first prediction {made.first:.0f}, {made.second:.0f}, {made.fixed:.0f} ms",
                  flush=True)
    frame.publish(arguments, machine, "KernelChoices.md", section(machine, found), HEAD)


if __name__ == "__main__":
    main()
