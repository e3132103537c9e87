#!/usr/bin/env python3
"""Computes training steps of the .cnn style network in PyTorch: the references for TrainingStepTests.

    usage: reference_training_step.py [VGG16.mlmodel] > Tests/Fixtures/training-step.json
           reference_training_step.py --steps [VGG16.mlmodel] > Tests/Fixtures/training-steps.json
           reference_training_step.py --time [VGG16.mlmodel]

The test computes the same inputs from the same formulas: the weights from SplitMix64 with seed 1, the photos and the
painting from sines. The first fixture has the losses and, for every parameter, the gradient's norm, sum and largest
magnitude, in float64. --steps takes three steps with the trainer of train_style.py in float64, for each recipe and
for two paintings in one network, and writes the losses of each step. It also writes the random crops that
style_pictures.py draws. --time measures one iteration with batch size 4, 256 x 256 pixels, bfloat16 autocast and
channels last. Needs torch, pillow and coremltools (to read VGG-16's weights).
"""
import json, os, sys, time, warnings
import numpy as np
import torch

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from style_network import (LAYERS, RECIPES, SplitMix64, VGG16, converted, losses, network, style_targets, vgg, with_styles)

paths = [a for a in sys.argv[1:] if not a.startswith("-")]
# For each of three steps, the styles of its two pictures. The training has two paintings, and style 2 is “photo”.
STYLES = [[0, 1], [2, 0], [1, 2]]
# The weights of the first fixture.
FIRST = dict(RECIPES["equal-layers"], content=("relu3_3", 0.02))


def picture(n, side, kind):
    y, x = np.mgrid[0:side, 0:side].astype(np.float64)
    result = np.zeros((n, 3, side, side))
    for i in range(n):
        for c in range(3):
            wave = np.sin(0.11 * (1 + kind) * x + 0.7 * c + i) * np.cos(0.07 * y * (1 + i) - 0.4 * c)
            result[i, c] = 127.5 + 90 * wave + 30 * np.sin(0.9 * x + 0.31 * y * (1 + kind))
    return torch.tensor(np.clip(result, 0, 255).astype(np.float32))


def measure(net):
    torch.set_num_threads(int(os.environ.get("THREADS", os.cpu_count())))
    batch, side = 4, 256
    last = lambda t: t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t
    parameters = {k: last(v).requires_grad_() for k, v in network().items()}
    net = converted(net, last)
    photo, targets = last(picture(batch, side, 0)), style_targets(picture(1, side, 1), net)
    adam = torch.optim.Adam(parameters.values(), lr=1e-3)
    for name, context in [("bfloat16", lambda: torch.autocast("cpu", torch.bfloat16)),
                          ("float32", lambda: torch.autocast("cpu", enabled=False))]:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            adam.zero_grad()
            with context():
                loss = sum(losses(photo, parameters, net, targets, FIRST, smoothness=1.0).values())
            loss.backward()
            adam.step()
            times.append(time.perf_counter() - start)
        print(f"PyTorch {torch.__version__} {name}: best {min(times):.2f} s of "
              f"{', '.join(f'{t:.2f}' for t in times)}", flush=True)


def double(tensor):
    return tensor.to(torch.float64)


def first_step(net):
    net = converted(net, double)
    parameters = {k: double(v).requires_grad_() for k, v in network().items()}
    targets = style_targets(double(picture(1, 64, 1)), net)
    found = losses(double(picture(2, 64, 0)), parameters, net, targets, FIRST, smoothness=1.0)
    sum(found.values()).backward()
    print(json.dumps({
        "made with": f"Scripts/reference_training_step.py, PyTorch {torch.__version__}, float64",
        **{k: v.item() for k, v in found.items()},
        "gradients": [{"name": k, "norm": v.grad.norm().item(), "sum": v.grad.sum().item(),
                       "largest": v.grad.abs().max().item()} for k, v in parameters.items()],
    }, indent=1))


def three_steps(net):
    from style_pictures import Photos, random_crop
    from train_style import Trainer

    recipes = []
    for name, recipe in RECIPES.items():
        parameters = {k: double(v) for k, v in network(1, recipe["shortcuts"]).items()}
        trainer = Trainer(converted(net, double), [double(picture(1, 64, 1))], recipe, parameters, "cpu")
        steps = [trainer.step(double(picture(2, 64, 0)), 1e-3) for _ in range(3)]
        recipes.append({"recipe": name, "steps": [{k: v.item() for k, v in step.items()} for step in steps]})
    # The network has two paintings and the style “photo”. Each step has pictures of two of these three styles.
    several = []
    for name in ("colors", "neighbors"):
        recipe = RECIPES[name]
        parameters = with_styles({k: double(v) for k, v in network(1, recipe["shortcuts"]).items()}, 3)
        trainer = Trainer(converted(net, double), [double(picture(1, 64, 1)), double(picture(1, 64, 2))], recipe,
                          parameters, "cpu")
        steps = [{k: v.item() for k, v in trainer.step(double(picture(2, 64, 0)), 1e-3, styles).items()}
                 for styles in STYLES]
        several.append({"recipe": name, "styles": STYLES, "steps": steps})
    crops = []
    for name in ("equal-layers", "whole-photos"):
        for index in range(40):
            generator = SplitMix64.counting(index, 7)
            width, height = 300 + 11 * index, 500 - 7 * index
            x, y, side, mirrored, exposure = random_crop(width, height, RECIPES[name], generator)
            kind, limit = exposure or ("none", 0.0)
            crops.append(dict(recipe=name, index=index, width=width, height=height, x=x, y=y, side=side,
                              isMirrored=mirrored, exposure=kind, limit=limit))
    photos = Photos.__new__(Photos)
    photos.files, photos.seed = ["photo"] * 5, 7
    print(json.dumps({
        "made with": f"Scripts/reference_training_step.py --steps, PyTorch {torch.__version__}, float64",
        "recipes": recipes, "several": several, "crops": crops,
        "order": [photos.position(i % 5, i // 5) for i in range(20)],
    }, indent=1))


if __name__ == "__main__":
    weights = vgg(paths[0] if paths else VGG16)
    measure(weights) if "--time" in sys.argv else three_steps(weights) if "--steps" in sys.argv else first_step(weights)
