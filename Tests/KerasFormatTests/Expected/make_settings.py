#!/usr/bin/env python3
"""Writes settings.json: some of the models of Scripts/keras_settings.py, with Keras's results.

Has that script's requirements. The models use the seeds from 1 on, so that the file can be reproduced.
"""
import base64, io, json, os, sys, tempfile, zipfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "..", "Scripts"))
import keras_settings as K  # noqa: E402
import numpy as np  # noqa: E402

COUNTS = dict(transposed=14, resizing=14, both_ways=8, recurrent=4, operations=26, functions_of_tensorflow=18, normalization=4,
              convolution=3, pooling=3)


def packed(path):
    if not path.endswith(".keras"):
        return open(path, "rb").read()
    out = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return out.getvalue()


def listed(array):
    return dict(shape=list(array.shape), values=[float(f"{v:.7g}") for v in array.ravel()])


result = []
for name, count in COUNTS.items():
    seed = 0
    while count:
        seed += 1
        with tempfile.TemporaryDirectory() as folder:
            made = K.made(name, seed, folder)
            if made is None:
                continue
            model, given, want, path = made
            end = path.rsplit(".", 1)[1]
            result.append(dict(name=f"{name} {seed}: {K.describe(model)}"[:300],
                               files={f"m.{end}": base64.b64encode(packed(path)).decode()},
                               inputs=[listed(v) for v in given.values()], outputs=[listed(v) for v in want]))
        count -= 1
json.dump(result, open(os.path.join(here, "settings.json"), "w"), indent=0)
print(len(result), "cases")
