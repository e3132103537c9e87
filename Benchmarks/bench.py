#!/usr/bin/env python3
"""Times Atelier and other runtimes, and writes the section of this kind of processor in
Documentation/Benchmarks.md.

usage: bench.py [--only NAME,...] [--rounds 5] [--runs 5] [--isa NAME] [--threads N]
                [--training] [--print]
"""

import os
import re
import statistics
import subprocess
import sys
import time

import contenders
import frame
import networks
import page

#: The side of the square matrices whose multiplication measures the machine's peak rate.
PEAK_SIDE = 2048


def options():
    """Parses the command line."""
    parser = frame.parser(
        __doc__, "--atelier", "--shared", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; in each, every contender runs once")
    parser.add_argument("--runs", type=int, default=5, help="predictions per round")
    parser.add_argument("--training", action="store_true", help="a training step as well")
    return parser.parse_args()


def peaks(machine, result):
    """Measures a matrix multiplication in each precision. Stores its rate in GFLOP/s if it is the best so far."""
    for word, name in [("f32", "float32"), ("bf16", "bfloat16")]:
        if word == "bf16" and not machine.has_bfloat16:
            continue
        made = contenders.alternate(
            [lambda: contenders.Worker(name, machine, f"product-{word}", "-", PEAK_SIDE)], 3, 5)
        for contender in made:
            rate = 2 * PEAK_SIDE**3 / min(contender.times) / 1e6
            result[name] = max(rate, result.get(name, 0))


def times(network, machine, arguments, folder):
    """Times all contenders on a network. Returns them, and the number of multiply-adds of one prediction."""
    twin = network.onnx(arguments.atelier, folder)
    makers = [lambda: contenders.Atelier(arguments.atelier, network, "cpuOnly", machine)]
    peers = [("OpenVINO, float32", "openvino-f32")]
    if not machine.is_limited:
        # ONNX Runtime cannot be limited to an instruction set.
        peers.insert(0, ("ONNX Runtime, float32", "onnxruntime-f32"))
    makers.append(lambda: contenders.Atelier(arguments.atelier, network, "all", machine))
    if machine.has_bfloat16:
        peers.append(("OpenVINO, bfloat16", "openvino-bf16"))
    if twin:
        for name, runtime in peers:
            makers.append(lambda name=name, runtime=runtime: contenders.Worker(
                name, machine, runtime, twin, network.side))
    made = contenders.alternate(makers, arguments.rounds, arguments.runs)
    return made, networks.product_count(twin, network.side) if twin else 0


def training(machine, arguments, folder):
    """Times a training step of Atelier and of PyTorch. Returns seconds by name."""
    result = {}
    painting = os.path.join(frame.ROOT, "Gallery/great-wave/painting.jpg")
    photos = "Gallery/photos"

    def run(iterations):
        start = time.perf_counter()
        subprocess.run(
            [arguments.atelier, "train", painting, "--content", photos, "--batch", "4",
             "--iterations", str(iterations), "--overwrite", "--threads", str(machine.threads),
             "-o", os.path.join(folder, "trained.mlmodel")],
            check=True, env=machine.environment, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    try:
        run(2)  # A first run, not counted, in which Atelier times the kernels and reads the files.
        short = statistics.median(run(2) for _ in range(3))
        result["Atelier"] = (statistics.median(run(10) for _ in range(3)) - short) / 8
        done = subprocess.run(
            [sys.executable, os.path.join(frame.ROOT, "Scripts/reference_training_step.py"),
             "--time"],
            env=machine.environment, capture_output=True, text=True, check=True)
        for line in (done.stdout + done.stderr).splitlines():
            found = re.search(r"([0-9.]+) s", line)
            if found:
                name = "PyTorch, float32" if "float32" in line else "PyTorch, bfloat16"
                result.setdefault(name, float(found.group(1)))
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"training left out: {error}")
    return result


def main():
    """Measures, and writes the section of this kind of processor."""
    arguments = options()
    machine = frame.start(arguments)
    folder = os.path.join(frame.ROOT, ".build", "bench")
    os.makedirs(folder, exist_ok=True)
    found = networks.wanted(arguments.shared, arguments.only)
    print(f"{machine.name}, {machine.kind}, {machine.threads} threads, load {machine.load:.1f}")
    rates, results = {}, []
    peaks(machine, rates)
    for network in found:
        made, products = times(network, machine, arguments, folder)
        results.append((network, products, made))
        for contender in made:
            low, high = contender.spread
            print(f"{network.title:22s} {contender.name:24s} {contender.median:8.2f} ms"
                  f"  ({low:.2f}–{high:.2f})", flush=True)
        peaks(machine, rates)
    steps = training(machine, arguments, folder) if arguments.training else {}
    text = page.section(machine, rates, results, steps)
    frame.publish(arguments, machine, "Benchmarks.md", text, page.HEAD, page.NEXT)


if __name__ == "__main__":
    main()
