"""Models that many people run, defined here with seeded weights, so that nothing is downloaded.

`files` writes a model as ML Programs in float32 and float16 and as ONNX. PyTorch runs the module itself.
"""

import os

#: The seed of the weights and inputs.
SEED = 40


class Model:
    """A model: its key and title, the function that makes the PyTorch module, and the shape of its input.

    If `vocabulary` is not 0, the input holds tokens: integers below this number.
    """

    def __init__(self, key, title, make, shape, vocabulary=0):
        self.key, self.title, self.make, self.shape, self.vocabulary = key, title, make, shape, vocabulary


def known():
    """Returns all models by their keys."""
    made = [
        Model("mobilenet-v2", "MobileNetV2, 224²", mobilenet_v2, (1, 3, 224, 224)),
        Model("resnet-50", "ResNet-50, 224²", resnet_50, (1, 3, 224, 224)),
        Model("sentences", "sentence encoder (BERT-small), 128 tokens", sentence_encoder, (1, 128), 30522),
        Model("vit-cut", "ViT-B/16, 4 of 12 layers, 224²", lambda: vision_transformer(4), (1, 3, 224, 224)),
        Model("vit", "ViT-B/16, 224²", lambda: vision_transformer(12), (1, 3, 224, 224)),
        Model("whisper", "Whisper-tiny's encoder, 30 s", whisper_encoder, (1, 80, 3000)),
    ]
    return {model.key: model for model in made}


def module(model):
    """Returns the PyTorch module with the seeded weights, for inference."""
    import torch

    torch.manual_seed(SEED)
    made = model.make().eval()
    for part in made.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            # Other than the defaults 1 and 0, which would make a batch norm the identity.
            torch.nn.init.uniform_(part.weight, 0.3, 0.6)
            torch.nn.init.uniform_(part.bias, -0.1, 0.1)
            torch.nn.init.uniform_(part.running_mean, -0.1, 0.1)
            torch.nn.init.uniform_(part.running_var, 0.5, 1.0)
    return made


def example(model):
    """Returns an input of the model as a NumPy array: noise, or random tokens."""
    import numpy

    random = numpy.random.default_rng(SEED)
    if model.vocabulary:
        return random.integers(0, model.vocabulary, model.shape).astype(numpy.int32)
    return random.standard_normal(model.shape).astype(numpy.float32)


def files(model, folder):
    """Writes the model's files that are missing. Returns their paths by kind: float32, float16 and onnx."""
    paths = {kind: os.path.join(folder, f"{model.key}-{kind}.mlpackage") for kind in ("float32", "float16")}
    paths["onnx"] = os.path.join(folder, f"{model.key}.onnx")
    if all(os.path.exists(path) for path in paths.values()):
        return paths
    import coremltools
    import numpy
    import torch

    made, value = module(model), torch.from_numpy(example(model))
    with torch.no_grad():
        traced = torch.jit.trace(made, value)
    kind = numpy.int32 if model.vocabulary else numpy.float32
    for name, precision in [("float32", coremltools.precision.FLOAT32), ("float16", coremltools.precision.FLOAT16)]:
        if not os.path.exists(paths[name]):
            coremltools.convert(
                traced, inputs=[coremltools.TensorType(name="x", shape=model.shape, dtype=kind)],
                compute_precision=precision, minimum_deployment_target=coremltools.target.iOS17,
                skip_model_load=True).save(paths[name])
    if not os.path.exists(paths["onnx"]):
        draft = paths["onnx"] + ".draft"
        torch.onnx.export(
            made, (value,), draft, input_names=["x"], output_names=["y"], opset_version=17, dynamo=False)
        os.replace(draft, paths["onnx"])
    return paths


# MARK: Convolutional networks


def convolution(inputs, outputs, kernel=1, stride=1, groups=1, activation=None):
    """Returns a convolution without bias, a batch norm, and an activation if one is given."""
    from torch import nn

    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation] if activation else []))


def residual(branch, shortcut=None, activation=None):
    """Returns a module that adds a branch to its input, or to a shortcut, and applies an activation."""
    from torch import nn

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.branch, self.shortcut = branch, shortcut or nn.Identity()
            self.activation = activation or nn.Identity()

        def forward(self, x):
            return self.activation(self.shortcut(x) + self.branch(x))

    return Residual()


