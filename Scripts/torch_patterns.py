"""Tests common PyTorch export patterns: exports each with the TorchScript exporter, runs the ONNX file, converts it
to every supported format, and runs the results. The answers must match PyTorch's.

usage: ATELIER=.build/release/atelier python Scripts/torch_patterns.py [NAME …]

Needs torch, onnx and numpy. A refused conversion counts as a failure, unless the pattern allows it.
"""

import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

warnings.filterwarnings("ignore")
ATELIER = os.environ.get("ATELIER", ".build/release/atelier")
PATTERNS = {}


def pattern(*shapes, dynamic=None, sizes=(), opset=13, refused=(), integers=(), to=("mlmodel", "mlpackage", "onnx")):
    """Registers a function of tensors, or a module class.

    `dynamic` lists the free axes of the first input, `sizes` further shapes of the first input to run with, and
    `refused` the formats that may refuse the pattern.
    """

    def register(made):
        PATTERNS[made.__name__] = (made, shapes, dynamic, sizes, opset, refused, integers, to)
        return made

    return register


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


# Calls `view` with explicit sizes, as older code does instead of `flatten`.
@pattern((2, 3, 4, 4), dynamic=[0], sizes=[(1, 3, 4, 4), (5, 3, 4, 4)])
def view_batch(x):
    return x.view(x.size(0), -1)


@pattern((2, 3, 4, 4), dynamic=[0, 2, 3], sizes=[(1, 3, 6, 5)])
def view_all(x):
    n, c, h, w = x.shape
    return x.view(n, c, h * w).transpose(1, 2)


@pattern((2, 6, 4, 4), dynamic=[0, 2, 3], sizes=[(1, 6, 6, 5)])
def channel_shuffle(x):
    n, c, h, w = x.shape
    return x.view(n, 2, c // 2, h, w).transpose(1, 2).contiguous().view(n, c, h, w)


@pattern((1, 3, 8, 8), dynamic=[2, 3], sizes=[(1, 3, 5, 7)])
def pad_to_even(x):
    h, w = x.shape[2], x.shape[3]
    return F.pad(x, (0, w % 2, 0, h % 2))


@pattern((2, 5, 8), dynamic=[0, 1], sizes=[(1, 3, 8)])
def position_embedding(x):
    positions = torch.arange(x.size(1))
    return x + torch.sin(positions.float())[None, :, None]


@pattern((2, 5, 8), dynamic=[0], sizes=[(3, 5, 8)])
def class_token(x):
    token = torch.ones(1, 1, 8)
    return torch.cat([token.expand(x.shape[0], -1, -1), x], dim=1)


# NeuralNetworks (mlmodel) have no layers for computed sizes.
@pattern((2, 3, 6, 6), dynamic=[0, 2, 3], sizes=[(1, 3, 4, 8)], refused=["mlmodel"])
def resize_by_size(x):
    return F.interpolate(x, size=(x.shape[2] * 2, x.shape[3] * 2), mode="bilinear", align_corners=False)


@pattern((1, 3, 6, 6), dynamic=[2, 3], sizes=[(1, 3, 4, 8)])
def resize_by_factor(x):
    return F.interpolate(x, scale_factor=2, mode="nearest")


@pattern((1, 3, 6, 6), (1, 3, 9, 11))
def resize_like(x, y):
    return F.interpolate(x, size=y.shape[-2:], mode="bilinear", align_corners=True) + y


@pattern((2, 3, 8, 8), dynamic=[2, 3], sizes=[(2, 3, 6, 12)])
def pixel_shuffle(x):
    return F.pixel_shuffle(torch.cat([x] * 4, 1), 2)


@pattern((2, 3, 8, 8), dynamic=[0], sizes=[(1, 3, 8, 8)])
def adaptive_pool(x):
    return F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)


@pattern((2, 3, 8, 8))
def adaptive_pool_four(x):
    return F.adaptive_avg_pool2d(x, 4)


