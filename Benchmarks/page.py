"""Writes pages with one section per kind of processor. A run replaces the section of its own processor's kind."""

import datetime
import os
import re
import subprocess
import tempfile

HEAD = """# Benchmarks

Times of Atelier compared with ONNX Runtime, OpenVINO and PyTorch. To measure them on your machine:

    make bench

`make bench` writes this page ([Benchmarks/](../Benchmarks/README.md)), with one section per kind of processor. A run
replaces only the section of its own kind. Compare ratios rather than times, because machines are shared.

- All contenders run alternately, within minutes. *Spread* is the interquartile range of the times.
- *GFLOP/s* counts the multiply-adds of the convolutions and inner products, as they are defined, times two.
- *Share* divides the GFLOP/s by those of a plain matrix product (PyTorch, 2048 × 2048) in the same precision and run.
  Algorithms that save multiply-adds, such as Winograd's, can exceed 1.
- *Relative to the best peer* divides the median by that of the fastest peer in the same precision.
- Atelier is timed from pixels to pixels, peers from tensor to tensor.
- On processors without bfloat16 arithmetic, `.all` multiplies in float32 and is compared with the peers' float32.
"""
NEXT = """## Next

- [Performance](Performance.md): the algorithms
- [Throughput](Throughput.md): larger pictures, and several predictions at once
- [Kernel choices](KernelChoices.md): the times of single kernels
"""


def heading(machine, sets=(), more=""):
    """Returns the first lines of a section: the kind of processor, the machine, the commit and the date."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    limited = " A machine with more instruction sets was limited to this one." if machine.is_limited else ""
    return [
        f"## {machine.kind}", "",
        f"{', '.join([machine.name, *sets])}; {machine.threads} threads; commit"
        f" {commit or 'unknown'}, {datetime.date.today().isoformat()}.{limited} Load average of the last"
        f" minute before: {machine.load:.1f}.{more}"]


def section(machine, peaks, results, training):
    """Returns the section of Documentation/Benchmarks.md as text."""
    rates = ", ".join(f"{peak:.0f} GFLOP/s in {name}" for name, peak in peaks.items())
    lines = heading(machine, machine.sets, f" A plain matrix product: {rates}.")
    lines += ["", "| network | | median | spread | GFLOP/s | share | relative to the best peer |",
              "|---|---|---|---|---|---|---|"]
    for network, products, contenders in results:
        title = f"{network.title}, {network.side}²"
        for contender in contenders:
            precision = "bfloat16" if "bfloat16" in contender.name else "float32"
            low, high = contender.spread
            rate = 2 * products / contender.median / 1e6
            peak = peaks.get(precision)
            share = f"{rate / peak:.2f}" if peak else ""
            peers = [other.median for other in contenders
                     if precision in other.name and "Atelier" not in other.name]
            ratio = f"**{contender.median / min(peers):.2f}**" \
                if "Atelier" in contender.name and peers else ""
            lines.append(
                f"| {title} | {contender.name} | {contender.median:.1f} ms | {low:.1f}–{high:.1f} |"
                f" {rate:.0f} | {share} | {ratio} |")
            title = ""
    if training:
        ours = training.get("Atelier")
        lines += ["", "A training step, batch 4, 256²: " + ", ".join(
            f"{name} {seconds:.2f} s" for name, seconds in training.items())
            + "".join(
                f"; relative to {name} **{ours / seconds:.2f}**" for name, seconds in training.items()
                if ours and name != "Atelier") + "."]
    return "\n".join(lines) + "\n"


def put(path, kind, text, head, next):
    """Replaces the section of the same kind, or adds a new one. The page begins with `head` and ends with `next`.

    Writes a temporary file in the same folder and renames it.
    """
    sections = {}
    if os.path.exists(path):
        with open(path) as file:
            for part in re.split(r"^(?=## )", file.read(), flags=re.M)[1:]:
                sections[part.split("\n", 1)[0][3:].strip()] = part.rstrip() + "\n"
    sections.pop("Next", None)
    sections[kind] = text
    order = ["AMX", "AVX512-BF16", "AVX-512", "AVX2", "plain"]
    names = sorted(sections, key=lambda name: order.index(name) if name in order else len(order))
    whole = head + "".join("\n" + sections[name] for name in names) + "\n" + next
    handle, draft = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)))
    with os.fdopen(handle, "w") as file:
        file.write(whole)
    os.chmod(draft, 0o644)
    os.replace(draft, path)
