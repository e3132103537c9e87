"""Networks of the gallery's styles, for the benchmarks."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def exported(name, atelier=os.path.join(ROOT, ".build/release/atelier"), lite=False):
    """Writes the network of a style into .build/styles, unless it is newer than the gallery's network. Returns its path.

    The file is missing if the program is.
    """
    path = os.path.join(ROOT, ".build/styles", f"{name}-lite.mlmodel" if lite else f"{name}.mlmodel")
    source = os.path.join(ROOT, "Gallery/lite.mlmodel" if lite else "Gallery/styles.mlmodel")
    if os.path.exists(atelier) and (
        not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source)
    ):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        small = ["--lite"] if lite else []
        subprocess.run(
            [atelier, "styles", "--style", name, "--output", path, *small], check=True, stdout=subprocess.DEVNULL)
    return path
