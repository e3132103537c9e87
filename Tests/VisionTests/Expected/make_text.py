"""Renders pictures with text and records what RapidOCR 1.4.4 reads in them: text.json.

Needs the packages rapidocr-onnxruntime==1.4.4 and Pillow, and DejaVu's fonts (Debian: fonts-dejavu-core).
usage: python make_text.py
"""

import json
import pathlib

import numpy
from PIL import Image, ImageDraw, ImageFont
from rapidocr_onnxruntime import RapidOCR

FOLDER = pathlib.Path(__file__).parent
FONTS = "/usr/share/fonts/truetype/dejavu/"


def font(size, name="DejaVuSans"):
    return ImageFont.truetype(f"{FONTS}{name}.ttf", size)


def receipt():
    picture = Image.new("RGB", (420, 520), (250, 248, 240))
    draw = ImageDraw.Draw(picture)
    draw.text((90, 24), "ATELIER CAFE", fill=(20, 20, 20), font=font(30, "DejaVuSans-Bold"))
    rows = [("Espresso", "2.40"), ("Croissant", "1.95"), ("Orange juice", "3.80"), ("Total", "8.15")]
    for index, (name, price) in enumerate(rows):
        draw.text((40, 110 + 60 * index), name, fill=(30, 30, 30), font=font(22))
        draw.text((310, 110 + 60 * index), price, fill=(30, 30, 30), font=font(22))
    draw.text((40, 390), "Thank you, see you soon!", fill=(60, 60, 60), font=font(20, "DejaVuSerif"))
    draw.text((40, 450), "Order 2026-11-28 No. 48213", fill=(60, 60, 60), font=font(16, "DejaVuSansMono"))
    return picture


def sign():
    columns = numpy.linspace(30, 110, 640)
    pixels = numpy.stack([numpy.tile(columns, (360, 1)), numpy.tile(columns[::-1], (360, 1)),
                          numpy.full((360, 640), 120.0)], axis=2).astype(numpy.uint8)
    picture = Image.fromarray(pixels)
    board = Image.new("RGBA", (420, 150), (240, 200, 40, 255))
    draw = ImageDraw.Draw(board)
    draw.text((30, 18), "Harbour Street", fill=(10, 10, 60), font=font(46, "DejaVuSans-Bold"))
    draw.text((30, 90), "Museum 350 m", fill=(10, 10, 60), font=font(34))
    turned = board.rotate(12, expand=True, resample=Image.Resampling.BICUBIC)
    picture.paste(turned, (90, 60), turned)
    return picture


def strip():
    picture = Image.new("RGB", (900, 60), (12, 40, 30))
    draw = ImageDraw.Draw(picture)
    draw.text((20, 14), "A long narrow strip of light letters on a dark ground",
              fill=(230, 230, 210), font=font(26))
    return picture


def main():
    engine = RapidOCR()
    recorded = []
    for name, picture in (("receipt", receipt()), ("sign", sign()), ("strip", strip())):
        file = FOLDER / f"text-{name}.png"
        # Few colours make small files. RapidOCR would read a palette as shades of grey.
        picture.convert("RGB").quantize(64 if name == "sign" else 32).convert("RGB").save(file, optimize=True)
        found, _ = engine(str(file), use_cls=False)
        recorded.append({
            "picture": file.name,
            "lines": [{
                "text": text,
                "confidence": round(float(confidence), 4),
                "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in corners],
            } for corners, text, confidence in found or []],
        })
    (FOLDER / "text.json").write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