@pattern((2, 3, 8, 8), dynamic=[0, 2, 3], sizes=[(1, 3, 5, 6)])
def global_statistics(x):
    mean, std = x.mean(dim=(2, 3), keepdim=True), x.std(dim=(2, 3), keepdim=True)
    return (x - mean) / (std + 1e-5)


@pattern((2, 4, 6))
def gather_last(x):
    return x[:, -1]


@pattern((4, 6))
def scalar_index(x):
    return x[1, 2] * x


@pattern((4, 6))
def scalar_mean(x):
    return x - x.mean()


@pattern((4, 6))
def scalar_of_everything(x):
    return x.sum() / x.numel() + x[0]


@pattern((4, 6), dynamic=[0], sizes=[(3, 6)])
def size_as_number(x):
    return x / x.shape[0]


@pattern((4, 6), dynamic=[0, 1], sizes=[(3, 5)])
def number_of_elements(x):
    return x.sum() / (x.shape[0] * x.shape[1])


@pattern((2, 5, 5), dynamic=[1, 2], sizes=[(2, 3, 3)], opset=17)
def causal_mask(x):
    mask = torch.ones(x.shape[1], x.shape[1]).tril()
    return x.masked_fill(mask == 0, -1e4).softmax(-1)


@pattern((2, 4, 6))
def stack_scalars(x):
    return torch.stack([x.mean(), x.max(), x.min()])


@pattern((2, 4, 6))
def unsqueeze_scalar(x):
    return x.mean().unsqueeze(0).unsqueeze(0) * x[0]


@pattern((2, 4, 6))
def broadcast_scalar(x):
    return x.mean().expand(3, 4).clone()


@pattern((1, 2, 8, 8), dynamic=[2, 3], sizes=[(1, 2, 6, 10)])
def coordinates(x):
    n, _, h, w = x.shape
    ys = torch.arange(h).view(1, 1, h, 1).expand(n, 1, h, w).float() / h
    xs = torch.arange(w).view(1, 1, 1, w).expand(n, 1, h, w).float() / w
    return torch.cat([x, ys, xs], 1)


@pattern((1, 4, 8, 8), dynamic=[2, 3], sizes=[(1, 4, 4, 12)])
def windows(x):
    n, c, h, w = x.shape
    x = x.view(n, c, h // 4, 4, w // 4, 4)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(-1, c, 16)


@pattern((2, 6, 8), dynamic=[0, 1], sizes=[(1, 4, 8)])
def split_heads(x):
    b, t, c = x.shape
    q = x.view(b, t, 2, c // 2).transpose(1, 2)
    return (q @ q.transpose(-2, -1)).softmax(-1).matmul(q).transpose(1, 2).reshape(b, t, c)


@pattern((2, 6, 8), opset=17)
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]


@pattern((2, 6, 8), opset=17)
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.inner(x)


@pattern((2, 6, 8))
class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LSTM(8, 5, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.inner(x)[0]


@pattern((2, 6, 8), dynamic=[0, 1], sizes=[(1, 3, 8)])
class GRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.GRU(8, 5, batch_first=True)

    def forward(self, x):
        y, h = self.inner(x)
        return y[:, -1] + h[0]


@pattern((6, 2, 8))
class RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.RNN(8, 5, nonlinearity="relu")

    def forward(self, x):
        return self.inner(x)[0]


@pattern((3, 7), integers=[0])
class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Embedding(20, 6)

    def forward(self, x):
        return self.inner(x.long()).mean(1)


@pattern((2, 3, 8, 8), dynamic=[0, 2, 3], sizes=[(1, 3, 6, 4)])
class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(3, 4, 3, 2, 1), nn.ConvTranspose2d(4, 4, 3, 2, 1, output_padding=1)
        self.out = nn.Conv2d(7, 2, 1)

    def forward(self, x):
        return self.out(torch.cat([self.up(self.down(x)), x], 1))


@pattern((2, 3, 7, 7), dynamic=[0, 2, 3], sizes=[(1, 3, 5, 9)])
class Deconvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(3, 4, 3, 2, 0, output_padding=1)

    def forward(self, x):
        return self.up(x)


@pattern((2, 4, 8, 8), dynamic=[0], sizes=[(1, 4, 8, 8)])
class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.group, self.instance = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True)

    def forward(self, x):
        return self.instance(self.group(x))


@pattern((2, 5, 8))
class LayerNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LayerNorm(8)

    def forward(self, x):
        return self.inner(x)


@pattern((2, 4, 9, 9))
class SqueezeExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 2), nn.Linear(2, 4)

    def forward(self, x):
        n, c = x.shape[:2]
        w = torch.sigmoid(self.b(F.relu(self.a(x.mean((2, 3)))))).view(n, c, 1, 1)
        return x * w


