"""Tests the installed wheel through coremltools: predicts a style network of its gallery and an ML Program, and
measures the time of the import and of a first prediction. Called by Scripts/test_packages.sh."""

import os
import subprocess
import sys
import time

import numpy as np

# Measures the import and a first prediction without coremltools, in a new process.
MEASURED = """
import time
start = time.perf_counter()
import atelier
imported = time.perf_counter()
import sys
import numpy
model = atelier.Model(sys.argv[1])
first = model.predict({"x": numpy.ones((1, 4), "float32")})
end = time.perf_counter()
print(f"import {1000 * (imported - start):.0f} ms, with a first prediction {1000 * (end - start):.0f} ms")
"""


def program():
    import coremltools as ct
    from coremltools.converters.mil import Builder as mb

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))], opset_version=ct.target.iOS16)
    def sums(x):
        return mb.add(x=mb.matmul(x=x, y=np.eye(4, dtype=np.float32)), y=np.float32(1), name="y")

    return ct.convert(sums, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32)


def main():
    import atelier
    import coremltools as ct
    import PIL.Image

    folder = os.path.dirname(os.path.abspath(atelier.__file__))
    style = ct.models.MLModel(atelier.style("scream"))
    photo = PIL.Image.open(os.path.join(folder, "Gallery", "photos", "astronaut.jpg")).convert("RGB")
    painting = style.predict({"image": photo.resize((512, 512))})["stylizedImage"]
    assert painting.size == (512, 512), painting.size
    assert len(painting.convert("RGB").resize((64, 64)).getcolors(4096)) > 500
    print("style network:", painting.size, "by atelier", atelier.__version__)

    model = program()
    result = model.predict({"x": np.arange(4, dtype=np.float32).reshape(1, 4)})["y"]
    assert result.tolist() == [[1, 2, 3, 4]], result
    print("ML Program:", result.tolist())
    model.save("sums.mlpackage")
    for _ in range(3):
        time.sleep(0.5)
        subprocess.run([sys.executable, "-c", MEASURED, "sums.mlpackage"], check=True)


main()
