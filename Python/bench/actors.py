"""Compares two Ray actors with one process of two threads, and measures what a picture and an actor cost.

    python Python/bench/actors.py PHOTOS [--count N] [--rounds N] [--style NAME] [--size N] [--lite]

Each round paints the same photos in one process with two threads and in Ray Data with two actors of one thread.
Throughput counts only the time in which both workers paint, without Ray's start. Documentation/Clusters.md uses the
results.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import time

import numpy as np
import ray

from atelier.ray import CoreMLPredictor


def memory():
    """Return this process's memory in MB: all, and its share of what it has in common with others."""
    with open("/proc/self/smaps_rollup") as file:
        fields = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in file if "kB" in line}
    return fields["Rss"], fields["Pss"]


class Timed(CoreMLPredictor):
    """Adds when the batch was painted, the processor time, and the memory of the actor."""

    def __call__(self, columns):
        self.open()
        begin, work = time.time(), time.process_time()
        result = super().__call__(columns)
        count = len(result["stylizedImage"])
        painted = sum(map(len, result.pop("stylizedImage")))
        result = {"bytes": np.array([sum(map(len, columns["bytes"]))] + [0] * (count - 1))}
        result["painted"] = np.array([painted] + [0] * (count - 1))
        for name, value in zip(
            ("begin", "end", "work", "rss", "pss", "process"),
            (begin, time.time(), (time.process_time() - work) / count, *memory(), os.getpid()),
        ):
            result[name] = np.full(count, value)
        return result


def window(begins, ends, counts, processes):
    """Return the pictures per second while all workers paint, and the part of that time in which a worker is busy."""
    workers = sorted(set(processes))
    first = max(min(one for one, process in zip(begins, processes) if process == worker) for worker in workers)
    last = min(max(one for one, process in zip(ends, processes) if process == worker) for worker in workers)
    done = sum(
        count * max(0, min(end, last) - max(begin, first)) / (end - begin)
        for begin, end, count in zip(begins, ends, counts)
    )
    busy = sum(max(0, min(end, last) - max(begin, first)) for begin, end in zip(begins, ends))
    return done / (last - first), busy / (last - first) / len(workers)


def in_actors(paths, options):
    files = ray.data.read_binary_files(paths, num_cpus=0, override_num_blocks=max(2, len(paths) // 32))
    frame = files.map_batches(
        Timed, fn_constructor_kwargs=options, batch_size=16, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=2)
    ).to_pandas()
    rows = frame.groupby(["process", "begin", "end"]).size().reset_index(name="count")
    speed, busy = window(rows["begin"], rows["end"], rows["count"], rows["process"])
    return {
        "per second": speed, "busy": busy,
        "processor ms": 1000 * frame["work"].mean(),
        "actors": rows["process"].nunique(),
        "rss": frame["rss"].max(), "pss": frame["pss"].max(),
        "read": frame["bytes"].sum() / len(frame), "written": frame["painted"].sum() / len(frame),
    }  # fmt: skip


def in_process(paths, options):
    predictor = CoreMLPredictor(threads=1, **options)
    predictor.open()

    def one(path):
        begin = time.time()
        column = np.empty(1, object)
        column[0] = pathlib.Path(path).read_bytes()
        predictor({"bytes": column})
        return begin, time.time()

    work = time.process_time()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        times = list(pool.map(one, paths))
    work = time.process_time() - work
    begin, end = min(one[0] for one in times), max(one[1] for one in times)
    return {"per second": len(paths) / (end - begin), "processor ms": 1000 * work / len(paths)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--style", default="starry-night")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--lite", action="store_true")
    options = parser.parse_args()
    paths = sorted(str(path) for path in options.photos.rglob("*.jpg"))[: options.count]
    model = {"model": options.style, "lite": options.lite, "size": options.size}
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=500_000_000, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    rounds = []
    for number in range(options.rounds):
        both = {"process": in_process, "actors": in_actors}
        order = sorted(both, reverse=number % 2 == 1)
        rounds.append({name: both[name](paths, model) for name in order})
        print(json.dumps(rounds[-1], default=float), flush=True)
    for figure in ("per second", "processor ms"):
        ratios = [one["actors"][figure] / one["process"][figure] for one in rounds]
        print(f"{figure}: two actors / one process: median {statistics.median(ratios):.3f}, "
              f"{min(ratios):.3f} to {max(ratios):.3f}; load {os.getloadavg()[0]:.1f}")  # fmt: skip
    busy = statistics.median(one["actors"]["busy"] for one in rounds)
    print(f"busy part of the actors' time: median {busy:.3f}")


if __name__ == "__main__":
    main()
