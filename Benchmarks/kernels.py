#!/usr/bin/env python3
"""Times every kernel of every convolution and product that is chosen by time, and writes how near to the best the
choices are, and what choosing costs, into Documentation/KernelChoices.md.

usage: kernels.py [--only NAME,...] [--runs 15] [--isa NAME] [--threads N] [--print]
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import networks
import page
from machine import Machine

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--atelier", default=".build/release/atelier")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--only", default="", help="names of networks, with commas")
    parser.add_argument("--runs", type=int, default=15, help="runs of each candidate")
    parser.add_argument("--isa", help="the most that is used: amx, avx512_bf16, avx512, avx2, plain")
    parser.add_argument("--threads", type=int, help="threads; all cores unless told otherwise")
    parser.add_argument("--print", action="store_true", help="prints the section and writes no file")
    return parser.parse_args()


class Network:
    """What was measured of one network in one precision."""

    def __init__(self, network, units, machine, arguments, cache):
        self.title = f"{network.title}, {network.side}²"
        self.environment = dict(machine.environment, XDG_CACHE_HOME=cache, ATELIER_TUNING="on")
        self.command = [
            arguments.atelier, "bench", network.file, "--size", str(network.side), "--compute-units",
            units, "--threads", str(machine.threads), "--json"]
        # The first plan measures, the second process reads the file.
        self.first = self.first_prediction()
        turns = [(self.first_prediction(), self.first_prediction("--no-tuning")) for _ in range(3)]
        self.second, self.fixed = (min(times) for times in zip(*turns))
        made = json.loads(self.ask("--kernels", "--runs", str(arguments.runs)))
        self.precision, self.entries = made["precision"], made["entries"]

    def ask(self, *more):
        return subprocess.run(
            self.command + list(more), env=self.environment, capture_output=True, text=True,
            check=True).stdout

    def first_prediction(self, *more):
        """Milliseconds of the first prediction of a new process, with its plan."""
        report = json.loads(self.ask("--runs", "1", "--warm-up", "0", *more))
        return report["firstMilliseconds"]


def ratio(entry, kernel):
    times = {time["kernel"]: time["milliseconds"] for time in entry["times"]}
    return times.get(kernel, min(times.values())) / min(times.values())


def rows(network):
    for entry in network.entries:
        count = f" × {entry['count']}" if entry["count"] > 1 else ""
        times = ", ".join(
            ("**" if time["kernel"] == entry["chosen"] else "") + time["kernel"]
            + f" {time['milliseconds']:.3f}" + ("**" if time["kernel"] == entry["chosen"] else "")
            for time in entry["times"])
        yield (f"| {entry['name']}{count} | {ratio(entry, entry['chosen']):.2f} |"
               f" {ratio(entry, entry['fixed']):.2f} | {times} |")


def section(machine, commit, when, load, found):
    limited = " A machine that has more was limited to it." if machine.is_limited else ""
    lines = [f"## {machine.kind}", "",
             f"{machine.name}; {machine.threads} threads; commit {commit}, {when}.{limited} Load of the last"
             f" minute before: {load:.1f}.", "",
             "| network | precision | within 5 % | worst | first prediction: measuring, remembered, fixed order |",
             "|---|---|---|---|---|"]
    for network in found:
        chosen = [ratio(entry, entry["chosen"]) for entry in network.entries]
        lines.append(
            f"| {network.title} | {network.precision} | {sum(one <= NEAR for one in chosen)} of {len(chosen)} |"
            f" {max(chosen, default=1):.2f} | {network.first:.0f}, {network.second:.0f},"
            f" {network.fixed:.0f} ms |")
    for network in found:
        lines += ["", f"### {machine.kind}: {network.title}, {network.precision}", "",
                  "| node | chosen | fixed | milliseconds, **chosen** |", "|---|---|---|---|"]
        lines += rows(network)
    return "\n".join(lines) + "\n"


def main():
    arguments = options()
    os.chdir(ROOT)
    machine = Machine(arguments.isa, arguments.threads)
    load = machine.load()
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "atelier")
    wanted = [name for name in arguments.only.split(",") if name]
    found = []
    for network in networks.known(arguments.shared, cache):
        if wanted and network.key not in wanted:
            continue
        for units in ["cpuOnly", "all"] if machine.has_bfloat16 else ["cpuOnly"]:
            with tempfile.TemporaryDirectory() as folder:
                made = Network(network, units, machine, arguments, folder)
            found.append(made)
            near = sum(ratio(entry, entry["chosen"]) <= NEAR for entry in made.entries)
            print(f"{made.title}, {units}: {near} of {len(made.entries)} within 5 %; first prediction"
                  f" {made.first:.0f}, {made.second:.0f}, {made.fixed:.0f} ms", flush=True)
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    text = section(machine, commit or "unknown", datetime.date.today().isoformat(), load, found)
    if arguments.print:
        print(text)
    else:
        page.put(os.path.join(ROOT, "Documentation", "KernelChoices.md"), machine.kind, text, HEAD)
        print(f"Documentation/KernelChoices.md, section {machine.kind}, is written.")


if __name__ == "__main__":
    main()
