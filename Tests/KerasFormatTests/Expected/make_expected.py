#!/usr/bin/env python3
"""Writes layers.json: small Keras 3 models with random weights (seed 7), and Keras's results.

Needs keras, torch and h5py (KERAS_BACKEND=torch). Archives are repacked to keep the file small. Images and volumes
are channels-first, as in Core ML.
"""
import base64, io, json, os, sys, tempfile, zipfile
os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
from keras import layers as L

here = os.path.dirname(os.path.abspath(__file__))
keras.utils.set_random_seed(7)
result = []


def ramp(shape):
    count = int(np.prod(shape))
    return ((np.arange(count) * 7919 % 1009) / 1009.0 - 0.4).astype(np.float32).reshape(shape)


def graph_shape(shape):
    return [shape[0], shape[-1], *shape[1:-1]] if len(shape) >= 4 else list(shape)


def to_graph(a):
    return np.moveaxis(a, -1, 1) if a.ndim >= 4 else a


def to_keras(a):
    return np.moveaxis(a, 1, -1) if a.ndim >= 4 else a


def shuffle(model):
    rng = np.random.default_rng(7)
    for v in model.weights:
        if "seed" in v.path:
            continue
        a = rng.standard_normal(v.shape) * 0.4
        if "variance" in v.path:
            a = np.abs(a) + 0.2
        v.assign(a.astype(np.float32))


def packed(path):
    if not path.endswith(".keras"):
        return open(path, "rb").read()
    out = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return out.getvalue()


def case(name, model, form="keras", inputs=None):
    shuffle(model)
    shapes = [[1 if d is None else d for d in i.shape] for i in model.inputs]
    given = inputs or [ramp(graph_shape(s)) for s in shapes]
    out = model([to_keras(g) for g in given] if len(given) > 1 else to_keras(given[0]), training=False)
    outs = out if isinstance(out, (list, tuple)) else [out]
    outs = [to_graph(o.detach().cpu().numpy()) for o in outs]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m." + form)
        if form == "weights.h5":
            model.save_weights(path)
        else:
            model.save(path)
        files = {"m." + form: base64.b64encode(packed(path)).decode()}
        if form == "weights.h5":
            files = {"m.json": base64.b64encode(model.to_json().encode()).decode(), **files}
    result.append(dict(
        name=name, files=files,
        inputs=[dict(shape=list(g.shape), values=None if inputs is None else [float(v) for v in g.ravel()])
                for g in given],
        outputs=[dict(shape=list(o.shape), values=[float(f"{v:.7g}") for v in o.ravel()]) for o in outs]))


def one(name, layer, shape=(8, 9, 4), form="keras"):
    i = keras.Input(shape)
    case(name, keras.Model(i, layer(i)), form)


def two(name, layer, shape=(5, 6, 3), other=None):
    a, b = keras.Input(shape), keras.Input(other or shape)
    case(name, keras.Model([a, b], layer([a, b])))


