"""A server of models for the tests. `make test-serve` runs them."""

import http.client
import os
import pathlib
import re
import signal
import subprocess

import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import get_new_symbol, types

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("ATELIER_GALLERY", str(ROOT / "Gallery"))
# The server and `predict` choose the same kernels.
os.environ["ATELIER_TUNING"] = "off"

# Two matrices of small integers, so that sums are exact in any order.
ROWS = [(np.arange(3 * 2048) % 3).reshape(3, 2048).astype(np.float32), (np.arange(2048 * 4) % 5).reshape(2048, 4).astype(np.float32)]


class Server:
    """A process of `atelier serve` on a free port."""

    def __init__(self, *words):
        program = os.environ.get("ATELIER_BIN", str(ROOT / ".build/release/atelier"))
        self.process = subprocess.Popen([program, "serve", *map(str, words), "--port", "0"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://([^/]+)/v2", line)
        assert found, line
        self.address = found[1]

    def ask(self, method, path, body=None, headers={}):
        """Sends a request on a connection of its own. Returns the status, the headers and the body of the response."""
        link = http.client.HTTPConnection(self.address, timeout=120)
        try:
            link.request(method, path, body, headers)
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            link.close()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


def save(folder, name, program, **options):
    path = folder / f"{name}.mlpackage"
    options = {"compute_precision": coremltools.precision.FLOAT32, **options}
    coremltools.convert(program, convert_to="mlprogram", **options).save(str(path))
    return path


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The paths of models by their names."""
    folder = tmp_path_factory.mktemp("models")

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 16, 16))])
    def colours(image):
        return mb.softmax(x=mb.reduce_mean(x=image, axes=[2, 3]), axis=1, name="probabilities")

    @mb.program(
        input_specs=[mb.TensorSpec(shape=(2, 3)), mb.TensorSpec(shape=(3, 4)), mb.TensorSpec(shape=(2, 4), dtype=types.int32)]
    )
    def three(a, b, c):
        product = mb.matmul(x=a, y=b)
        return mb.add(x=product, y=mb.cast(x=c, dtype="fp32"), name="sum"), mb.add(x=c, y=1, name="next")

    half = {"dtype": types.fp16}

    @mb.program(input_specs=[mb.TensorSpec(shape=(4, 5), **half)], opset_version=coremltools.target.iOS16)
    def halves(x):
        return mb.exp(x=x, name="y")

    @mb.program(input_specs=[mb.TensorSpec(shape=(get_new_symbol(), 3))])
    def rows(x):
        # The product with an identity takes time, so that requests wait and become batches.
        wide = mb.matmul(x=mb.matmul(x=x, y=ROWS[0]), y=np.eye(2048, dtype=np.float32))
        return mb.matmul(x=wide, y=ROWS[1], name="y")

    rows_type = coremltools.TensorType(name="x", shape=(coremltools.RangeDim(1, 64, default=2), 3))
    return {
        "painter": ROOT / "Examples/Scream.mlmodel",
        "colours": save(
            folder, "colours", colours,
            inputs=[coremltools.ImageType(name="image", shape=(1, 3, 16, 16), scale=1 / 255)],
            classifier_config=coremltools.ClassifierConfig(["red", "green", "blue"]),
        ),
        "three": save(folder, "three", three),
        "halves": save(
            folder, "halves", halves, inputs=[coremltools.TensorType(name="x", shape=(4, 5), dtype=np.float16)],
            outputs=[coremltools.TensorType(name="y", dtype=np.float16)], minimum_deployment_target=coremltools.target.iOS16,
            compute_precision=coremltools.precision.FLOAT16,
        ),
        "rows": save(folder, "rows", rows, inputs=[rows_type]),
    }


@pytest.fixture(scope="session")
def server(models):
    server = Server(*(f"{name}={path}" for name, path in models.items()))
    yield server
    server.end()