@pattern((2, 4, 9, 9))
class Shapes(nn.Module):
    def forward(self, x):
        a, b = x.chunk(2, 1)
        return torch.stack([a, b], 0).flatten(0, 1).squeeze(1)


@pattern((2, 3, 8, 8), opset=16, refused=["mlmodel"])
def grid_sample(x):
    theta = torch.tensor([[[1.0, 0.2, 0.1], [0.0, 0.9, -0.1]]]).expand(2, -1, -1)
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, 8), torch.linspace(-1, 1, 8), indexing="ij")
    base = torch.stack([xs, ys, torch.ones_like(xs)], -1).view(1, 64, 3).expand(2, -1, -1)
    return F.grid_sample(x, (base @ theta.transpose(1, 2)).view(2, 8, 8, 2), align_corners=True)


@pattern((5, 8))
def top_values(x):
    values, places = x.topk(3, dim=1)
    return values + places.float()


@pattern((5, 8))
def best_one_hot(x):
    return F.one_hot(x.argmax(1), 8).float() * x


@pattern((5, 8))
def take_along(x):
    return x.gather(1, x.argsort(1)[:2, :3])


@pattern((5, 8))
def scatter_part(x):
    return x.scatter(1, torch.tensor([[0, 2], [1, 3]]), torch.ones(2, 2))


@pattern((5, 8))
def index_put(x):
    y = x.clone()
    y[1:3, ::2] = 0
    return y


@pattern((5, 8))
def where_negative(x):
    return torch.where(x < 0, x.new_zeros(()), x.sqrt().nan_to_num())


@pattern((5, 8))
def norms(x):
    return F.normalize(x, dim=1) * x.norm(dim=0)


@pattern((5, 8))
def clamp_by_mean(x):
    return x.clamp(min=x.mean().item() * 0 - 0.5, max=0.5).flip(1)


@pattern((5, 8), dynamic=[0], sizes=[(2, 8)])
def roll_rows(x):
    return x.roll(1, 0)


@pattern((2, 5, 8))
def einsum(x):
    return torch.einsum("bij,bkj->bik", x, x)


@pattern((2, 3, 9, 9))
def unfold(x):
    return F.unfold(x, 3, stride=3)


