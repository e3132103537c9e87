#!/usr/bin/env python3
"""Writes starry-night.json: the architecture of the book's network (“Machine Learning with Core ML”, chapter 6) in
Keras 2's format, from the book's summary: names, types and sizes of the layers. The weights are in a separate file.
"""
import json, os

layers = []


def layer(kind, name, inputs, **config):
    config["name"] = name
    layers.append(dict(class_name=kind, config=config, name=name,
                       inbound_nodes=[[[i, 0, 0, {}] for i in inputs]] if inputs else []))
    return name


def conv(number, source, filters, size, stride, padding, activation="linear"):
    return layer("Conv2D", f"conv2d_{number}", [source], filters=filters, kernel_size=[size, size],
                 strides=[stride, stride], padding=padding, data_format="channels_last", dilation_rate=[1, 1],
                 activation=activation, use_bias=True)


def norm(number, source):
    return layer("BatchNormalization", f"batch_normalization_{number}", [source], axis=-1, epsilon=1e-3, center=True,
                 scale=True)


def relu(number, source):
    return layer("Activation", f"activation_{number}", [source], activation="relu")


def code(name, function, source):
    return layer("Lambda", name, [source], function=function, function_type="function", output_shape=None,
                 output_shape_type="raw", arguments={})


x = layer("InputLayer", "input_1", [], batch_input_shape=[None, 320, 320, 3], dtype="float32")
x = layer("ZeroPadding2D", "zero_padding2d_1", [x], padding=[[40, 40], [40, 40]], data_format="channels_last")
for number, (size, stride) in enumerate([(9, 1), (3, 2), (3, 2)], 1):
    x = relu(number, norm(number, conv(number, x, 64, size, stride, "same")))
for block in range(5):
    first = 4 + 2 * block
    y = relu(4 + block, norm(first, conv(first, x, 64, 3, 1, "valid")))
    y = norm(first + 1, conv(first + 1, y, 64, 3, 1, "valid"))
    x = layer("Add", f"add_{block + 1}", [y, code(f"res_crop_{block}", "res_crop", x)])
for block in range(2):
    x = layer("UpSampling2D", f"up_sampling2d_{block + 1}", [x], size=[2, 2], data_format="channels_last")
    x = relu(9 + block, norm(14 + block, conv(14 + block, x, 64, 3, 1, "same")))
x = code("rescale_output", "rescale_output", conv(16, x, 3, 9, 1, "same", "tanh"))

model = dict(class_name="Model", keras_version="2.0.6", backend="tensorflow",
             config=dict(name="model_1", layers=layers, input_layers=[["input_1", 0, 0]], output_layers=[[x, 0, 0]]))
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "starry-night.json")
json.dump(model, open(path, "w"), indent=1)
