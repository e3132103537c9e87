#!/usr/bin/env python3
"""Times every candidate kernel of every convolution and matrix product for which Atelier chooses a kernel by time.
Writes into Documentation/KernelChoices.md how close the chosen kernels are to the fastest ones, and what the
choice costs.

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

See how close the kernels that tuning chooses are to the fastest ones, for six networks. To measure this on your
machine:

    make bench-kernels
    atelier bench MODEL --kernels    # for one model

`make bench-kernels` writes this page ([Benchmarks/](../Benchmarks/README.md)), with one section per kind of processor.
Every candidate of every convolution and product that is chosen by time ([Tuning](Tuning.md)) runs on the whole picture,
alternating with the others. The minimum time counts.

- *Chosen* is the time of the kernel that tuning chose, divided by the time of the best candidate. Tuning measures on a
  part of the picture.
- *Fixed* is the same ratio for the kernel that runs without tuning: the first one of the fixed order.
- *Within 5 %* counts the nodes with a *chosen* ratio of at most 1.05.
- Identical nodes are counted (× 2), not repeated.
"""
NEXT = """## Next

- [Tuning](Tuning.md): how kernels are chosen
- [Benchmarks](Benchmarks.md): the times of whole networks
"""
#: A chosen kernel counts as right if its time is at most this multiple of the fastest candidate's time.
NEAR = 1.05


def options():
    """Parses the command line."""
    parser = frame.parser(
        __doc__, "--atelier", "--shared", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--runs", type=int, default=15, help="runs of each candidate")
    return parser.parse_args()


class Network:
    """The measurements of one network in one precision."""

    def __init__(self, network, units, machine, arguments, folder):
        self.title = f"{network.title}, {network.side}²"
        self.folder = folder
        self.environment = dict(machine.environment, ATELIER_TUNING="on")
        self.command = [
            arguments.atelier, "bench", network.file, "--size", str(network.side),
            "--compute-units", units, "--threads", str(machine.threads), "--json"]
        # The first process starts with an empty cache, and its third prediction times the kernels. The second process
        # reads the choices from the cache, and the third uses no tuning. The three cases alternate, because other
        # programs on the machine slow down whatever runs at the same time.
        turns = [
            (self.third_prediction(cache), self.first_prediction(cache),
             self.first_prediction(cache, "--no-tuning")) for cache in "123"]
        self.third, self.second, self.fixed = (min(times) for times in zip(*turns))
        made = json.loads(self.ask("3", "--kernels", "--runs", str(arguments.runs)))
        self.precision, self.entries = made["precision"], made["entries"]

    def ask(self, cache, *more):
        """Runs `atelier bench` with the kernel choices stored in the folder `cache`, and returns its output."""
        environment = dict(self.environment, XDG_CACHE_HOME=os.path.join(self.folder, cache))
        return subprocess.run(
            self.command + list(more), env=environment, capture_output=True, text=True,
            check=True).stdout

    def first_prediction(self, cache, *more):
        """Returns the time of the first prediction of a new process in milliseconds, including planning."""
        report = json.loads(self.ask(cache, "--runs", "1", "--warm-up", "0", *more))
        return report["firstMilliseconds"]

    def third_prediction(self, cache):
        """Returns the time of the third prediction of a new process in milliseconds."""
        return json.loads(self.ask(cache, "--runs", "2", "--warm-up", "0"))["milliseconds"][-1]


def ratio(entry, kernel):
    """Returns the time of a kernel divided by the time of the fastest one."""
    times = {time["kernel"]: time["milliseconds"] for time in entry["times"]}
    return times.get(kernel, min(times.values())) / min(times.values())


def rows(network):
    """Returns the lines of the table with the nodes of a network."""
    for entry in network.entries:
        count = f" × {entry['count']}" if entry["count"] > 1 else ""
        times = ", ".join(
            ("**" if time["kernel"] == entry["chosen"] else "") + time["kernel"]
            + f" {time['milliseconds']:.3f}" + ("**" if time["kernel"] == entry["chosen"] else "")
            for time in entry["times"])
        yield (f"| {entry['name']}{count} | {ratio(entry, entry['chosen']):.2f} |"
               f" {ratio(entry, entry['fixed']):.2f} | {times} |")


def section(machine, found):
    """Returns the section of Documentation/KernelChoices.md as text."""
    lines = page.heading(machine) + [
        "", "| network | precision | within 5 % | worst"
        " | third prediction, measuring; first, remembered; first, fixed order |",
        "|---|---|---|---|---|"]
    for network in found:
        chosen = [ratio(entry, entry["chosen"]) for entry in network.entries]
        near = sum(one <= NEAR for one in chosen)
        lines.append(
            f"| {network.title} | {network.precision} | {near} of {len(chosen)} |"
            f" {max(chosen, default=1):.2f} | {network.third:.0f}, {network.second:.0f},"
            f" {network.fixed:.0f} ms |")
    for network in found:
        lines += ["", f"### {machine.kind}: {network.title}, {network.precision}", "",
                  "| node | chosen | fixed | milliseconds, **chosen** |", "|---|---|---|---|"]
        lines += rows(network)
    return "\n".join(lines) + "\n"


def main():
    """Measures, and writes the section of this kind of processor."""
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
                  f" measuring {made.third:.0f}, first prediction {made.second:.0f}, {made.fixed:.0f} ms",
                  flush=True)
    frame.publish(arguments, machine, "KernelChoices.md", section(machine, found), HEAD, NEXT)


if __name__ == "__main__":
    main()
