#!/usr/bin/env python3
"""One step of training the .cnn style network, computed by PyTorch: the yardstick of TrainingStepTests.

usage: reference_training_step.py [VGG16.mlmodel] > Tests/Fixtures/training-step.json
       reference_training_step.py --time [VGG16.mlmodel]

Everything is made from formulas that the test repeats: the weights by SplitMix64 from seed 1, the photos and
the painting by sines. The answers are the losses and, for every parameter, the gradient's norm, its sum and
its largest magnitude, in float64. With --time: one iteration at batch 4, 256 x 256, bfloat16 autocast and
channels last. Needs torch and coremltools (for reading VGG-16's weights).
"""
import json, os, sys, time, warnings
import numpy as np
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
timing = "--time" in sys.argv
paths = [a for a in sys.argv[1:] if not a.startswith("-")]
vgg_path = paths[0] if paths else os.path.expanduser("~/.cache/atelier/VGG16.mlmodel")
CONTENT, STYLE, SMOOTH = 0.02, 1.0, 1.0
LAYERS = ["relu1_2", "relu2_2", "relu3_3", "relu4_3"]


def vgg():
    import coremltools

    network = coremltools.utils.load_spec(vgg_path).neuralNetwork
    weights = {}
    for layer in network.layers:
        if layer.WhichOneof("layer") == "convolution":
            c = layer.convolution
            k = np.array(c.weights.floatValue, np.float32) if c.weights.floatValue else \
                np.frombuffer(c.weights.float16Value, np.float16).astype(np.float32)
            b = np.array(c.bias.floatValue, np.float32) if c.bias.floatValue else \
                np.frombuffer(c.bias.float16Value, np.float16).astype(np.float32)
            weights[layer.name] = (torch.tensor(k.reshape(c.outputChannels, c.kernelChannels, 3, 3)), torch.tensor(b))
        if layer.WhichOneof("layer") == "scale":
            deviation = torch.tensor(np.array(layer.scale.scale.floatValue, np.float32))
    scaler = network.preprocessing[0].scaler
    mean = torch.tensor([scaler.redBias, scaler.greenBias, scaler.blueBias])
    return weights, scaler.channelScale, mean, deviation


def features(x, net, wanted):
    weights, scale, mean, deviation = net
    x = (x * scale + mean.view(1, 3, 1, 1)) * deviation.view(1, 3, 1, 1)
    result = {}
    for block, count in enumerate([2, 2, 3, 3], 1):
        for index in range(1, count + 1):
            w, b = weights[f"conv{block}_{index}"]
            x = F.relu(F.conv2d(x, w, b, padding=1))
            name = f"relu{block}_{index}"
            if name in wanted:
                result[name] = x
            if len(result) == len(wanted):
                return result
        x = F.max_pool2d(x, 2)
    return result


def split_mix(seed, count):
    with np.errstate(over="ignore"):
        state = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, count + 1, dtype=np.uint64)
        bits = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def network(seed=1):
    shapes = []
    def conv(name, i, o, k): shapes.append((f"{name} weights", [o, i, k, k]))
    def norm(name, c): shapes.extend([(f"{name}_norm gamma", [c]), (f"{name}_norm beta", [c])])
    for name, i, o, k in [("encode1", 3, 32, 9), ("encode2", 32, 64, 3), ("encode3", 64, 128, 3)]:
        conv(name, i, o, k); norm(name, o)
    for n in range(1, 6):
        for part in "ab":
            conv(f"residual{n}{part}", 128, 128, 3); norm(f"residual{n}{part}", 128)
    for name, i, o in [("decode1", 128, 64), ("decode2", 64, 32)]:
        conv(name, i, o, 3); conv(f"{name}_shortcut", o, o, 3); norm(name, o)
    conv("paint", 32, 3, 9)
    shapes.append(("paint bias", [3]))
    conv("paint_shortcut", 3, 3, 5)
    total = sum(int(np.prod(s)) for n, s in shapes if n.endswith("weights"))
    draws, at, result = split_mix(seed, total), 0, {}
    for name, shape in shapes:
        if name.endswith("weights"):
            count = int(np.prod(shape))
            limit = (6 / np.prod(shape[1:])) ** 0.5 * (0.1 if name.startswith("paint") else 1)
            values = (-limit + draws[at:at + count] * (2 * limit)).astype(np.float32)
            at += count
        else:
            values = np.full(shape, 1 if name.endswith("gamma") else 0, np.float32)
        result[name] = torch.tensor(values.reshape(shape))
    return result


