"""Tests Keras layers and operations with pairs of settings against Keras itself.

usage: ATELIER=.build/release/atelier python Scripts/keras_settings.py [--seed N] [--count N] [--only FAMILY]
[--keep DIR]

Each family draws a layer's settings at random from a seed, builds a model with Keras on TensorFlow, saves it, and
compares the results of the program and of Keras. Settings that Keras refuses are drawn again. A refusal by the
program counts as a fault unless the family lists its message. The exit status is 1 if there is a fault.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tf_keras as old  # noqa: E402
from keras import layers as L, ops  # noqa: E402

ATELIER = os.environ.get("ATELIER", ".build/release/atelier")
FAMILIES = {}


def family(refusals=None, tolerance=2e-4):
    """Registers a family. `refusals` is a regular expression for the error messages that are no faults."""

    def register(make):
        FAMILIES[make.__name__] = (make, refusals, tolerance)
        return make

    return register


class Draw:
    """Draws settings from a random generator with a seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def of(self, *values):
        return values[self.random.integers(len(values))]

    def int(self, low, high):
        return int(self.random.integers(low, high + 1))

    def ints(self, low, high, count):
        return tuple(self.int(low, high) for _ in range(count))


def one(layer, shape, **call):
    """Builds a Keras model with one layer. `call` are the arguments of the layer's call."""
    x = keras.Input(shape, name="x")
    return keras.Model(x, layer(x, **call))


@family()
def transposed(draw):
    axes = draw.of(1, 2, 2, 2, 3)
    strides = draw.ints(1, 3, axes)
    more = draw.of(None, tuple(draw.int(0, max(0, s - 1)) for s in strides))
    kind = [L.Conv1DTranspose, L.Conv2DTranspose, L.Conv3DTranspose][axes - 1]
    layer = kind(draw.int(1, 3), draw.ints(1, 5, axes), strides=strides, padding=draw.of("same", "valid"),
                 output_padding=more, use_bias=draw.of(True, False), activation=draw.of(None, "tanh", "relu"))
    return one(layer, (*draw.ints(1, 6, axes), draw.int(1, 3)))


@family()
def convolution(draw):
    kinds = {"Conv1D": 1, "Conv2D": 2, "Conv3D": 3, "DepthwiseConv1D": 1, "DepthwiseConv2D": 2, "SeparableConv1D": 1,
             "SeparableConv2D": 2}
    kind = draw.of(*kinds)
    axes = kinds[kind]
    strides = (draw.int(1, 3),) * axes
    dilation = (draw.int(1, 3),) * axes if max(strides) == 1 else (1,) * axes
    if "Conv" == kind[:4] and axes > 1:
        strides = draw.ints(1, 3, axes) if max(dilation) == 1 else strides
    settings = dict(strides=strides, dilation_rate=dilation, use_bias=draw.of(True, False),
                    padding=draw.of("same", "valid", "causal") if kind == "Conv1D" else draw.of("same", "valid"),
                    activation=draw.of(None, "gelu", "leaky_relu", "elu", "relu6", "softsign"))
    channels = draw.of(2, 4)
    kernel = draw.ints(1, 4, axes)
    if kind[:4] == "Conv":
        layer = getattr(L, kind)(draw.of(2, 4), kernel, groups=draw.of(1, 1, 2), **settings)
    elif kind.startswith("Depthwise"):
        layer = getattr(L, kind)(kernel, depth_multiplier=draw.int(1, 2), **settings)
    else:
        layer = getattr(L, kind)(3, kernel, depth_multiplier=draw.int(1, 2), **settings)
    return one(layer, (*draw.ints(7, 12, axes), channels))


@family()
def pooling(draw):
    axes = draw.int(1, 3)
    shape = (*draw.ints(4, 9, axes), 3)
    if draw.int(0, 3) == 0:
        kind = draw.of("GlobalMaxPooling", "GlobalAveragePooling")
        return one(getattr(L, f"{kind}{axes}D")(keepdims=draw.of(True, False)), shape)
    kind = draw.of("MaxPooling", "AveragePooling")
    return one(getattr(L, f"{kind}{axes}D")(draw.ints(1, 4, axes), strides=draw.of(None, draw.ints(1, 3, axes)),
                                            padding=draw.of("same", "valid")), shape)


