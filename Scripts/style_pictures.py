"""Loads the pictures of a training like Sources/Styles/StyleTransfer (Picture.asStylePicture, ContentPictures): the
painting, and random crops of photos. Crops have the same positions as there. Pixels differ by rounding, and because
Pillow and libvips decode differently. Needs pillow and numpy."""
import math
import os
import threading

import numpy as np
from PIL import Image, ImageOps

from style_network import LUMA, SplitMix64

EXTENSIONS = {".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".gif"}
CROPS = {"part": 0.25, "whole": 1.0}


def rounded(x):
    """Rounds halves away from zero, as Swift does."""
    return int(math.floor(x + 0.5))


def read(path):
    """Reads a picture in RGB, upright, without alpha."""
    picture = ImageOps.exif_transpose(Image.open(path))
    return picture.convert("RGBA").convert("RGB") if picture.mode in ("P", "LA", "PA") else picture.convert("RGB")


def planes(picture):
    """Returns an array [3, height, width] of 0…255."""
    return np.ascontiguousarray(np.asarray(picture, np.float32).transpose(2, 0, 1))


def scaled(picture, factor, least=1):
    size = [max(least, rounded(side * factor)) for side in picture.size]
    return picture if list(picture.size) == size else picture.resize(size, Image.LANCZOS)


def without_frame(picture):
    """Crops the black or white frame of a scan."""
    if min(picture.size) < 64:
        return picture
    luma = np.asarray(picture, np.float64) @ LUMA

    def frame(lines):
        count = len(lines)
        plain = 0
        for line in lines[:count // 12]:
            if line.std() >= 8 or 20 <= line.mean() <= 235:
                break
            plain += 1
        return plain + math.ceil((0.025 if plain else 0.01) * count)

    top, bottom, left, right = frame(luma), frame(luma[::-1]), frame(luma.T), frame(luma.T[::-1])
    return picture.crop((left, top, picture.width - right, picture.height - bottom))


def style_picture(path, density):
    """Loads the painting of a training: without frame, at most three times as long as wide, its shorter side scaled."""
    painting = without_frame(read(path))
    width, height = painting.size
    shorter = min(width, height)
    x, y = max(0, (width - 3 * shorter) // 2), max(0, (height - 3 * shorter) // 2)
    painting = painting.crop((x, y, x + min(width, 3 * shorter), y + min(height, 3 * shorter)))
    return planes(scaled(painting, density / shorter))


def random_crop(width, height, recipe, generator):
    """Draws a crop: (x, y, side, is mirrored, exposure). exposure is None, ("over", limit) or ("under", limit)."""
    shorter, least = min(width, height), CROPS[recipe["crop"]]
    share = generator.uniform(least, 1) if least < 1 else 1
    side = max(1, min(shorter, rounded(share * shorter)))
    x, y = generator.next() % (width - side + 1), generator.next() % (height - side + 1)
    mirrored = generator.next() & 1 == 1
    exposure = None
    if recipe["exposure"] > 0:
        kind, share = generator.next() % (2 * recipe["exposure"]), generator.uniform(0, 1)
        exposure = {0: ("over", 90 + 120 * share), 1: ("under", 50 + 100 * share)}.get(kind)
    return x, y, side, mirrored, exposure


def epoch_position(offset, epoch, count, seed):
    """Returns the index of the element that an epoch visits at an offset, as EpochOrder.swift does."""
    generator = SplitMix64.counting(epoch, ~seed)
    start, stride = generator.next() % count, 1 + generator.next() % count
    while math.gcd(stride, count) != 1:
        stride += 1
    return (start + offset * stride) % count


def style_of(index, count, seed):
    """Returns the style of the picture with an index, in a training of several styles."""
    return epoch_position(index % count, index // count, count, seed)


class Photos:
    """The photos of a folder, with random crops of them."""

    def __init__(self, folder, recipe, side, seed, limit=4 << 30):
        self.files = sorted(
            os.path.join(root, name) for root, folders, names in os.walk(folder) for name in names
            if os.path.splitext(name)[1].lower() in EXTENSIONS and "/." not in os.path.join(root, name)[len(folder):])
        if not self.files:
            raise SystemExit(f"Folder '{folder}' contains no photos, but training a style needs some.")
        self.recipe, self.side, self.seed, self.limit = recipe, side, seed, limit
        self.cache, self.bytes, self.lock = {}, 0, threading.Lock()

    def position(self, offset, epoch):
        """Returns the index of the file that an epoch visits at an offset."""
        return epoch_position(offset, epoch, len(self.files), self.seed)

    def photo(self, index):
        """Returns a photo, scaled down to the size that crops need. None if it cannot be read."""
        with self.lock:
            if index in self.cache:
                return self.cache[index]
        try:
            picture = read(self.files[index])
            wanted = math.ceil(self.side / CROPS[self.recipe["crop"]])
            if min(picture.size) > wanted:
                picture = scaled(picture, wanted / min(picture.size), least=wanted)
            picture.load()
        except (OSError, ValueError):
            picture = None
        size = picture.width * picture.height * 3 if picture else 0
        with self.lock:
            if self.bytes + size <= self.limit:
                self.cache[index] = picture
                self.bytes += size
        return picture

    def sample(self, index):
        """Returns a crop, [3, side, side] of 0…255. The index counts from the start of the training."""
        epoch, offset = divmod(index, len(self.files))
        generator = SplitMix64.counting(index, self.seed)
        first = self.position(offset, epoch)
        for step in range(len(self.files)):
            photo = self.photo((first + step) % len(self.files))
            if photo is None:
                continue
            x, y, side, mirrored, exposure = random_crop(*photo.size, self.recipe, generator)
            crop = photo.crop((x, y, x + side, y + side))
            if side != self.side:
                crop = crop.resize((self.side, self.side), Image.LANCZOS)
            values = planes(crop)
            if mirrored:
                values = values[:, :, ::-1]
            if exposure:
                kind, limit = exposure
                values = values * 255 / limit if kind == "over" else (values - limit) * 255 / (255 - limit)
                values = np.floor(np.clip(values, 0, 255) + 0.5)
            return np.ascontiguousarray(values, np.float32)
        raise SystemExit(f"None of the {len(self.files)} photos can be read. Use other ones.")
