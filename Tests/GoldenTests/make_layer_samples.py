"""Writes Expected/layers.json: ONNX Runtime's results for each layer of two style networks.

    python make_layer_samples.py ../../../shared/golden

The file has 48 numbers of each layer, at evenly spaced positions, and the mean magnitude over the whole layer.
Needs numpy, pillow, onnx and onnxruntime.
"""

import json
import pathlib
import sys

import numpy
import onnx
import onnxruntime
from PIL import Image

golden = pathlib.Path(sys.argv[1])
result = {}
for name in ("FastStyleTransferVanGoghStarryNight", "StyleBlue"):
    model = onnx.load(golden / name / "model.onnx")
    given = model.graph.input[0]
    known = {output.name for output in model.graph.output}
    names = [output for node in model.graph.node for output in node.output]
    for output in names:
        if output not in known:
            model.graph.output.append(onnx.ValueInfoProto(name=output))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    photo = numpy.asarray(Image.open(golden / name / "input.png").convert("RGB"))
    picture = photo.transpose(2, 0, 1)[None].astype(numpy.float32)
    layers = {}
    for output, values in zip(names, session.run(names, {given.name: picture})):
        flat = values.reshape(-1)
        places = numpy.linspace(0, flat.size - 1, 48).astype(int)
        layers[output] = {
            "count": int(flat.size),
            "meanMagnitude": float(numpy.abs(flat).mean()),
            "samples": [round(float(value), 6) for value in flat[places]],
        }
    result[name] = layers
target = pathlib.Path(__file__).parent / "Expected" / "layers.json"
target.write_text(json.dumps(result, separators=(",", ":")) + "\n")
print({name: len(layers) for name, layers in result.items()}, target.stat().st_size)
