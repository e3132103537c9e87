"""The .cnn style network, VGG-16 and the losses of a training in PyTorch, equal to Sources/Styles/StyleTransfer.

Pictures are tensors [N, 3, height, width] of 0…255. A network is a dictionary of parameters by name, in the order of
the Swift library's parameters. A network of several styles has scales and offsets [channels, styles, 1, 1]
(MultiStyleNetwork.swift). Needs torch, numpy and coremltools (to read and write Core ML models).
"""
import os

import numpy as np
import torch
import torch.nn.functional as F

VGG16 = os.path.expanduser("~/.cache/atelier/VGG16.mlmodel")
LAYERS = ["relu1_2", "relu2_2", "relu3_3", "relu4_3"]
# TrainingRecipe.neighborLayers and NeighborTargets.mostCandidates.
NEIGHBOR_LAYERS = ["relu3_1", "relu4_1"]
MOST_CANDIDATES = 2048
MASK = (1 << 64) - 1

# The recipes of TrainingRecipe.swift. shares: "perLayer" or "perPainting". content: layer and weight. crop: "part" or
# "whole". exposure: n means that one of n pictures is over- or underexposed. shortcuts: "stages" or "stagesAndPicture".
EQUAL = dict(shares="perLayer", content=("relu2_2", 0.04), color=0.0, neighbors=0.0, crop="part", exposure=3,
             shortcuts="stagesAndPicture")
PAPERS = dict(EQUAL, shares="perPainting", content=("relu3_3", 0.0075))
WHOLE = dict(PAPERS, crop="whole", exposure=20)
NO_SHORTCUT = dict(WHOLE, shortcuts="stages")
RECIPES = {"equal-layers": EQUAL, "papers": PAPERS, "whole-photos": WHOLE, "no-picture-shortcut": NO_SHORTCUT,
           "colors": dict(NO_SHORTCUT, color=5.0), "neighbors": dict(NO_SHORTCUT, color=5.0, neighbors=0.1)}
SMOOTHNESS = 0.3
# ChosenStyles.photoWeight.
PHOTO_WEIGHT = 10.0
# Rows Y, Cb, Cr (ITU-T T.871, without the offset).
LUMA = np.array([0.299, 0.587, 0.114])
YCBCR = np.stack([LUMA, (np.array([0, 0, 1]) - LUMA) / 1.772, (np.array([1, 0, 0]) - LUMA) / 1.402])


class SplitMix64:
    """The random generator of Sources/Engine: a seed gives the same numbers."""

    def __init__(self, seed):
        self.state = seed & MASK

    @classmethod
    def counting(cls, index, seed):
        """Returns the generator of one element of a sequence, from the sequence's seed."""
        made = cls(cls(seed).next() ^ (index * 0xD1342543DE82EF95 & MASK))
        made.next()
        return made

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        bits = self.state
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
        return bits ^ (bits >> 31)

    def uniform(self, low, high):
        return low + (self.next() >> 11) * 2.0**-53 * (high - low)


def split_mix(seed, count):
    """Returns the first `count` uniform numbers 0…1 of SplitMix64, as an array."""
    with np.errstate(over="ignore"):
        state = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, count + 1, dtype=np.uint64)
        bits = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def specification(path):
    """Returns a Core ML model's protobuf message."""
    import coremltools

    return coremltools.utils.load_spec(path)


def numbers(field):
    """Returns the numbers of a WeightParams message, in float32."""
    if field.float16Value:
        return np.frombuffer(field.float16Value, np.float16).astype(np.float32)
    return np.array(field.floatValue, np.float32)


def vgg(path=VGG16):
    """Returns VGG-16's weights by layer, and its preprocessing: scale, means and deviations."""
    model = specification(path).neuralNetwork
    weights = {}
    for layer in model.layers:
        kind = layer.WhichOneof("layer")
        if kind == "convolution":
            c = layer.convolution
            kernel = numbers(c.weights).reshape(c.outputChannels, c.kernelChannels, 3, 3)
            weights[layer.name] = (torch.tensor(kernel), torch.tensor(numbers(c.bias)))
        if kind == "scale":
            deviation = torch.tensor(np.array(layer.scale.scale.floatValue, np.float32))
    scaler = model.preprocessing[0].scaler
    mean = torch.tensor([scaler.redBias, scaler.greenBias, scaler.blueBias])
    return weights, scaler.channelScale, mean, deviation


def converted(net, change):
    """Applies a function to all tensors of VGG-16."""
    weights, scale, mean, deviation = net
    return {k: (change(w), change(b)) for k, (w, b) in weights.items()}, scale, change(mean), change(deviation)