def paint(x, p):
    def block(x, name, stride=1, pad=1, seen=None):
        x = F.conv2d(x, p[f"{name} weights"], stride=stride, padding=pad)
        if seen is not None:
            x = x + F.conv2d(seen, p[f"{name}_shortcut weights"], padding=pad)
        return F.instance_norm(x, weight=p[f"{name}_norm gamma"], bias=p[f"{name}_norm beta"], eps=1e-5)
    photo = F.pad(x / 127.5 - 1, (16,) * 4, mode="reflect")
    full = F.relu(block(photo, "encode1", pad=4))
    half = F.relu(block(full, "encode2", 2)); x = F.relu(block(half, "encode3", 2))
    for n in range(1, 6):
        x = x + block(F.relu(block(x, f"residual{n}a")), f"residual{n}b")
    for name, seen in [("decode1", half), ("decode2", full)]:
        x = F.relu(block(F.interpolate(x, scale_factor=2, mode="nearest"), name, seen=seen))
    x = F.conv2d(x, p["paint weights"], p["paint bias"], padding=4) \
        + F.conv2d(photo, p["paint_shortcut weights"], padding=2)
    x = torch.sigmoid(x) * 279 - 12
    return x[:, :, 16:-16, 16:-16]


def gram(f):
    n, c, h, w = f.shape
    rows = f.reshape(n, c, h * w)
    return rows @ rows.transpose(1, 2) / (c * h * w)


def picture(n, side, kind):
    y, x = np.mgrid[0:side, 0:side].astype(np.float64)
    result = np.zeros((n, 3, side, side))
    for i in range(n):
        for c in range(3):
            wave = np.sin(0.11 * (1 + kind) * x + 0.7 * c + i) * np.cos(0.07 * y * (1 + i) - 0.4 * c)
            result[i, c] = 127.5 + 90 * wave + 30 * np.sin(0.9 * x + 0.31 * y * (1 + kind))
    return torch.tensor(np.clip(result, 0, 255).astype(np.float32))


def losses(photo, parameters, net, targets):
    made = paint(photo, parameters)
    seen, shown = features(made, net, LAYERS), features(photo, net, ["relu3_3"])
    content = CONTENT * ((seen["relu3_3"] - shown["relu3_3"]) ** 2).mean()
    style = sum(STYLE * 0.25 * ((gram(seen[l]) - targets[l]) ** 2).sum() / (targets[l] ** 2).sum()
                / photo.shape[0] for l in LAYERS)
    across, down = made[:, :, :, 1:] - made[:, :, :, :-1], made[:, :, 1:] - made[:, :, :-1]
    smooth = SMOOTH * (((across / 255) ** 2).mean() + ((down / 255) ** 2).mean())
    return content, style, smooth


net = vgg()
if timing:
    torch.set_num_threads(int(os.environ.get("THREADS", os.cpu_count())))
    batch, side = 4, 256
    parameters = {k: v.to(memory_format=torch.channels_last) if v.dim() == 4 else v for k, v in network().items()}
    parameters = {k: v.requires_grad_() for k, v in parameters.items()}
    net = ({k: (w.to(memory_format=torch.channels_last), b) for k, (w, b) in net[0].items()},) + net[1:]
    photo = picture(batch, side, 0).contiguous(memory_format=torch.channels_last)
    targets = {k: gram(v).detach() for k, v in features(picture(1, side, 1), net, LAYERS).items()}
    adam = torch.optim.Adam(parameters.values(), lr=1e-3)
    for name, context in [("bfloat16", lambda: torch.autocast("cpu", torch.bfloat16)), ("float32", lambda: torch.autocast("cpu", enabled=False))]:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            adam.zero_grad()
            with context():
                loss = sum(losses(photo, parameters, net, targets))
            loss.backward()
            adam.step()
            times.append(time.perf_counter() - start)
        print(f"PyTorch {torch.__version__} {name}: best {min(times):.2f} s of {', '.join(f'{t:.2f}' for t in times)}", flush=True)
    sys.exit()

double = lambda t: t.to(torch.float64)
net = ({k: (double(w), double(b)) for k, (w, b) in net[0].items()}, net[1], double(net[2]), double(net[3]))
parameters = {k: double(v).requires_grad_() for k, v in network().items()}
targets = {k: gram(v).detach() for k, v in features(double(picture(1, 64, 1)), net, LAYERS).items()}
content, style, smooth = losses(double(picture(2, 64, 0)), parameters, net, targets)
(content + style + smooth).backward()
print(json.dumps({
    "made with": f"Scripts/reference_training_step.py, PyTorch {torch.__version__}, float64",
    "content": content.item(), "style": style.item(), "smoothness": smooth.item(),
    "gradients": [{"name": k, "norm": v.grad.norm().item(), "sum": v.grad.sum().item(),
                   "largest": v.grad.abs().max().item()} for k, v in parameters.items()],
}, indent=1))
