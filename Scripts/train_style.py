#!/usr/bin/env python3
"""Trains a .cnn style network in PyTorch, on a GPU if there is one. Network, loss, learning rates and crops are
those of `atelier train --algorithm cnn --initial none`. Writes a model for `atelier stylize --model`.

    train_style.py PAINTING… --content FOLDER -o NAME.mlmodel [--recipe neighbors] [--iterations 40000] [--batch 16] …

Several paintings train one network of several styles, which also learns to reproduce photos.

A GPU computes in bfloat16 with channels last, a processor in float32. The folder NAME.training gets a checkpoint, the
settings and the losses; --resume continues from the checkpoint, also after a crash. Needs torch, numpy, pillow and
coremltools, and VGG-16 from `atelier fetch vgg16`. TrainingStepTests compares its steps with those of the Swift library
(reference_training_step.py).
"""
import argparse
import contextlib
import hashlib
import json
import math
import os
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
import torch

import style_network as style
from style_pictures import Photos, style_of, style_picture

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("paintings", nargs="+", metavar="PAINTING")
    parser.add_argument("--content", required=True, help="a folder of training photos")
    parser.add_argument("-o", "--output", required=True, help="the model, NAME.mlmodel")
    parser.add_argument("--recipe", choices=style.RECIPES, default="neighbors")
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--picture-side", type=int, default=256)
    parser.add_argument("--density", type=int, default=256, help="the painting's shorter side in pixels")
    parser.add_argument("--strength", type=int, default=5, choices=range(1, 11))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--initial", default="none", help="a cnn style of Atelier, or none (default)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--vgg16", default=style.VGG16)
    parser.add_argument(
        "--template", required=True, help="a cnn style of Atelier, for the layers of the model: `atelier styles --style`"
    )
    parser.add_argument("--checkpoint-every", type=int, default=500)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--overwrite", action="store_true")
    found = parser.parse_args()
    if not found.output.endswith(".mlmodel"):
        parser.error(f"--output is '{found.output}', expected a .mlmodel file.")
    if found.picture_side % 4 or not 32 <= found.picture_side <= 1024:
        parser.error(f"--picture-side is {found.picture_side}, expected 32 to 1024, a multiple of 4.")
    return found


def learning_rate(base, iteration, iterations):
    """Returns the learning rate of an iteration, as StyleTrainingSettings.learningRate(at:) does."""
    rise = min(20, max(1, iterations // 10))
    if iteration < rise:
        return base * (iteration + 1) / rise
    half = iterations // 2
    if iteration <= half or iterations <= half:
        return base
    way = min(1, (iteration - half) / (iterations - half))
    return base * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * way)))


