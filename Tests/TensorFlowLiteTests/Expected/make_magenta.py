"""Writes magenta.json: LiteRT's results for Magenta's pair of int8 networks.

    python make_magenta.py ../../../../shared

The file has the style vectors of 100 numbers for two images, and every 4th row and column of the stylised image.
The images are the central squares of photos in shared/pictures, resampled by nearest neighbour.
"""
import base64
import json
import sys

import numpy
from PIL import Image

from lite import answers

shared = sys.argv[1]
folder = f"{shared}/models/tflite-style"
predict = open(f"{folder}/style_predict.tflite", "rb").read()
transfer = open(f"{folder}/style_transfer.tflite", "rb").read()
photos = ["skimage-chelsea.png", "skimage-coffee.png"]


def pixels(name, size):
    picture = Image.open(f"{shared}/pictures/photos/{name}").convert("RGB")
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    picture = picture.crop((left, top, left + side, top + side)).resize((size, size), Image.NEAREST)
    return numpy.asarray(picture)


def encoded(array):
    return base64.b64encode(numpy.ascontiguousarray(array).tobytes()).decode()


styles, kept = [], []
for name in photos:
    seen = pixels(name, 256)
    numbers = answers(predict, [seen[None].astype("float32") / 255], reference=False)[0]
    styles.append(numbers)
    kept.append({"photo": name, "numbers": encoded(numbers)})
photo = pixels(photos[0], 384)
painting = answers(transfer, [photo[None].astype("float32") / 255, styles[1]], reference=False)[0]
other = answers(transfer, [photo[None].astype("float32") / 255, styles[1]], reference=True)[0]
print("LiteRT's fast and reference kernels differ by", abs(painting - other).mean() * 255, "of 255")
with open("magenta.json", "w") as file:
    json.dump({
        "styles": kept,
        "painting": encoded((painting[0, ::4, ::4] * 255).round().astype("uint8")),
    }, file)
