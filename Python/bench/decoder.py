"""Times the decoding of one token with a cache of 1,024 tokens in states, compared with PyTorch, on two threads.

    python decoder.py [LAYERS] [ROUNDS]

Layers have 12 heads and 768 channels. Each layer reads 1,024 keys and values, and replaces the last ones. The
weights are float32 in both programs. States are float16 in packages, as coremltools requires. Rounds of the two
programs alternate. Each prints the median of twelve steps in milliseconds. First the results are compared.
"""

import logging
import statistics
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import coremltools as ct
import torch

WIDTH, HEADS, TOKENS, THREADS = 768, 12, 1024, 2
SIZE = WIDTH // HEADS


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (
            torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.wide = torch.nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = torch.nn.Linear(4 * WIDTH, WIDTH)
        self.first, self.second = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)

    def forward(self, x, keys, values):
        y = self.first(x)
        query, key, value = (
            layer(y).view(1, 1, HEADS, SIZE).transpose(1, 2)
            for layer in (self.query, self.key, self.value))
        keys[:, :, TOKENS - 1 : TOKENS] = key
        values[:, :, TOKENS - 1 : TOKENS] = value
        mixed = torch.nn.functional.scaled_dot_product_attention(query, keys, values)
        x = x + self.out(mixed.transpose(1, 2).reshape(1, 1, WIDTH))
        return x + self.narrow(torch.nn.functional.gelu(self.wide(self.second(x))))


class Decoder(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer() for _ in range(layers))
        for index in range(layers):
            for name in "keys", "values":
                cache = torch.zeros(1, HEADS, TOKENS, SIZE)
                self.register_buffer(f"{name}{index}", cache)

    def forward(self, x):
        for index, layer in enumerate(self.layers):
            x = layer(x, getattr(self, f"keys{index}"), getattr(self, f"values{index}"))
        return x


def median(run, count=12):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main(layers=6, rounds=4):
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    decoder, x = Decoder(layers).eval(), torch.randn(1, 1, WIDTH)
    names = [f"{name}{index}" for index in range(layers) for name in ("keys", "values")]
    shape = (1, HEADS, TOKENS, SIZE)
    with torch.no_grad():
        traced = torch.jit.trace(decoder, x)
        models = {}
        for name, precision in ("float32", ct.precision.FLOAT32), ("float16", ct.precision.FLOAT16):
            models[name] = ct.convert(
                traced, inputs=[ct.TensorType("x", x.shape)],
                states=[
                    ct.StateType(ct.TensorType(shape=shape, dtype=np.float16), name=state)
                    for state in names],
                compute_precision=precision, minimum_deployment_target=ct.target.iOS18)
        caches = {
            name: (torch.randn(shape) * 0.5).half() for name in names}
        states = {}
        for name, model in models.items():
            states[name] = model.make_state()
            for state, cache in caches.items():
                states[name].write_state(state, cache.float().numpy())
        for state, cache in caches.items():
            getattr(decoder, state).copy_(cache.float())
        inputs, expected = {"x": x.numpy()}, decoder(x).numpy()
        for name, model in models.items():
            answer = next(iter(model.predict(inputs, states[name]).values()))
            print(f"{name}: largest difference {np.abs(answer - expected).max():.1e}")
        for _ in range(rounds):
            times = (
                median(lambda: models["float32"].predict(inputs, states["float32"])),
                median(lambda: decoder(x)),
                median(lambda: models["float16"].predict(inputs, states["float16"])))
            print(
                "float32 %.2f  PyTorch %.2f  float16 %.2f" % times,
                f" ratio {times[0] / times[1]:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