def replace(path, write):
    """Writes a file atomically: write() writes a draft, which is synced and renamed."""
    with open(f"{path}.new", "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)


class Trainer:
    """Performs the training steps on one device."""

    def __init__(self, net, paintings, recipe, parameters, device, style_weight=1.0, learning_rate=1e-3):
        self.device, self.recipe, self.style_weight = device, recipe, style_weight
        self.fast = device.startswith("cuda")
        self.net = style.converted(net, self.moved)
        self.parameters = {k: self.moved(v).requires_grad_() for k, v in parameters.items()}
        self.targets = [style.style_targets(painting.to(device), self.net) for painting in paintings]
        self.several = len(paintings) > 1
        if self.several:
            self.targets.append(None)
        self.adam = torch.optim.Adam(self.parameters.values(), lr=learning_rate, betas=(0.9, 0.999), eps=1e-8)

    def moved(self, tensor):
        tensor = tensor.to(self.device)
        return tensor.contiguous(memory_format=torch.channels_last) if self.fast and tensor.dim() == 4 else tensor

    def step(self, photos, rate, styles=None):
        """Performs a step, and returns its losses by name, as tensors. If there are several paintings, styles has
        the index of each picture's style."""
        photos = self.moved(photos)
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.zero_grad(set_to_none=True)
        context = torch.autocast("cuda", torch.bfloat16) if self.fast else contextlib.nullcontext()
        precise = (lambda x: x.float()) if self.fast else (lambda x: x)
        with context:
            losses = style.losses(photos, self.parameters, self.net, self.targets if self.several else self.targets[0],
                                  self.recipe, self.style_weight, precise=precise, styles=styles)
        total = sum(losses.values())
        total.backward()
        self.adam.step()
        return {"total": total.detach(), **{k: v.detach() for k, v in losses.items()}}


def main():
    chosen = options()
    recipe = style.RECIPES[chosen.recipe]
    folder = chosen.output[:-len(".mlmodel")] + ".training"
    checkpoint = os.path.join(folder, "checkpoint.pt")
    if not (chosen.resume or chosen.overwrite) and (os.path.exists(checkpoint) or os.path.exists(chosen.output)):
        raise SystemExit(f"'{chosen.output}' or its training exists already; use --resume or --overwrite.")
    if not os.path.exists(chosen.vgg16):
        raise SystemExit(f"VGG-16 is not at '{chosen.vgg16}'. Run `atelier fetch vgg16` first.")
    photos = Photos(chosen.content, recipe, chosen.picture_side, chosen.seed)
    digests = []
    for painting in chosen.paintings:
        with open(painting, "rb") as file:
            digests.append(hashlib.sha256(file.read()).hexdigest())
    names = [os.path.splitext(os.path.basename(painting))[0] for painting in chosen.paintings]
    names = names + ["photo"] if len(names) > 1 else []
    settings = {k: getattr(chosen, k) for k in ("recipe", "batch", "picture_side", "density", "strength", "seed",
                                                "learning_rate", "initial")}
    settings.update(painting=digests, photos=[os.path.basename(f) for f in photos.files])
    parameters = (style.network(chosen.seed, recipe["shortcuts"]) if chosen.initial == "none"
                  else style.read_model(chosen.initial, recipe["shortcuts"]))
    if names:
        parameters = style.with_styles(parameters, len(names))
    paintings = [torch.tensor(style_picture(painting, chosen.density))[None] for painting in chosen.paintings]
    trainer = Trainer(
        style.vgg(chosen.vgg16), paintings, recipe, parameters, chosen.device, style_weight=1.5 ** (chosen.strength - 5), learning_rate=chosen.learning_rate)
    os.makedirs(folder, exist_ok=True)
    done, rows = 0, []
    if chosen.resume and os.path.exists(checkpoint):
        state = torch.load(checkpoint, map_location=chosen.device, weights_only=True)
        changed = [k for k in settings if state["settings"].get(k) != settings[k]]
        if changed:
            raise SystemExit(f"The training in '{folder}' has other settings ({', '.join(changed)})."
                             " Resume with the same settings, or start a new training.")
        with torch.no_grad():
            for name, value in state["parameters"].items():
                trainer.parameters[name].copy_(value)
        trainer.adam.load_state_dict(state["adam"])
        done, rows = state["iteration"], state["losses"]
        print(f"Resumes after iteration {done} of {chosen.iterations}.", flush=True)

    def save(iteration):
        state = dict(settings=settings, iteration=iteration, losses=rows, adam=trainer.adam.state_dict(),
                     parameters={k: v.detach() for k, v in trainer.parameters.items()})
        replace(checkpoint, lambda file: torch.save(state, file))
        columns = ["total", "content", "style", "smoothness", "stability", "learning_rate", "color", "neighbors"]
        lines = ["iteration," + ",".join(columns)] + [
            f"{i}," + ",".join(repr(row.get(k, 0.0)) for k in columns) for i, row in enumerate(rows, 1)]
        replace(os.path.join(folder, "losses.csv"), lambda file: file.write(("\n".join(lines) + "\n").encode()))
        words = {k: v for k, v in settings.items() if k != "photos"} | {"iterations": chosen.iterations}
        replace(os.path.join(folder, "settings.json"),
                lambda file: file.write((json.dumps(words, indent=2, sort_keys=True) + "\n").encode()))

    batch = chosen.batch
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        def ordered(iteration):
            return [pool.submit(photos.sample, iteration * batch + n) for n in range(batch)]

        waiting = [ordered(i) for i in range(done, min(done + 4, chosen.iterations))]
        pending, start, first = [], time.time(), done

        def flush():
            # Reads many losses at once, because each reading waits for the GPU.
            for losses, rate in pending:
                rows.append({**{k: v.item() for k, v in losses.items()}, "learning_rate": rate})
            pending.clear()
            if rows and not math.isfinite(rows[-1]["total"]):
                raise SystemExit(f"The losses of iteration {len(rows)} are not numbers any more."
                                 " Lower the learning rate or the strength.")

        for iteration in range(done, chosen.iterations):
            taken = torch.tensor(np.stack([future.result() for future in waiting.pop(0)]))
            if iteration + 4 < chosen.iterations:
                waiting.append(ordered(iteration + 4))
            rate = learning_rate(chosen.learning_rate, iteration, chosen.iterations)
            styles = [style_of(iteration * batch + n, len(names), chosen.seed) for n in range(batch)] if names else None
            pending.append((trainer.step(taken, rate, styles), rate))
            count = iteration + 1
            if count % 50 == 0 or count == chosen.iterations:
                flush()
                left = (time.time() - start) / (count - first) * (chosen.iterations - count)
                print(f"{count}/{chosen.iterations}, {left:.0f} s left, loss {rows[-1]['total']:.3f}"
                      f" (content {rows[-1]['content']:.3f}, style {rows[-1]['style']:.3f})", flush=True)
            if count % chosen.checkpoint_every == 0 or count == chosen.iterations:
                flush()
                save(count)
    title = (f"{len(chosen.paintings)} paintings" if names
             else os.path.splitext(os.path.basename(chosen.paintings[0]))[0])
    style.write_model(
        chosen.template, trainer.parameters, chosen.output, f"Paints pictures in the style of {title}.",
        {"Recipe": chosen.recipe, "Iterations": str(chosen.iterations), "Style Strength": str(chosen.strength),
         "Texel Density": str(chosen.density), "Trained With": f"PyTorch {torch.__version__}"}, names)
    print(chosen.output)


if __name__ == "__main__":
    main()