def head(features, classes=1000):
    """Returns the end of a classifier: the mean over the pixels, and a linear layer."""
    from torch import nn

    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(features, classes)]


def mobilenet_v2():
    """MobileNetV2 (Sandler et al., arXiv:1801.04381) of width 1."""
    from torch import nn

    layers, inputs = [convolution(3, 32, 3, 2, activation=nn.ReLU6())], 32
    for factor, outputs, count, stride in [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for position in range(count):
            own, hidden = stride if position == 0 else 1, inputs * factor
            expand = [convolution(inputs, hidden, activation=nn.ReLU6())] if factor > 1 else []
            block = nn.Sequential(
                *expand, convolution(hidden, hidden, 3, own, hidden, nn.ReLU6()), convolution(hidden, outputs))
            layers.append(residual(block) if own == 1 and inputs == outputs else block)
            inputs = outputs
    return nn.Sequential(*layers, convolution(inputs, 1280, activation=nn.ReLU6()), *head(1280))


def resnet_50():
    """ResNet-50 (He et al., arXiv:1512.03385), with the stride in the 3 × 3 convolution."""
    from torch import nn

    layers = [convolution(3, 64, 7, 2, activation=nn.ReLU()), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, count, stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for position in range(count):
            own, outputs = stride if position == 0 else 1, width * 4
            block = nn.Sequential(
                convolution(inputs, width, activation=nn.ReLU()),
                convolution(width, width, 3, own, activation=nn.ReLU()), convolution(width, outputs))
            shortcut = convolution(inputs, outputs, stride=own) if position == 0 else None
            layers.append(residual(block, shortcut, nn.ReLU()))
            inputs = outputs
    return nn.Sequential(*layers, *head(inputs))


# MARK: Transformers


def transformer(width, heads, hidden, norm_first):
    """Returns a layer of a transformer's encoder. With `norm_first`, norms come before attention and the products."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.products = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

        def attention(self, x):
            batch, length, _ = x.shape
            parts = [
                layer(x).view(batch, length, heads, width // heads).transpose(1, 2)
                for layer in (self.query, self.key, self.value)]
            joined = torch.nn.functional.scaled_dot_product_attention(*parts)
            return self.out(joined.transpose(1, 2).reshape(batch, length, width))

        def forward(self, x):
            if norm_first:
                x = x + self.attention(self.first(x))
                return x + self.products(self.second(x))
            x = self.first(x + self.attention(x))
            return self.second(x + self.products(x))

    return Layer()


def sentence_encoder(layers=4, width=512, heads=8, hidden=2048, vocabulary=30522):
    """BERT-small (Turc et al., arXiv:1908.08962) and the mean of its tokens, with length 1."""
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, width), nn.Parameter(torch.randn(1, 128, width))
            self.norm = nn.LayerNorm(width)
            self.layers = nn.Sequential(*(transformer(width, heads, hidden, False) for _ in range(layers)))

        def forward(self, x):
            mean = self.layers(self.norm(self.words(x) + self.places)).mean(1)
            return nn.functional.normalize(mean, dim=-1)

    return Encoder()


def vision_transformer(layers, width=768, heads=12, hidden=3072, patch=16):
    """ViT-B/16 (Dosovitskiy et al., arXiv:2010.11929)."""
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, width, patch, patch)
            self.first = nn.Parameter(torch.randn(1, 1, width))
            self.places = nn.Parameter(torch.randn(1, 197, width) * 0.02)
            self.layers = nn.Sequential(*(transformer(width, heads, hidden, True) for _ in range(layers)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

        def forward(self, x):
            patches = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first, patches], 1) + self.places
            return self.head(self.norm(self.layers(x))[:, 0])

    return Classifier()


def whisper_encoder(layers=4, width=384, heads=6, mels=80, length=1500):
    """The encoder of Whisper-tiny (Radford et al., arXiv:2212.04356)."""
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv1d(mels, width, 3, padding=1)
            self.second = nn.Conv1d(width, width, 3, 2, padding=1)
            self.places = nn.Parameter(torch.randn(1, length, width) * 0.1)
            self.layers = nn.Sequential(*(transformer(width, heads, 4 * width, True) for _ in range(layers)))
            self.norm = nn.LayerNorm(width)

        def forward(self, x):
            gelu = nn.functional.gelu
            x = gelu(self.second(gelu(self.first(x)))).transpose(1, 2) + self.places
            return self.norm(self.layers(x))

    return Encoder()
