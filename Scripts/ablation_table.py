#!/usr/bin/env python3
"""Writes the table of an ablation: for each network, the means over the photos of the numbers of `atelier judge
--json`.

    usage: ablation_table.py FOLDER LABEL=MODEL …    FOLDER has LABEL.json for each network
"""
import json
import os
import sys

# Column, key of a judgement, digits.
COLUMNS = [("contrast", "contrast", 2), ("colour", "color", 3), ("near", "near", 3), ("cover", "cover", 3),
           ("LPIPS", "lpips", 3), ("DISTS", "dists", 3)]
LAYERS = ["relu1_2", "relu2_2", "relu3_3", "relu4_3"]

folder, networks = sys.argv[1], sys.argv[2:]
rows, near, photos = [], 0, 0
for network in networks:
    label, model = network.split("=", 1)
    with open(os.path.join(folder, f"{label}.json")) as file:
        found = [line["judgement"] for line in json.load(file)]
    photos = len(found)
    mean = lambda value: sum(value(judgement) for judgement in found) / len(found)
    near = mean(lambda judgement: judgement["nearOfPhoto"])
    losses = os.path.splitext(model)[0] + ".training/losses.csv"
    steps = str(sum(1 for _ in open(losses)) - 1) if os.path.exists(losses) else "–"
    cells = [label, steps] + [f"{mean(lambda j: j[key]):.{digits}f}" for _, key, digits in COLUMNS]
    cells += [f"{mean(lambda j: j['gramErrors'].get(layer, float('nan'))):.2f}" for layer in LAYERS]
    rows.append(cells)
heading = ["recipe", "steps"] + [name for name, _, _ in COLUMNS] + [f"Gram {layer}" for layer in LAYERS]
for cells in [heading, ["---"] + ["---:"] * (len(heading) - 1)] + rows:
    print("| " + " | ".join(cells) + " |")
print(f"\nMeans of {photos} held-out photos; the photos themselves have a near of {near:.3f}.")
