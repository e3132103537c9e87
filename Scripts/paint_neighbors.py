#!/usr/bin/env python3
"""Paints a photo with neural neighbours in PyTorch, by the same recipe as `atelier paint --method neighbors`.

usage: paint_neighbors.py PHOTO PAINTING OUTPUT [--size N] [--preset draft|good] [--program ATELIER]

With --program, `atelier` paints the same picture first, and the script prints both times and their ratio. Both pictures
keep the colours of the optimisation. They differ by rounding, by the resampling of the photo, and by the random numbers
of the last phase; `atelier judge` measures how much. Needs torch, numpy, pillow, coremltools (to read VGG-16's weights),
and VGG-16 from `atelier fetch vgg16`.
"""
import argparse
import os
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import style_network as style

LAYERS = [f"relu{block}_{index}" for block, count in enumerate([2, 2, 3, 3], 1) for index in range(1, count + 1)]
MARGIN, ALIGNMENT, STRIDE, LEAST = 8, 8, 4, 64
SAMPLES, OTHERS, CANDIDATES, PHOTO_SHARE, EPSILON = 1024, 4096, 16384, 0.75, 1e-8
RATE = 1.02


def pixels(picture):
    """Returns a picture as [1, 3, height, width], 0…255."""
    return torch.tensor(np.array(picture, np.float32)).permute(2, 0, 1)[None].contiguous()


def scaled(picture, side):
    factor = side / max(picture.size)
    return picture.resize([max(16, round(s * factor)) for s in picture.size], Image.LANCZOS)


