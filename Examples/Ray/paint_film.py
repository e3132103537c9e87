#!/usr/bin/env python3
"""Paints a film on a Ray cluster, each part from a cut to a cut as a task.

    python Examples/Ray/paint_film.py holiday.mp4 painted.mp4 --style starry-night --lite --address auto

Options that are not listed below are those of `atelier film`. The same command continues a run that was killed. All
machines need our wheel with its extra `ray`, ffmpeg, and access to both paths.
"""

import argparse
import sys

import ray

import atelier
from atelier.ray import paint_film


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("film", help="the film's path, the same on all machines")
    parser.add_argument("painting", help="the path of the painted film: .mp4, .mov, .mkv or .webm")
    parser.add_argument("--cpus", type=float, default=1, help="processors of a task: its threads (1)")
    parser.add_argument("--shortest", type=float, default=10, help="seconds of a part at least (10)")
    parser.add_argument("--address", help="of the cluster; 'auto' finds it, without it Ray starts on this machine")
    options, others = parser.parse_known_args()
    ray.init(address=options.address, log_to_driver=False)
    try:
        paint_film(
            options.film, options.painting, *others, cpus=options.cpus, shortest=options.shortest,
            progress=lambda done, count: print(f"{done} of {count} parts painted", flush=True),
        )  # fmt: skip
    except atelier.Error as error:
        sys.exit(f"paint_film: {error}")


if __name__ == "__main__":
    main()