@pattern((2, 3, 8))
class Temporal(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(3, 4, 3, padding=2, dilation=2), nn.ConvTranspose1d(4, 3, 4, 2, 1)

    def forward(self, x):
        return self.b(F.gelu(self.a(x)))


@pattern((5, 8), dynamic=[0], sizes=[(3, 8)])
def cumulative(x):
    return x.cumsum(0) / torch.arange(1, x.shape[0] + 1)[:, None]


@pattern((1, 3, 16, 16), dynamic=[2, 3], sizes=[(1, 3, 12, 20)])
def reflect_and_crop(x):
    h, w = x.shape[2:]
    y = F.pad(x, (2, 2, 2, 2), mode="reflect")
    return y[:, :, 2:2 + h, 2:2 + w] * 2


@pattern((4, 6))
def scalar_condition(x):
    return torch.where(x.mean() > 0, x, -x)


@pattern((4, 6))
def scale_by_max(x):
    return x / x.abs().max().clamp(min=1e-3)


@pattern((2, 3, 4))
def squeeze_everything(x):
    return x.mean((1, 2)).sum() * torch.ones(1)


def run(*arguments):
    environment = dict(os.environ, ATELIER_TUNING="off")
    return subprocess.run([ATELIER, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=300)


def predict(model, names, inputs, folder):
    out = os.path.join(folder, "out")
    arguments = ["predict", model, "-o", out, "--compute-units", "cpuOnly"]
    for name, value in zip(names, inputs):
        np.save(os.path.join(folder, f"{name}.npy"), np.ascontiguousarray(value))
        arguments += ["-i", f"{name}={folder}/{name}.npy"]
    done = run(*arguments)
    if done.returncode:
        return None, " ".join(done.stderr.split())[-300:]
    value = json.loads(done.stdout)["y"]
    if isinstance(value, dict) and "file" in value:
        file = value["file"] if os.path.exists(value["file"]) else os.path.join(out, os.path.basename(value["file"]))
        return np.load(file), ""
    return np.array(value["values"]).reshape(value["shape"]) if isinstance(value, dict) else np.array(value), ""


def check(name, folder):
    """Tests a pattern. Returns its faults as messages."""
    made, shapes, dynamic, sizes, opset, refused, integers, formats = PATTERNS[name]
    torch.manual_seed(7)
    module = (made() if isinstance(made, type) else Call(made)).eval()

    def inputs(first):
        values = []
        for position, shape in enumerate([first, *shapes[1:]]):
            values.append(torch.randint(0, 20, shape).to(torch.int32) if position in integers else torch.randn(shape))
        return values

    example = inputs(shapes[0])
    names = ["x", "z"][:len(shapes)]
    file = os.path.join(folder, f"{name}.onnx")
    axes = {"x": {axis: f"n{axis}" for axis in dynamic}} if dynamic else None
    logging.disable(logging.CRITICAL)
    torch.onnx.export(module, tuple(example), file, input_names=names, output_names=["y"], opset_version=opset,
                      dynamic_axes=axes, dynamo=False)
    faults = []
    feeds = [example] + [inputs(size) for size in sizes]
    with torch.no_grad():
        wants = [module(*feed).numpy() for feed in feeds]

    def compare(model, words):
        for feed, want in zip(feeds, wants):
            got, sentence = predict(model, names, [value.numpy() for value in feed], folder)
            size = "×".join(map(str, feed[0].shape))
            if got is None:
                faults.append(f"{words} at {size}: {sentence}")
            elif got.shape != want.shape and not (want.ndim == 0 and got.size == 1):
                faults.append(f"{words} at {size}: shape {got.shape}, expected {want.shape}")
            elif not np.allclose(got.reshape(want.shape), want, rtol=1e-3, atol=1e-4, equal_nan=True):
                worst = np.nanmax(np.abs(got.reshape(want.shape) - want))
                faults.append(f"{words} at {size}: differs by {worst:.3g}")

    compare(file, "ONNX")
    for ending in formats:
        target = os.path.join(folder, f"{name}-converted.{ending}")
        done = run("convert", file, "-o", target, "--precision", "float32")
        if done.returncode:
            if ending not in refused or done.returncode != 1:
                faults.append(f"to {ending}: {' '.join(done.stderr.split())[-300:]}")
        else:
            compare(target, ending)
    return faults


def main():
    chosen = sys.argv[1:] or list(PATTERNS)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            try:
                faults = check(name, folder)
            except Exception as error:  # noqa: BLE001
                faults = [f"{type(error).__name__}: {str(error)[:300]}"]
            bad += bool(faults)
            for fault in faults:
                print(f"{name}: {fault}", flush=True)
    print(f"{len(chosen)} patterns, {bad} with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
