"""Models that many people run, defined here with seeded weights, so that nothing is downloaded.

`files` writes a model as ML Programs in float32 and float16 and as ONNX. PyTorch runs the module itself.
"""

import json
import os
from typing import NamedTuple

import sequences
import vision

#: The seed of the weights and inputs.
SEED = 40


class Input(NamedTuple):
    """An input of a model. If `vocabulary` is not 0, it holds tokens: integers below this number. Otherwise noise."""

    name: str
    shape: tuple
    vocabulary: int = 0
    #: Whether float16 programs take the input in float16, because an earlier prediction made it.
    is_cache: bool = False


class Model:
    """A model: its key and title, the function that makes the PyTorch module, and its inputs. A shape stands for an input
    `x`. `outputs` are the names of its results; the first is compared."""

    def __init__(self, key, title, make, *inputs, vocabulary=0, outputs=("y",)):
        self.key, self.title, self.make, self.outputs = key, title, make, list(outputs)
        self.inputs = [one if isinstance(one, Input) else Input("x", one, vocabulary) for one in inputs]


def known():
    """Returns all models by their keys."""
    picture, token = (1, 3, 224, 224), Input("x", (1, 1), 51865)
    caches = [
        Input(name, (4, 6, length, 64), is_cache=True)
        for name, length in [("keys", 223), ("values", 223), ("cross_keys", 1500), ("cross_values", 1500)]]
    made = [
        Model("mobilenet-v2", "MobileNetV2, 224²", vision.mobilenet_v2, picture),
        Model("mobilenet-v3", "MobileNetV3-large, 224²", vision.mobilenet_v3, picture),
        Model("efficientnet", "EfficientNet-B0, 224²", vision.efficientnet, picture),
        Model("resnet-50", "ResNet-50, 224²", vision.resnet_50, picture),
        Model("detector", "detector (YOLOv8n's layers), 640²", vision.detector, (1, 3, 640, 640)),
        Model("segmentation", "segmentation (DeepLabv3, MobileNetV2), 512²", vision.segmentation, (1, 3, 512, 512)),
        Model("u-net", "U-Net, half as wide, 256²", vision.u_net, (1, 3, 256, 256)),
        Model("diffusion", "diffusion U-Net, a step, 64²", vision.diffusion, (1, 4, 64, 64), Input("time", (1, 1))),
        Model(
            "sentences", "sentence encoder (BERT-small), 128 tokens", sequences.sentence_encoder, (1, 128),
            vocabulary=30522),
        Model("vit-cut", "ViT-B/16, 4 of 12 layers, 224²", lambda: sequences.vision_transformer(4), picture),
        Model("vit", "ViT-B/16, 224²", lambda: sequences.vision_transformer(12), picture),
        Model("whisper", "Whisper-tiny's encoder, 30 s", sequences.whisper_encoder, (1, 80, 3000)),
        Model(
            "whisper-token", "Whisper-tiny's decoder, a token", sequences.whisper_decoder, token, *caches,
            outputs=("y", "new_keys", "new_values")),
        Model("lstm", "LSTM, 2 layers of 512, 128 steps", sequences.recurrent, (1, 128, 512)),
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


def examples(model):
    """Returns the inputs of the model as NumPy arrays by name: noise, or random tokens."""
    import numpy

    random, made = numpy.random.default_rng(SEED), {}
    for one in model.inputs:
        made[one.name] = random.integers(0, one.vocabulary, one.shape).astype(numpy.int32) if one.vocabulary \
            else random.standard_normal(one.shape).astype(numpy.float32)
    return made


def work(model, made):
    """Returns the multiply-adds of a prediction, and the bytes of its weights and caches in float32.

    Tables of words do not count, except in models with caches, where they are the matrix of the last product as well.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    values = [torch.from_numpy(value) for value in examples(model).values()]
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        made(*values)
    products = counter.get_total_flops() // 2
    for part in made.modules():
        if isinstance(part, torch.nn.LSTM):
            # PyTorch does not count these.
            products += sum(weight.numel() for weight in part.parameters() if weight.dim() == 2) * values[0].shape[1]
    weights = sum(weight.numel() for weight in made.parameters())
    caches = sum(value.numel() for value, one in zip(values, model.inputs) if one.is_cache)
    if not caches:
        weights -= sum(part.weight.numel() for part in made.modules() if isinstance(part, torch.nn.Embedding))
    return {"products": products, "bytes": 4 * (weights + caches)}


def files(model, folder):
    """Writes the model's files that are missing. Returns their paths by kind: float32, float16, onnx and work."""
    paths = {kind: os.path.join(folder, f"{model.key}-{kind}.mlpackage") for kind in ("float32", "float16")}
    paths["onnx"] = os.path.join(folder, f"{model.key}.onnx")
    paths["work"] = os.path.join(folder, f"{model.key}.json")
    if all(os.path.exists(path) for path in paths.values()):
        return paths
    import coremltools
    import numpy
    import torch

    made, values = module(model), tuple(torch.from_numpy(value) for value in examples(model).values())
    with torch.no_grad():
        traced = torch.jit.trace(made, values)

    def declaration(one, precision):
        kind = numpy.int32 if one.vocabulary else numpy.float16 if one.is_cache and precision == "float16" \
            else numpy.float32
        return coremltools.TensorType(name=one.name, shape=one.shape, dtype=kind)

    for name, precision in [("float32", coremltools.precision.FLOAT32), ("float16", coremltools.precision.FLOAT16)]:
        if not os.path.exists(paths[name]):
            coremltools.convert(
                traced, inputs=[declaration(one, name) for one in model.inputs],
                outputs=[coremltools.TensorType(name=output) for output in model.outputs],
                compute_precision=precision, minimum_deployment_target=coremltools.target.iOS17,
                skip_model_load=True).save(paths[name])
    if not os.path.exists(paths["onnx"]):
        draft = paths["onnx"] + ".draft"
        torch.onnx.export(
            made, values, draft, input_names=[one.name for one in model.inputs], output_names=model.outputs,
            opset_version=17, dynamo=False)
        os.replace(draft, paths["onnx"])
    with open(paths["work"], "w") as file:
        json.dump(work(model, made), file)
    return paths