@family(tolerance=5e-4)
def resizing(draw):
    shape = (*draw.ints(3, 9, 2), 2)
    kind = draw.of("Resizing", "Resizing", "Resizing", "UpSampling2D", "UpSampling1D", "UpSampling3D", "CenterCrop")
    if kind == "Resizing":
        how = draw.of("crop_to_aspect_ratio", "pad_to_aspect_ratio", None, None)
        more = {how: True} if how else {}
        return one(L.Resizing(*draw.ints(2, 14, 2), draw.of("nearest", "bilinear", "bicubic", "area", "lanczos3",
                                                            "lanczos5"),
                              fill_value=draw.of(0.0, 0.5), antialias=draw.of(True, False), **more), shape)
    if kind == "UpSampling2D":
        return one(L.UpSampling2D(draw.ints(1, 3, 2), interpolation=draw.of("nearest", "bilinear", "bicubic", "lanczos3",
                                                                            "lanczos5")), shape)
    if kind == "UpSampling1D":
        return one(L.UpSampling1D(draw.int(1, 3)), (5, 3))
    if kind == "UpSampling3D":
        return one(L.UpSampling3D(draw.ints(1, 3, 3)), (2, 3, 2, 2))
    return one(L.CenterCrop(*draw.ints(2, 11, 2)), shape)


@family()
def borders(draw):
    axes = draw.int(1, 3)
    amounts = [draw.ints(0, 2, 2) for _ in range(axes)]
    kind = draw.of("ZeroPadding", "Cropping")
    return one(getattr(L, f"{kind}{axes}D")(amounts[0] if axes == 1 else amounts), (*draw.ints(5, 7, axes), 2))


def walk(draw, **settings):
    settings.setdefault("units", draw.int(2, 4))
    kind = draw.of("LSTM", "GRU", "SimpleRNN")
    if kind != "SimpleRNN":
        settings["recurrent_activation"] = draw.of("sigmoid", "hard_sigmoid", "tanh")
    if kind == "GRU":
        settings["reset_after"] = draw.of(True, False)
    return getattr(L, kind)(activation=draw.of("tanh", "relu", "sigmoid", "linear"),
                            use_bias=draw.of(True, False), **settings)


@family()
def recurrent(draw):
    layer = walk(draw, return_sequences=draw.of(True, False), return_state=draw.of(True, False),
                 go_backwards=draw.of(True, False))
    x = keras.Input((draw.int(1, 5), 3), name="x")
    if draw.of(True, False):
        return keras.Model(x, layer(x))
    count = 2 if isinstance(layer, L.LSTM) else 1
    states = [keras.Input((layer.units,), name=f"s{i}") for i in range(count)]
    return keras.Model([x, *states], layer(x, initial_state=states))


@family()
def both_ways(draw):
    sequences = draw.of(True, False)
    backwards = draw.of(True, False)
    forward = walk(draw, return_sequences=sequences, go_backwards=backwards)
    mode = draw.of("concat", "sum", "mul", "ave", None)
    other = None
    if draw.of(True, False):
        units = {} if mode == "concat" else {"units": forward.units}
        other = walk(draw, return_sequences=sequences, go_backwards=not backwards, **units)
    elif backwards:
        return None
    return one(L.Bidirectional(forward, merge_mode=mode, backward_layer=other), (4, 3))


@family()
def normalization(draw):
    shape = draw.of((6,), (5, 6), (4, 5, 6))
    affine = dict(center=draw.of(True, False), scale=draw.of(True, False), epsilon=draw.of(1e-3, 0.1))
    kind = draw.of("Batch", "Layer", "Group", "RMS", "Unit", "Normalization")
    if kind == "Batch":
        return one(L.BatchNormalization(**affine), shape)
    if kind == "Layer":
        return one(L.LayerNormalization(axis=draw.of(-1, list(range(1, len(shape) + 1)), len(shape)), **affine), shape)
    if kind == "Group":
        return one(L.GroupNormalization(draw.of(1, 2, 3, 6, -1), **affine), draw.of((5, 6), (4, 5, 6), (2, 3, 2, 6)))
    if kind == "RMS":
        return one(L.RMSNormalization(epsilon=draw.of(1e-6, 0.1)), shape)
    if kind == "Unit":
        return one(L.UnitNormalization(axis=draw.of(-1, 1)), shape)
    return one(L.Normalization(mean=draw.of(0.5, list(range(6))), variance=draw.of(2.0, [v + 1.0 for v in range(6)]),
                               invert=draw.of(True, False)), shape)


