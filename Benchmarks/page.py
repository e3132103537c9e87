"""Pages with a section for every kind of processor, of which one is written at a time."""

import datetime
import os
import re
import subprocess
import tempfile

HEAD = """# Benchmarks

Written by `make bench` ([Benchmarks/](../Benchmarks/README.md)); a section for every kind of processor, so that the
numbers of one machine do not overwrite another's. Read ratios, not times: machines are shared. All contenders run
in turns, within minutes; the spread is that of the middle half. GFLOP/s counts the products of the definitions,
twice; the share is that of a plain product of matrices (PyTorch, 2048 × 2048) in the same precision and run, which
methods that save products may pass. Atelier is timed from pixels to pixels, peers from tensor to tensor. Where the
processor has no products of bfloat16, `.all` multiplies in float32, and stands beside the peers' float32.
"""


def heading(machine, sets=(), more=""):
    """The lines that a section begins with: its kind, and what was measured, on what, and when."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    limited = " A machine that has more was limited to it." if machine.is_limited else ""
    return [
        f"## {machine.kind}", "",
        f"{', '.join([machine.name, *sets])}; {machine.threads} threads; commit"
        f" {commit or 'unknown'}, {datetime.date.today().isoformat()}.{limited} Load of the last"
        f" minute before: {machine.load:.1f}.{more}"]


def section(machine, peaks, results, training):
    """The section of Documentation/Benchmarks.md, as text."""
    rates = ", ".join(f"{peak:.0f} GFLOP/s in {name}" for name, peak in peaks.items())
    lines = heading(machine, machine.sets, f" A plain product: {rates}.")
    lines += ["", "| network | | median | spread | GFLOP/s | share | beside the best peer |",
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
        lines += ["", "A step of training, batch 4, 256²: " + ", ".join(
            f"{name} {seconds:.2f} s" for name, seconds in training.items())
            + "".join(
                f"; beside {name} **{ours / seconds:.2f}**" for name, seconds in training.items()
                if ours and name != "Atelier") + "."]
    return "\n".join(lines) + "\n"


def put(path, kind, text, head):
    """Puts a section in the place of the one of the same kind, or after the others.

    The file is written beside and renamed.
    """
    sections = {}
    if os.path.exists(path):
        with open(path) as file:
            for part in re.split(r"^(?=## )", file.read(), flags=re.M)[1:]:
                sections[part.split("\n", 1)[0][3:].strip()] = part.rstrip() + "\n"
    sections[kind] = text
    order = ["AMX", "AVX512-BF16", "AVX-512", "AVX2", "plain"]
    names = sorted(sections, key=lambda name: order.index(name) if name in order else len(order))
    whole = head + "".join("\n" + sections[name] for name in names)
    handle, draft = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)))
    with os.fdopen(handle, "w") as file:
        file.write(whole)
    os.chmod(draft, 0o644)
    os.replace(draft, path)
