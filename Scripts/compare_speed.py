#!/usr/bin/env python3
"""Compares the speed of two builds of atelier: predictions, and optionally a training step.

usage: compare_speed.py BEFORE AFTER [--rounds N] [--units cpuOnly,all] [--train PAINTING PHOTOS] MODEL...

Each program times each model with its `bench` command; the two programs alternate. The lowest of a program's medians
counts, because other load on the machine only adds time. With --train both programs run a few steps of `train`; the
time of a step is the smallest difference between two runs of different length. Exits with status 1 if AFTER takes
more than 1.03 times as long.
"""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time


def median(program, model, units, runs):
    """Returns the median time of a prediction in milliseconds, or None if the program cannot run the model."""
    words = [program, "bench", model, "--compute-units", units, "--runs", str(runs), "--json"]
    made = subprocess.run(words, capture_output=True, text=True)
    if made.returncode:
        print(f"{program}: {made.stderr.strip()}", file=sys.stderr)
        return None
    pending = [json.loads(made.stdout)]
    while pending:
        part = pending.pop(0)
        if isinstance(part, dict):
            for key, value in part.items():
                if key.lower().startswith("median"):
                    return value
            part = list(part.values())
        if isinstance(part, list):
            pending += part
    return None


def training(program, painting, photos, steps):
    """Trains for a number of steps and returns the seconds that the process took, including its start."""
    folder = tempfile.mkdtemp()
    try:
        words = [program, "train", painting, "--content", photos, "--iterations", str(steps),
                 "--algorithm", "cnnLite", "--initial", "none",
                 "-o", os.path.join(folder, "m.mlmodel")]
        start = time.monotonic()
        made = subprocess.run(words, capture_output=True, text=True)
        if made.returncode:
            print(f"{program}: {made.stderr.strip()}", file=sys.stderr)
            return None
        return time.monotonic() - start
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def step(program, painting, photos, few=5, many=35):
    times = [training(program, painting, photos, count) for count in (few, many)]
    return None if None in times else 1000 * (times[1] - times[0]) / (many - few)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--units", default="cpuOnly,all")
    parser.add_argument("--train", nargs=2, metavar=("PAINTING", "PHOTOS"))
    options = parser.parse_intermixed_args()
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    print(f"{names[0] if names else platform.machine()}, {len(names)} processors,"
          f" load {os.getloadavg()[0]:.1f}")
    programs = [options.before, options.after]
    slower = False

    def compare(name, measure):
        nonlocal slower
        best = [None, None]
        for _ in range(options.rounds):
            for index, program in enumerate(programs):
                found = measure(program)
                if found is not None and (best[index] is None or found < best[index]):
                    best[index] = found
        if None in best:
            print(f"{name}: not measured")
            return
        ratio = best[1] / best[0]
        slower = slower or ratio > 1.03
        print(f"{name}: {best[0]:.2f} ms before, {best[1]:.2f} ms after, ratio {ratio:.3f}",
              flush=True)

    for model in options.models:
        for units in options.units.split(","):
            name = f"{os.path.basename(model)}, {units}"
            compare(name, lambda program: median(program, model, units, options.runs))
    if options.train:
        compare("a training step", lambda program: step(program, *options.train))
    sys.exit(1 if slower else 0)


main()