one("Dense", L.Dense(5, activation="tanh"), (7,))
one("Dense of a sequence", L.Dense(5), (4, 7))
one("Dense of a picture", L.Dense(5), (4, 3, 7))
one("Conv1D", L.Conv1D(5, 3, strides=2, padding="same", activation="relu"), (11, 4))
one("Conv1D causal", L.Conv1D(5, 3, padding="causal", dilation_rate=2), (11, 4))
one("Conv2D", L.Conv2D(5, 3, strides=2, padding="same"))
one("Conv2D of groups", L.Conv2D(6, (3, 1), groups=2, use_bias=False, dilation_rate=2))
one("Conv3D", L.Conv3D(3, 2, padding="same"), (4, 5, 6, 2))
one("DepthwiseConv1D", L.DepthwiseConv1D(3, depth_multiplier=2), (9, 3))
one("DepthwiseConv2D", L.DepthwiseConv2D(3, depth_multiplier=2, padding="same"))
one("SeparableConv1D", L.SeparableConv1D(5, 3), (9, 3))
one("SeparableConv2D", L.SeparableConv2D(5, 3, depth_multiplier=2))
one("Conv1DTranspose", L.Conv1DTranspose(3, 4, strides=2, padding="same"), (7, 4))
one("Conv2DTranspose same", L.Conv2DTranspose(3, 4, strides=2, padding="same"))
one("Conv2DTranspose valid", L.Conv2DTranspose(3, 3, strides=2))
one("Conv3DTranspose", L.Conv3DTranspose(3, 2, strides=2), (3, 4, 3, 2))
one("MaxPooling1D", L.MaxPooling1D(3, strides=2), (11, 4))
one("MaxPooling2D", L.MaxPooling2D(3, strides=2, padding="same"))
one("MaxPooling3D", L.MaxPooling3D(2), (4, 5, 6, 2))
one("AveragePooling1D", L.AveragePooling1D(2), (11, 4))
# These sizes need asymmetric padding. There, Keras on torch replicates the edge, and Keras on TensorFlow does not.
one("AveragePooling2D", L.AveragePooling2D(3, strides=2, padding="same"), (9, 9, 4))
one("AveragePooling3D", L.AveragePooling3D(2), (4, 5, 6, 2))
one("GlobalAveragePooling1D", L.GlobalAveragePooling1D(), (6, 4))
one("GlobalAveragePooling2D", L.GlobalAveragePooling2D())
one("GlobalMaxPooling2D", L.GlobalMaxPooling2D(keepdims=True))
one("GlobalMaxPooling3D", L.GlobalMaxPooling3D(), (4, 5, 6, 2))
one("BatchNormalization of values", L.BatchNormalization(), (7,))
one("BatchNormalization of a sequence", L.BatchNormalization(center=False), (6, 4))
one("BatchNormalization of a picture", L.BatchNormalization(scale=False))
one("LayerNormalization", L.LayerNormalization(), (6, 4))
one("LayerNormalization of a picture", L.LayerNormalization())
one("GroupNormalization", L.GroupNormalization(2))
one("RMSNormalization", L.RMSNormalization(), (6, 4))
one("UnitNormalization", L.UnitNormalization(), (6, 4))
for name in ["relu", "relu6", "sigmoid", "tanh", "softmax", "log_softmax", "softplus", "softsign", "elu", "selu",
             "leaky_relu", "exponential", "gelu", "swish", "mish", "hard_sigmoid", "hard_swish"]:
    one("Activation " + name, L.Activation(name), (6, 4))
