#!/usr/bin/env python3
"""The book's second notebook on Linux: stores the weights of a model in 16, 8 and 4 bits, and prints sizes and quality.

    shrink.py MODEL.mlmodel PHOTO FOLDER

MODEL may be the model that convert_keras.py writes, because this script registers the custom layers of that model.
Each compressed model paints the photo. The script prints the PSNR of the painting in dB, compared with the painting of
the original model.
"""
import math
import os
import sys

import atelier
import coremltools
import numpy
from convert_keras import register_layers
from PIL import Image

SETTINGS = [(16, "linear"), (8, "linear"), (4, "linear"), (8, "kmeans"), (4, "kmeans")]


def painted(model, photo):
    kind = model.get_spec().description.input[0]
    size = kind.type.imageType
    picture = Image.open(photo).convert("RGB").resize((size.width, size.height))
    output = model.get_spec().description.output[0].name
    return numpy.asarray(model.predict({kind.name: picture})[output].convert("RGB"), float)


def main(path, photo, folder):
    os.makedirs(folder, exist_ok=True)
    register_layers()
    full = coremltools.models.MLModel(path)
    expected = painted(full, photo)
    print(f"{'original':>12} {os.path.getsize(path) / 1e6:6.2f} MB")
    for bits, mode in SETTINGS:
        small = atelier.compress(full, bits, mode)
        target = os.path.join(folder, f"{mode}{bits}_{os.path.basename(path)}")
        small.save(target)
        made = painted(small, photo)
        Image.fromarray(made.astype(numpy.uint8)).save(target + ".png")
        error = float(((made - expected) ** 2).mean())
        psnr = math.inf if error == 0 else 10 * math.log10(255**2 / error)
        print(f"{mode:>9} {bits:2} {os.path.getsize(target) / 1e6:6.2f} MB {psnr:6.1f} dB")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