def features(x, net, wanted):
    """Returns the features of pictures by layer."""
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


def parameter_shapes(shortcuts="stagesAndPicture", styles=0):
    """Returns the names and shapes of the network's parameters, in order. styles is 0 for a network of one style."""
    shapes = []

    def conv(name, i, o, k):
        shapes.append((f"{name} weights", [o, i, k, k]))

    def norm(name, c):
        for role in ("gamma", "beta"):
            shapes.append((f"{name}_norm_{role} {role}", [c, styles, 1, 1]) if styles else (f"{name}_norm {role}", [c]))

    for name, i, o, k in [("encode1", 3, 32, 9), ("encode2", 32, 64, 3), ("encode3", 64, 128, 3)]:
        conv(name, i, o, k)
        norm(name, o)
    for n in range(1, 6):
        for part in "ab":
            conv(f"residual{n}{part}", 128, 128, 3)
            norm(f"residual{n}{part}", 128)
    for name, i, o in [("decode1", 128, 64), ("decode2", 64, 32)]:
        conv(name, i, o, 3)
        conv(f"{name}_shortcut", o, o, 3)
        norm(name, o)
    conv("paint", 32, 3, 9)
    shapes.append(("paint bias", [3]))
    if shortcuts == "stagesAndPicture":
        conv("paint_shortcut", 3, 3, 5)
    return shapes


def network(seed=1, shortcuts="stagesAndPicture", styles=0):
    """Returns an untrained network of one or several styles, with the weights of StyleNetwork(.cnn, seed:)."""
    shapes = parameter_shapes(shortcuts, styles)
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


def with_styles(parameters, count):
    """Returns a network of several styles. Each starts with the scales and offsets of a network of one style."""
    result = {}
    for name, value in parameters.items():
        role = name.split(" ")[1]
        if role in ("gamma", "beta"):
            name, value = f"{name.split(' ')[0]}_{role} {role}", value.view(-1, 1, 1, 1).repeat(1, count, 1, 1)
        result[name] = value
    return result


def paint(x, p, margin=16, styles=None):
    """Paints pictures. The margin of mirrored pixels is 16 in training and 48 in models. For a network of several
    styles, styles are the weights of the styles for each picture, [N, styles]."""
    def norm(x, name):
        if styles is None:
            return F.instance_norm(x, weight=p[f"{name} gamma"], bias=p[f"{name} beta"], eps=1e-5)
        scale, offset = (F.conv2d(styles[:, :, None, None], p[f"{name}_{role} {role}"]) for role in ("gamma", "beta"))
        return F.instance_norm(x, eps=1e-5) * scale + offset

    def block(x, name, stride=1, pad=1, seen=None):
        x = F.conv2d(x, p[f"{name} weights"], stride=stride, padding=pad)
        if seen is not None:
            x = x + F.conv2d(seen, p[f"{name}_shortcut weights"], padding=pad)
        return norm(x, f"{name}_norm")

    photo = F.pad(x / 127.5 - 1, (margin,) * 4, mode="reflect")
    full = F.relu(block(photo, "encode1", pad=4))
    half = F.relu(block(full, "encode2", 2))
    x = F.relu(block(half, "encode3", 2))
    for n in range(1, 6):
        x = x + block(F.relu(block(x, f"residual{n}a")), f"residual{n}b")
    for name, seen in [("decode1", half), ("decode2", full)]:
        x = F.relu(block(F.interpolate(x, scale_factor=2, mode="nearest"), name, seen=seen))
    x = F.conv2d(x, p["paint weights"], p["paint bias"], padding=4)
    if "paint_shortcut weights" in p:
        x = x + F.conv2d(photo, p["paint_shortcut weights"], padding=2)
    x = torch.sigmoid(x) * 279 - 12
    return x[:, :, margin:-margin, margin:-margin]


def gram(f):
    n, c, h, w = f.shape
    rows = f.reshape(n, c, h * w)
    return rows @ rows.transpose(1, 2) / (c * h * w)


def color_statistics(x, epsilon=0.0):
    """Returns means and standard deviations of Y, Cb and Cr, each [N, 3]."""
    matrix = torch.tensor(YCBCR / 255, dtype=x.dtype, device=x.device)
    components = torch.einsum("rc,nchw->nrhw", matrix, x)
    mean = components.mean((2, 3))
    variance = ((components - mean[:, :, None, None]) ** 2).mean((2, 3))
    return mean, (variance + epsilon).sqrt()