@family(refusals="use_causal_mask|attention_axes|return_attention_scores|score_mode")
def attention(draw):
    a, b = keras.Input((4, 6), name="x"), keras.Input((5, 6), name="y")
    if draw.of(True, False):
        layer = L.MultiHeadAttention(draw.int(1, 3), draw.int(1, 4), value_dim=draw.of(None, 3),
                                     use_bias=draw.of(True, False), output_shape=draw.of(None, 5))
        call = draw.of({}, {"key": b}, {"use_causal_mask": True}, {"return_attention_scores": True})
        return keras.Model([a, b], layer(a, b, **call))
    layer = draw.of(L.Attention(use_scale=draw.of(True, False), score_mode=draw.of("dot", "dot", "concat")),
                    L.AdditiveAttention(use_scale=draw.of(True, False)))
    return keras.Model([a, b], layer([a, b], **draw.of({}, {"use_causal_mask": True})))


@family()
def activations(draw):
    layer = draw.of(
        L.ReLU(max_value=draw.of(None, 0.8), negative_slope=draw.of(0.0, 0.2), threshold=draw.of(0.0, 0.3)),
        L.LeakyReLU(negative_slope=0.4), L.ELU(0.6), L.PReLU(shared_axes=draw.of(None, [1], [1, 2])), L.Softmax(axis=draw.of(-1, 1)),
        L.Activation(draw.of("relu", "gelu", "silu", "mish", "hard_silu", "selu", "log_softmax", "softplus")))
    return one(layer, (4, 5, 3))


def arithmetic(draw, x):
    """Applies a few operations that preserve the shape to a tensor `[N, 4, 5, 3]`."""
    array = np.random.default_rng(draw.int(0, 99)).uniform(0.5, 2, 3).astype("f4")
    number = draw.of(2.0, 0.5, 3, array, array[None, None, None], array[:1])
    return draw.of(
        lambda: x + number, lambda: number - x, lambda: x * number, lambda: number / (ops.abs(x) + 1), lambda: x / number,
        lambda: ops.maximum(x, number), lambda: ops.minimum(number, x), lambda: ops.abs(x) ** 0.5, lambda: x // number,
        lambda: x % number, lambda: -x, lambda: ops.clip(x, -0.5, 0.5), lambda: ops.where(x > 0.1, x, number),
        lambda: ops.exp(x), lambda: ops.sin(x), lambda: ops.square(x), lambda: ops.tanh(x), lambda: ops.erf(x),
        lambda: ops.log1p(ops.abs(x)), lambda: ops.rsqrt(ops.square(x) + 1), lambda: ops.gelu(x), lambda: ops.softmax(x, axis=draw.of(-1, 1)),
        lambda: ops.cast(x * 3, draw.of("int32", "uint8")) * 1 if draw.of(True, False) else ops.cast(ops.cast(x * 3, "int32"), "float32"),
        lambda: x - ops.mean(x, axis=draw.of([1, 2], -1, 1), keepdims=True), lambda: x / (1 + ops.std(x, axis=[1, 2], keepdims=True)),
        lambda: ops.flip(x, draw.of(1, -1)), lambda: ops.normalize(x, axis=-1), lambda: ops.log_softmax(x),
        lambda: ops.concatenate([x[:, :2], x[:, 2:] * 2], axis=1), lambda: ops.matmul(x, np.eye(3, dtype="f4") * 2),
        lambda: ops.leaky_relu(x, 0.3), lambda: ops.multiply(x, x), lambda: x + x)()