one("ReLU", L.ReLU(max_value=0.3, negative_slope=0.1, threshold=0.1))
one("LeakyReLU", L.LeakyReLU(negative_slope=0.2))
one("ELU", L.ELU(0.7))
one("PReLU", L.PReLU(shared_axes=[1, 2]))
one("PReLU of pixels", L.PReLU(), (3, 4, 2))
one("Softmax", L.Softmax())
one("Softmax of rows", L.Softmax(axis=1), (6, 4))
two("Add", L.Add())
two("Subtract", L.Subtract())
two("Multiply", L.Multiply(), other=(1, 1, 3))
two("Average", L.Average())
two("Maximum", L.Maximum())
two("Minimum", L.Minimum())
two("Concatenate", L.Concatenate(), other=(5, 6, 2))
two("Concatenate rows", L.Concatenate(axis=1), other=(4, 6, 3))
two("Dot", L.Dot(axes=(2, 1)), (3, 4), (4, 5))
two("Dot normalised", L.Dot(axes=-1, normalize=True), (6,), (6,))
one("Flatten", L.Flatten())
one("Reshape", L.Reshape((9, -1)))
one("Permute", L.Permute((2, 3, 1)))
one("RepeatVector", L.RepeatVector(3), (4,))
one("ZeroPadding1D", L.ZeroPadding1D((1, 2)), (5, 3))
one("ZeroPadding2D", L.ZeroPadding2D(((1, 2), (3, 0))))
one("ZeroPadding3D", L.ZeroPadding3D(1), (3, 4, 3, 2))
one("Cropping1D", L.Cropping1D((1, 2)), (7, 3))
one("Cropping2D", L.Cropping2D(((1, 2), (3, 0))))
one("Cropping3D", L.Cropping3D(1), (4, 4, 5, 2))
one("UpSampling1D", L.UpSampling1D(3), (5, 3))
one("UpSampling2D", L.UpSampling2D((2, 3)), (4, 5, 3))
one("UpSampling2D bilinear", L.UpSampling2D(2, interpolation="bilinear"), (4, 5, 3))
one("UpSampling3D", L.UpSampling3D((2, 1, 3)), (2, 3, 2, 2))
one("Resizing", L.Resizing(6, 7))
one("CenterCrop", L.CenterCrop(4, 5))
one("Rescaling", L.Rescaling([0.5, 2, 3, 4], offset=-1))
one("Normalization", L.Normalization(mean=[1, 2, 3, 4], variance=[2, 3, 4, 5]))
one("LSTM", L.LSTM(5), (6, 4))
one("LSTM of all steps", L.LSTM(5, return_sequences=True, go_backwards=True), (6, 4))
one("GRU", L.GRU(5, return_sequences=True), (6, 4))
one("GRU resetting first", L.GRU(5, reset_after=False), (6, 4))
one("SimpleRNN", L.SimpleRNN(5, use_bias=False), (6, 4))
one("Bidirectional", L.Bidirectional(L.LSTM(3, return_sequences=True)), (6, 4))
one("Bidirectional sum", L.Bidirectional(L.GRU(3), merge_mode="sum"), (6, 4))
one("TimeDistributed", L.TimeDistributed(L.Conv2D(3, 2)), (3, 5, 4, 2))
i = keras.Input((5, 4))
case("LSTM with states", keras.Model(i, L.LSTM(3, return_state=True)(i)))
i = keras.Input((5,), dtype="int32")
case("Embedding", keras.Model(i, L.Embedding(9, 4)(i)), inputs=[np.array([[1, 0, 8, 3, 3]], np.float32)])
a, b = keras.Input((5, 6)), keras.Input((4, 6))
case("MultiHeadAttention", keras.Model([a, b], L.MultiHeadAttention(2, 3, value_dim=4)(a, b)))
a, b = keras.Input((5, 6)), keras.Input((4, 6))
case("Attention", keras.Model([a, b], L.Attention(use_scale=True)([a, b])))
a, b = keras.Input((5, 6)), keras.Input((4, 6))
case("AdditiveAttention", keras.Model([a, b], L.AdditiveAttention()([a, b])))
one("EinsumDense", L.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d"), (3, 4))


def nested(form):
    i = keras.Input((8, 8, 3), name="photo")
    x = L.Conv2D(4, 3, activation="relu", name="c1")(i)
    x = L.BatchNormalization(name="bn")(x)
    inner = keras.Sequential([keras.Input((6, 6, 4)), L.Conv2D(4, 1, name="i1"), L.BatchNormalization(name="ib"),
                              L.Conv2D(2, 1, name="i2")], name="inner")
    shared = L.Conv2D(2, 1, name="shared")
    x = inner(x)
    x = L.Add(name="sum")([shared(x), shared(L.ReLU(name="r")(x))])
    x = L.Dropout(0.5)(x)
    case("nested in ." + form, keras.Model(i, L.Dense(3, "softmax", name="out")(L.Flatten()(x))), form)


for form in ["keras", "h5", "weights.h5"]:
    nested(form)
case("Sequential in .h5", keras.Sequential([keras.Input((6, 6, 2)), L.Conv2D(3, 3), L.MaxPooling2D(), L.Flatten(),
                                            L.Dense(4)]), "h5")
json.dump(result, open(os.path.join(here, "layers.json"), "w"), indent=0)
print(len(result), "cases")