def neighbor_targets(features):
    """Returns the mean [C] of a painting's features [1, C, height, width], and candidates [C, count] for the neighbour
    loss: features evenly spaced over the painting, minus the mean, of length 1."""
    columns = features[0].flatten(1)
    count = columns.shape[1]
    taken = min(MOST_CANDIDATES, count)
    mean = columns.mean(1)
    columns = columns[:, torch.arange(taken, device=columns.device) * count // taken] - mean[:, None]
    return mean, F.normalize(columns, dim=0)


def style_targets(painting, net):
    """Returns the Gram matrices of a painting [1, 3, height, width] by layer, its colours, and its features for the
    neighbour loss by layer."""
    with torch.no_grad():
        seen = {k: v.to(painting.dtype) for k, v in features(painting, net, LAYERS + NEIGHBOR_LAYERS).items()}
        return ({k: gram(seen[k]) for k in LAYERS}, color_statistics(painting),
                {k: neighbor_targets(seen[k]) for k in NEIGHBOR_LAYERS})


def neighbor_loss(seen, targets):
    """Returns the mean distance, 1 - cosine, of each feature from its nearest candidate, summed over the layers."""
    total = 0
    for layer, (mean, candidates) in targets.items():
        rows = seen[layer].flatten(2).transpose(1, 2) - mean
        inverse = ((rows**2).sum(2) + 1e-8).rsqrt()
        total = total + (1 - (rows @ candidates).amax(2) * inverse).mean()
    return total


def losses(photo, parameters, net, targets, recipe, style_weight=1.0, smoothness=SMOOTHNESS, precise=lambda x: x,
           styles=None):
    """Returns the losses of one step by name: content, style, smoothness, and color if the recipe has it.

    For networks that run in bfloat16, precise converts features and paintings before the losses are computed. For a
    network of several styles, targets has the targets of each style, and None for the style “photo”, which
    reproduces the photo; styles has the index of each picture's style."""
    weights = None if styles is None else F.one_hot(torch.tensor(styles), len(targets)).to(photo)
    made = precise(paint(photo, parameters, styles=weights))
    layer, weight = recipe["content"]
    compared = LAYERS + (NEIGHBOR_LAYERS if recipe["neighbors"] > 0 else [])
    seen = {k: precise(v) for k, v in features(made, net, compared).items()}
    with torch.no_grad():
        shown = precise(features(photo, net, [layer])[layer])
    result = {"content": weight * ((seen[layer] - shown) ** 2).mean()}
    across, down = made[:, :, :, 1:] - made[:, :, :, :-1], made[:, :, 1:] - made[:, :, :-1]
    smooth = smoothness * (((across / 255) ** 2).mean() + ((down / 255) ** 2).mean())
    if styles is None:
        result["style"], colors, neighbors = picture_losses(made, seen, targets, recipe)
    else:
        parts = []
        for n, style in enumerate(styles):
            one = slice(n, n + 1)
            if targets[style] is None:
                same = PHOTO_WEIGHT * ((made[one] - precise(photo[one])) ** 2).mean() / 255**2
                parts.append((same / style_weight, 0 * same, 0 * same))
            else:
                parts.append(picture_losses(made[one], {k: v[one] for k, v in seen.items()}, targets[style], recipe))
        result["style"], colors, neighbors = (sum(values) / len(styles) for values in zip(*parts))
    result["style"] = style_weight * result["style"]
    result["smoothness"] = smooth
    if recipe["color"] > 0:
        result["color"] = recipe["color"] * colors
    if recipe["neighbors"] > 0:
        result["neighbors"] = style_weight * recipe["neighbors"] * neighbors
    return result


def picture_losses(made, seen, targets, recipe):
    """Returns the style loss, the colour loss and the neighbour loss of pictures of one style with the given features,
    without their weights."""
    grams, colors, neighbors = targets
    mean, deviation = color_statistics(made, epsilon=1e-6)
    distance = ((mean - colors[0]) ** 2 + (deviation - colors[1]) ** 2).sum(1).mean()
    found = {k: gram(seen[k]) for k in LAYERS}
    nearest = neighbor_loss(seen, neighbors) if recipe["neighbors"] > 0 else 0 * distance
    return style_loss(found, grams, recipe["shares"]), distance, nearest


def style_loss(found, wanted, shares):
    """Returns the style loss of Gram matrices [N, C, C]. A picture whose features are all 0 has a loss of 1."""
    if shares == "perLayer":
        return sum(((found[k] - wanted[k]) ** 2).sum() / (wanted[k] ** 2).sum() / found[k].shape[0]
                   for k in LAYERS) / len(LAYERS)
    return sum(((found[k] - wanted[k]) ** 2).mean() for k in LAYERS) / sum((wanted[k] ** 2).mean() for k in LAYERS)


# Returns the field of a layer's message that holds a parameter.
def field(layer, role):
    if layer.WhichOneof("layer") == "convolution":
        return layer.convolution.bias if role == "bias" else layer.convolution.weights
    return layer.batchnorm.gamma if role == "gamma" else layer.batchnorm.beta


def read_model(path, shortcuts="stagesAndPicture"):
    """Returns the parameters of a model that Atelier wrote. Shortcuts that the model lacks are 0."""
    layers = {layer.name: layer for layer in specification(path).neuralNetwork.layers}
    result = {}
    if shortcuts == "stages" and "paint_shortcut" in layers:
        raise SystemExit(f"'{path}' has the shortcut 'paint_shortcut', which the recipe leaves out;"
                         " use another recipe or another initial model.")
    for name, shape in parameter_shapes(shortcuts):
        layer, role = name.split(" ")
        if layer not in layers and layer.endswith("_shortcut"):
            result[name] = torch.zeros(shape)
            continue
        if layer not in layers:
            raise SystemExit(f"'{path}' has no layer '{layer}'; expected a cnn style of Atelier.")
        result[name] = torch.tensor(numbers(field(layers[layer], role)).reshape(shape))
    return result


def add_styles(message, count):
    """Turns a model of one style into one of several. Adds an input for the weights of the styles, and for each norm
    two convolutions that sum the styles' scales and offsets by these weights."""
    import coremltools

    value = message.description.input.add()
    value.name = "styles"
    value.shortDescription = "The weight of each style. For one style, its weight is 1 and the others are 0."
    value.type.multiArrayType.shape.append(count)
    value.type.multiArrayType.dataType = coremltools.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
    model = message.neuralNetwork
    model.arrayInputShapeMapping = 1
    message.specificationVersion = max(message.specificationVersion, 4)
    old = list(model.layers)
    renamed = {f"{layer.name}": f"{layer.name}_shifted" for layer in old if layer.WhichOneof("layer") == "batchnorm"}
    del model.layers[:]

    def layer(name, inputs):
        made = model.layers.add()
        made.name = name
        made.input.extend(inputs)
        made.output.append(name)
        return made

    layer("style_weights", ["styles"]).reshapeStatic.targetShape.extend([1, count, 1, 1])
    for taken in old:
        kept = model.layers.add()
        kept.CopyFrom(taken)
        for index, source in enumerate(kept.input):
            kept.input[index] = renamed.get(source, source)
        if taken.name not in renamed:
            continue
        channels = kept.batchnorm.channels
        for role, value in (("gamma", 1), ("beta", 0)):
            field(kept, role).Clear()
            field(kept, role).floatValue.extend([value] * channels)
            convolution = layer(f"{taken.name}_{role}", ["style_weights"]).convolution
            convolution.outputChannels, convolution.kernelChannels, convolution.nGroups = channels, count, 1
            for sizes in (convolution.kernelSize, convolution.stride, convolution.dilationFactor):
                sizes.extend([1, 1])
            convolution.valid.SetInParent()
        layer(f"{taken.name}_scaled", [taken.name, f"{taken.name}_gamma"]).multiply.SetInParent()
        layer(f"{taken.name}_shifted", [f"{taken.name}_scaled", f"{taken.name}_beta"]).add.SetInParent()


def write_model(template, parameters, path, summary, metadata, styles=()):
    """Writes a model in float16: the layers of template, a cnn style of Atelier, with other parameters. styles are
    the names of the styles, if the network has several."""
    message = specification(template)
    model = message.neuralNetwork
    if styles:
        add_styles(message, len(styles))
        metadata = {**metadata, "atelier.styles": ",".join(styles)}
    if "paint_shortcut weights" not in parameters:
        for index in reversed(range(len(model.layers))):
            if model.layers[index].name in ("paint_shortcut", "paint_sum"):
                del model.layers[index]
        for layer in model.layers:
            for index, source in enumerate(layer.input):
                if source == "paint_sum":
                    layer.input[index] = "paint"
    layers = {layer.name: layer for layer in model.layers}
    for name, value in parameters.items():
        layer, role = name.split(" ")
        target = field(layers[layer], role)
        target.Clear()
        target.float16Value = value.detach().float().cpu().numpy().astype(np.float16).tobytes()
    words = message.description.metadata
    words.shortDescription = summary
    for key in [k for k in words.userDefined if not k.startswith(("atelier.", "com.apple."))]:
        del words.userDefined[key]
    for key, value in metadata.items():
        words.userDefined[key] = value
    draft = f"{path}.new"
    with open(draft, "wb") as file:
        file.write(message.SerializeToString())
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