@family()
def operations(draw):
    x = keras.Input((4, 5, 3), name="x")
    y = x
    if draw.of(True, False):
        y = L.Conv2D(3, 1)(y)
    for _ in range(draw.int(1, 4)):
        y = arithmetic(draw, y)
    if draw.of(True, False):
        y = L.Conv2D(2, 1)(ops.cast(y, "float32"))
    end = draw.of(
        lambda: y, lambda: y[:, 1:, ::2, ...], lambda: y[..., 0], lambda: y[:, -1], lambda: y[:, ::-1, 1:3, -1:],
        lambda: y[:, None, ..., 1], lambda: ops.mean(y, axis=[1, 2]), lambda: ops.sum(y, axis=-1), lambda: ops.max(y, axis=draw.of(1, [2, 3]), keepdims=draw.of(True, False)),
        lambda: ops.reshape(y, (-1, 20, y.shape[-1])), lambda: ops.reshape(y, (ops.shape(y)[0], -1)), lambda: ops.transpose(y, (0, 3, 1, 2)),
        lambda: ops.stack([y, y * 2], axis=draw.of(-1, 1)), lambda: ops.split(y, 2, axis=1)[1], lambda: ops.expand_dims(y, draw.of(1, -1)),
        lambda: ops.pad(y, [[0, 0], [1, 2], [0, 1], [0, 0]], mode=draw.of("constant", "reflect")), lambda: ops.tile(y, (1, 2, 1, 1)),
        lambda: ops.repeat(y, 2, axis=draw.of(1, 2)), lambda: ops.image.resize(y, (7, 6), interpolation=draw.of("nearest", "bilinear")),
        lambda: ops.take(y, [1, 0, 1], axis=1), lambda: ops.moveaxis(y, 1, -1), lambda: ops.swapaxes(y, 1, 2), lambda: ops.argmax(x, axis=-1),
        lambda: ops.logsumexp(y, axis=-1), lambda: ops.var(y, axis=1), lambda: ops.norm(y, axis=-1), lambda: ops.squeeze(y[:, :1], 1),
        lambda: ops.matmul(y, ops.transpose(y, (0, 1, 3, 2))), lambda: ops.unstack(y, axis=1)[2], lambda: ops.concatenate([y, y], axis=draw.of(-1, 2)))
    return keras.Model(x, ops.cast(end(), "float32"))


@family()
def shaping(draw):
    return one(draw.of(L.Flatten(), L.Reshape(draw.of((-1,), (6, 10), (5, -1, 2))), L.Permute((3, 1, 2)),
                       L.TimeDistributed(L.Dense(3, activation="tanh")), L.Dense(4, activation=draw.of(None, "softmax")),
                       L.EinsumDense("abcd,de->abce", output_shape=(None, None, 2), bias_axes=draw.of(None, "e"))),
               (4, 5, 3))


@family()
def merging(draw):
    a, b = keras.Input((4, 5, 3), name="x"), keras.Input(draw.of((4, 5, 3), (1, 5, 3)), name="y")
    kind = draw.of("Add", "Subtract", "Multiply", "Maximum", "Minimum", "Average", "Concatenate", "Dot")
    if kind == "Concatenate":
        return keras.Model([a, b], L.Concatenate(axis=draw.of(1, -1) if b.shape[1] == 4 else 1)([a, b]))
    if kind == "Dot":
        a, b = keras.Input((3, 4), name="x"), keras.Input((4, 5), name="y")
        return keras.Model([a, b], L.Dot(axes=(2, 1), normalize=draw.of(True, False))([a, b]))
    return keras.Model([a, b], getattr(L, kind)()([a, b]))