def without_edge(painting):
    """Crops one hundredth of the width and height from each edge of the painting."""
    width, height = painting.size
    across, down = -(-width // 100), -(-height // 100)
    return painting.crop((across, down, width - across, height - down))


def canvas(x):
    """Adds a mirrored border, so that both sides are multiples of the alignment."""
    height, width = x.shape[2:]
    more = [(s + 2 * MARGIN + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT - s - MARGIN for s in (height, width)]
    return F.pad(x, (MARGIN, more[1], MARGIN, more[0]), mode="reflect")


def resized(x, size):
    return F.interpolate(x, tuple(size), mode="bilinear", align_corners=False)


def bands(x):
    result = []
    while len(result) < 5 and min(x.shape[2:]) >= 16:
        small = resized(x, [(s + 1) // 2 for s in x.shape[2:]])
        result.append(x - resized(small, x.shape[2:]))
        x = small
    return result + [x]


def picture_of(parts):
    x = parts[-1]
    for part in reversed(parts[:-1]):
        x = part + resized(x, part.shape[2:])
    return x


def columns(x, net):
    """Returns the features of all layers, resampled to a quarter of the picture's sides, as [rows, positions]."""
    size = [s // STRIDE for s in x.shape[2:]]
    parts = []
    for feature in style.features(x, net, LAYERS).values():
        if feature.shape[2] > size[0]:
            feature = F.avg_pool2d(feature, feature.shape[2] // size[0])
        elif feature.shape[2] < size[0]:
            feature = resized(feature, size)
        parts.append(feature[0].flatten(1) / feature.shape[1])
    return torch.cat(parts)


def normal(x):
    return x / x.norm(dim=0, keepdim=True).clamp_min(1e-12)


def nearest(query, painting):
    found = []
    other = normal(painting - painting.mean(1, keepdim=True))
    query = normal(query - query.mean(1, keepdim=True))
    for part in query.split(1024, 1):
        found.append((part.T @ other).argmax(1))
    return painting[:, torch.cat(found)]


def positions(count, is_whole):
    """Returns the positions to compare: all, or SAMPLES random ones, as in the last phase."""
    return torch.arange(count) if is_whole else torch.randint(count, (SAMPLES,))


def optimise(parts, loss, steps):
    variables = [p.clone().requires_grad_() for p in parts]
    adam = torch.optim.Adam(variables, lr=RATE)
    for _ in range(steps):
        adam.zero_grad()
        loss(picture_of(variables)).backward()
        adam.step()
    return [v.detach() for v in variables]


def separate_loss(shown, net):
    """The loss with which each layer seeks its own nearest features in the painting."""
    with torch.no_grad():
        known = style.features(shown, net, LAYERS)
        centres = {layer: f[0].flatten(1).mean(1, keepdim=True) for layer, f in known.items()}
        others = {}
        for layer, f in known.items():
            drawn = positions(f[0, 0].numel(), f[0, 0].numel() <= OTHERS)
            others[layer] = normal(f[0].flatten(1)[:, drawn] - centres[layer])

    def separate(x):
        total = 0
        for layer, feature in style.features(x, net, LAYERS).items():
            flat = feature[0].flatten(1)
            drawn = positions(flat.shape[1], flat.shape[1] <= SAMPLES)
            own = flat[:, drawn] - centres[layer]
            best = (own.T @ others[layer]).max(1)[0]
            total = total + 1 - (best / (own.square().sum(0) + EPSILON).sqrt()).mean()
        return total

    return separate


def paint(photo, painting, side, draft, net):
    sides = [side]
    while round(sides[0] / 2) >= LEAST:
        sides.insert(0, round(sides[0] / 2))
    painting = without_edge(painting)
    painted = coarse = None
    for number, size in enumerate(sides):
        steps = (50 if size <= 160 else 40 if size <= 320 else 25 if size <= 640 else 15) // (2 if draft else 1)
        small = scaled(photo, size)
        fine = pixels(small)
        base = fine if painted is None else resized(painted, fine.shape[2:])
        shown = pixels(scaled(painting, min(size, max(painting.size))))
        shown = shown[:, :, : shown.shape[2] // ALIGNMENT * ALIGNMENT, : shown.shape[3] // ALIGNMENT * ALIGNMENT]
        with torch.no_grad():
            candidates = columns(shown, net)
            if candidates.shape[1] > CANDIDATES:
                candidates = candidates[:, torch.randperm(candidates.shape[1])[:CANDIDATES].sort()[0]]
            query = fine if coarse is None else fine + (1 - PHOTO_SHARE) * (base - resized(coarse, fine.shape[2:]))
            target = normal(nearest(columns(canvas(query), net), candidates))

        def matched(x):
            own = columns(x, net)
            return 1 - ((own * target).sum(0) / (own.square().sum(0) + EPSILON).sqrt()).mean()

        parts = optimise(bands(canvas(base)), matched, steps)
        if number == len(sides) - 1:
            last = 120 if side <= 640 else 24 if side <= 1280 else 12
            parts = optimise(parts, separate_loss(shown, net), last // (8 if draft else 1))
        whole = picture_of(parts)
        painted = whole[:, :, MARGIN : MARGIN + fine.shape[2], MARGIN : MARGIN + fine.shape[3]].clamp(0, 255)
        coarse = fine
    return painted


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    for name in ("photo", "painting", "output"):
        parser.add_argument(name)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--preset", choices=["draft", "good"], default="good")
    parser.add_argument("--program")
    chosen = parser.parse_args()
    ours = None
    if chosen.program:
        start = time.time()
        subprocess.run(
            [chosen.program, "paint", chosen.photo, "--style", chosen.painting, "--size", str(chosen.size), "--preset",
             chosen.preset, "--own-colors", "--preview", "0", "-o",
             os.path.splitext(chosen.output)[0] + "-atelier.png"], check=True)
        ours = time.time() - start
    torch.manual_seed(0)
    net = style.vgg()
    start = time.time()
    made = paint(
        Image.open(chosen.photo).convert("RGB"), Image.open(chosen.painting).convert("RGB"), chosen.size,
        chosen.preset == "draft", net)
    theirs = time.time() - start
    Image.fromarray(made[0].permute(1, 2, 0).round().to(torch.uint8).numpy()).save(chosen.output)
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads: {theirs:.1f} s")
    if ours:
        print(f"atelier: {ours:.1f} s, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
