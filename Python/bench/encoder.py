"""Times a transformer's encoder layer, compared with PyTorch and ONNX Runtime, on two threads, in float32.

    python encoder.py [ROUNDS]

12 heads, 768 channels, 256 tokens. Rounds alternate between the programs, so that other work of the machine
slows all of them equally. Each round prints medians of twelve predictions in milliseconds.
"""

import logging
import statistics
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import coremltools as ct
import onnxruntime
import torch

WIDTH, HEADS, TOKENS, THREADS = 768, 12, 256, 2


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (
            torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.wide = torch.nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = torch.nn.Linear(4 * WIDTH, WIDTH)
        self.first, self.second = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)

    def forward(self, x):
        def heads(layer):
            return layer(x).view(1, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = heads(self.query), heads(self.key), heads(self.value)
        scores = query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5
        mixed = torch.softmax(scores, -1) @ value
        x = self.first(x + self.out(mixed.transpose(1, 2).reshape(1, TOKENS, WIDTH)))
        return self.second(x + self.narrow(torch.nn.functional.gelu(self.wide(x))))


def median(run, count=12):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main(rounds=4):
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    encoder, x = Encoder().eval(), torch.randn(1, TOKENS, WIDTH)
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        traced, expected = torch.jit.trace(encoder, x), encoder(x).numpy()
        inputs = {"x": x.numpy()}
        ours = {}
        for name, precision in ("float32", ct.precision.FLOAT32), ("float16", ct.precision.FLOAT16):
            ours[name] = ct.convert(
                traced, inputs=[ct.TensorType("x", x.shape)], compute_precision=precision,
                minimum_deployment_target=ct.target.iOS17)
            answer = next(iter(ours[name].predict(inputs).values()))
            print(f"{name}: largest difference {np.abs(answer - expected).max():.1e}")
        torch.onnx.export(encoder, x, f"{folder}/encoder.onnx", dynamo=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        session = onnxruntime.InferenceSession(f"{folder}/encoder.onnx", options)
        given = {session.get_inputs()[0].name: x.numpy()}
        for _ in range(rounds):
            times = (
                median(lambda: ours["float32"].predict(inputs)),
                median(lambda: session.run(None, given)),
                median(lambda: encoder(x)),
                median(lambda: ours["float16"].predict(inputs)))
            print(
                "float32 %.2f  ONNX Runtime %.2f  PyTorch %.2f  float16 %.2f" % times,
                f" ratio {times[0] / min(times[1], times[2]):.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