@family()
def functions_of_tensorflow(draw):
    """Draws a Keras 2 model with TensorFlow functions as operations."""
    import tensorflow as tf

    x = old.Input((4, 5, 3), name="x")
    y = x
    array = np.random.default_rng(draw.int(0, 99)).uniform(0.5, 2, 3).astype("f4")
    for _ in range(draw.int(1, 3)):
        number = draw.of(2.0, 0.5, 3, array)
        y = draw.of(
            lambda: y + number, lambda: number - y, lambda: y * number, lambda: number / (tf.abs(y) + 1), lambda: y / number,
            lambda: tf.maximum(y, 0.25), lambda: tf.clip_by_value(y, -0.5, 0.5), lambda: -y, lambda: tf.nn.relu(y),
            lambda: tf.nn.leaky_relu(y, 0.3), lambda: tf.nn.softmax(y, axis=draw.of(-1, 1)), lambda: tf.square(y),
            lambda: y - tf.reduce_mean(y, axis=draw.of([1, 2], -1), keepdims=True), lambda: tf.where(y > 0.1, y, 0.5),
            lambda: tf.math.l2_normalize(y, axis=-1), lambda: tf.nn.bias_add(y, array), lambda: tf.cast(tf.cast(y * 3, "int32"), "float32"),
            lambda: tf.pow(tf.abs(y), 0.5), lambda: tf.exp(y), lambda: tf.nn.gelu(y), lambda: tf.nn.silu(y),
            lambda: tf.math.floormod(y, 2.0), lambda: y // 0.5)()
    end = draw.of(
        lambda: y, lambda: y[:, 1:, ::2, ..., 0], lambda: y[:, tf.newaxis, ..., -1], lambda: tf.reduce_mean(y, [1, 2]),
        lambda: tf.reshape(y, (-1, 20, 3)), lambda: tf.reshape(y, (tf.shape(y)[0], -1)),
        lambda: tf.reshape(y, [tf.shape(y)[0], tf.shape(y)[1] * 5, 3]), lambda: tf.transpose(y, (0, 3, 1, 2)),
        lambda: tf.concat([y, x], axis=1), lambda: tf.stack([y, x], axis=-1), lambda: tf.matmul(y, x, transpose_b=True),
        lambda: tf.pad(y, [[0, 0], [1, 1], [2, 0], [0, 0]], mode=draw.of("REFLECT", "CONSTANT")),
        lambda: tf.image.resize(y, (8, 9), method=draw.of("nearest", "bilinear", "bicubic", "area", "lanczos3")),
        lambda: tf.image.resize(y, tf.shape(y)[1:3] * 2), lambda: tf.split(y, [1, 3], axis=1)[1], lambda: tf.expand_dims(y, 1),
        lambda: tf.tile(y, (1, 2, 1, 1)), lambda: tf.gather(y, [1, 0], axis=1), lambda: tf.math.reduce_std(y, axis=-1),
        lambda: tf.unstack(y, axis=1)[0], lambda: tf.nn.depth_to_space(tf.concat([y, y, y, x], -1), 2), lambda: tf.reduce_max(y, axis=2))
    return old.Model(x, end())


# MARK: - Comparing


def to_graph(array):
    """Moves the channels of images and volumes to axis 1, as in Core ML."""
    return np.moveaxis(array, -1, 1) if array.ndim in (4, 5) else array


def shuffle(model, seed):
    random = np.random.default_rng(seed)
    for variable in model.weights:
        if "seed" in getattr(variable, "path", variable.name) or "count" in getattr(variable, "path", variable.name):
            continue
        values = random.standard_normal(variable.shape) * 0.5
        variable.assign((np.abs(values) + 0.2 if "variance" in getattr(variable, "path", variable.name) else values).astype("f4"))


def describe(model):
    words = []
    if not isinstance(model, keras.Model):
        return "; ".join(f"{layer.name} {layer._inbound_nodes[0].call_kwargs}"[:160] for layer in model.layers[1:])
    for layer in model.operations:
        if isinstance(layer, L.InputLayer):
            continue
        settings = {key: value for key, value in layer.get_config().items()
                    if not re.search("initializer|regularizer|constraint|^name$|trainable|dtype|seed", key) and value is not None}
        if isinstance(settings.get("layer"), dict):
            for key in ("layer", "backward_layer"):
                inner = settings.get(key)
                settings[key] = inner and [inner["class_name"], {k: v for k, v in inner["config"].items() if k in (
                    "units", "activation", "recurrent_activation", "use_bias", "return_sequences", "go_backwards", "reset_after")}]
        if not isinstance(layer, L.Layer):
            arguments = layer._inbound_nodes[0].arguments
            settings["called"] = [repr(v)[:60] for v in arguments.args if not hasattr(v, "_keras_history")], arguments.kwargs
        words.append(f"{type(layer).__name__} {settings}")
    return f"{[i.shape for i in model.inputs]} " + "; ".join(words)


def run(inputs, path, folder):
    """Runs a model with the program. Returns its outputs, or its error message."""
    out = os.path.join(folder, "out")
    command = [ATELIER, "predict", path, "--compute-units", "cpuOnly", "-o", out]
    for name, value in inputs.items():
        file = os.path.join(folder, f"{name}.npy")
        np.save(file, np.ascontiguousarray(value))
        command += ["-i", f"{name}={file}"]
    done = subprocess.run(command, capture_output=True, timeout=300, env=dict(os.environ, ATELIER_TUNING="off"))
    if done.returncode != 0:
        return None, f"status {done.returncode}: " + " ".join(done.stderr.decode(errors="replace").split())[-500:]
    answers = []
    for value in json.loads(done.stdout).values():
        file = value.get("file") if isinstance(value, dict) else None
        if isinstance(file, str):
            answers.append(np.load(file if os.path.exists(file) else os.path.join(out, os.path.basename(file))))
        elif isinstance(value, dict):
            answers.append(np.array(value["values"]).reshape(value["shape"]))
        else:
            answers.append(np.array(value))
    return answers, None


def compare(got, want, tolerance):
    """Compares outputs. Returns a description of the difference, or None if there is none."""
    if len(got) != len(want):
        return f"{len(got)} outputs, expected {len(want)}"
    for index, expected in enumerate(want):
        # The program's outputs are sorted by name, so outputs are matched by size.
        fits = [g for g in got if g.size == expected.size]
        if not fits:
            return f"output {index} is {[g.shape for g in got]}, expected {expected.shape}"
        bound = tolerance * max(1, np.abs(expected).max()) if expected.size else 0
        worst = min(np.abs(g.reshape(-1) - expected.reshape(-1)).max() if expected.size else 0 for g in fits)
        if not worst <= bound:
            return f"output {index} differs by {worst:.4g}, more than {bound:.4g}"
        if not any(g.shape == expected.shape or expected.ndim == 0 for g in fits):
            return f"output {index} is {fits[0].shape}, expected {expected.shape}"
    return None


def made(name, seed, folder):
    """Draws a model and saves it. Returns it, with values in Core ML's layout, or None if Keras refuses it."""
    make = FAMILIES[name][0]
    keras.backend.clear_session()
    old.backend.clear_session()
    try:
        model = make(Draw([seed, sum(name.encode())]))
        if model is None:
            return None
        shuffle(model, seed)
        random = np.random.default_rng(seed)
        given = {i.name.split(":")[0]: random.standard_normal([1 if n is None else n for n in i.shape]).astype("f4")
                 for i in model.inputs}
        values = list(given.values())
        answer = model(values if len(values) > 1 else values[0], training=False)
        answers = list(answer) if isinstance(answer, (list, tuple)) else [answer]
        path = os.path.join(folder, f"{name}-{seed}.{'keras' if isinstance(model, keras.Model) else 'h5'}")
        model.save(path)
    except Exception as error:
        if os.environ.get("VERBOSE"):
            print(f"  {name} {seed}: Keras refuses: {str(error)[:200]}", file=sys.stderr)
        return None
    return model, {key: to_graph(value) for key, value in given.items()}, [to_graph(np.asarray(v)) for v in answers], path


def one_case(name, seed, folder, keep):
    """Tests one model. Returns a description of the fault, None if there is none, or False if Keras itself refuses."""
    _, refusals, tolerance = FAMILIES[name]
    case = made(name, seed, keep or folder)
    if case is None:
        return False
    model, given, want, path = case
    got, refusal = run(given, path, folder)
    if refusal:
        if refusals and re.search(refusals, refusal) and "status 1" in refusal:
            return None
        return f"{describe(model)}\n    refused: {refusal}"
    fault = compare(got, want, tolerance)
    return fault and f"{describe(model)}\n    {fault}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40, help="models for each family")
    parser.add_argument("--only", help="families, divided by commas")
    parser.add_argument("--keep", help="a folder for the models")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(FAMILIES)
    faults = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            own = here = 0
            for seed in range(options.seed, options.seed + options.count):
                fault = one_case(name, seed, folder, options.keep)
                if fault is False:
                    continue
                here += 1
                if fault:
                    own += 1
                    print(f"{name} {seed}: {fault}", flush=True)
            faults, tried = faults + own, tried + here
            if os.environ.get("VERBOSE"):
                print(f"{name}: {here} models, {own} faults", file=sys.stderr, flush=True)
    print(f"Keras's settings in pairs: {tried} models of {len(names)} families, {faults} faults (seed {options.seed}).")
    return 1 if faults or tried < len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
