"""Writes exercised.tsv: which of coremltools' tests predict with each layer type, and pass.

    python exercised.py FOLDER-OF-REPORTS > exercised.tsv

The reports are the JSON files that `make conformance` leaves in .build/conformance; run all groups
first. Each line has the field of a layer type in the specification, a test file, and the number of test cases in
this file whose models contain such a layer. For a layer type that none of coremltools' tests covers, the line has
one of our own test files, with the prefix `ours/`. `make docs` puts the counts into the support page.
"""

import collections
import glob
import json
import os
import sys


OURS = "ours.json"


def exercised(path):
    with open(path) as file:
        return json.load(file).get("exercised", {})


def main(folder):
    table = collections.defaultdict(collections.Counter)
    for path in glob.glob(os.path.join(folder, "*.json")):
        if os.path.basename(path) != OURS:
            for layer, files in exercised(path).items():
                table[layer].update(files)
    for layer, files in exercised(os.path.join(folder, OURS)).items():
        if layer not in table:
            table[layer] = {f"ours/{name}": cases for name, cases in files.items()}
    for layer in sorted(table, key=str.lower):
        for name, cases in sorted(table[layer].items()):
            # One field of the specification starts with a capital letter.
            print(layer[:1].lower() + layer[1:], name, cases, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1])
