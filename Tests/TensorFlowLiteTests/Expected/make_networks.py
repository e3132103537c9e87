"""Writes a file of common networks with random weights and LiteRT's answers, for ATELIER_LITE_CASES.

    pip install ai-edge-litert tensorflow-cpu
    python make_networks.py networks.json
"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy
import tensorflow as tf

from lite import case, write

random = numpy.random.default_rng(3)
keras = tf.keras
keras.utils.set_random_seed(5)


def spread(network):
    """Gives batch norms random parameters that keep the magnitude of values about the same."""
    for layer in network.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            count = layer.gamma.shape[0]
            layer.set_weights([
                random.uniform(0.7, 1.3, count), random.normal(0, 0.3, count),
                random.normal(0, 0.2, count), random.uniform(0.3, 1.2, count)])
    return network


def deeplab():
    x = picture = keras.Input((65, 65, 3), batch_size=1)
    x = keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu6")(x)
    x = keras.layers.DepthwiseConv2D(3, dilation_rate=2, padding="same")(x)
    x = keras.layers.BatchNormalization()(x)
    x = keras.layers.ReLU(6)(x)
    branches = [keras.layers.Conv2D(8, 3, dilation_rate=rate, padding="same", activation="relu")(x)
                for rate in (1, 2, 4)]
    pooled = keras.layers.GlobalAveragePooling2D(keepdims=True)(x)
    pooled = keras.layers.Conv2D(8, 1, activation="relu")(pooled)
    pooled = keras.layers.Resizing(33, 33)(pooled)
    x = keras.layers.Concatenate()(branches + [pooled])
    x = keras.layers.Conv2D(5, 1)(x)
    x = keras.layers.Resizing(65, 65)(x)
    return keras.Model(picture, keras.layers.Softmax()(x))


def pose():
    x = picture = keras.Input((64, 64, 3), batch_size=1)
    for channels in (12, 24):
        x = keras.layers.SeparableConv2D(channels, 3, strides=2, padding="same")(x)
        x = keras.layers.PReLU(shared_axes=[1, 2])(x)
    skip = x
    x = keras.layers.MaxPooling2D(2)(x)
    x = keras.layers.Conv2D(24, 3, padding="same", activation="hard_swish")(x)
    x = keras.layers.Conv2DTranspose(24, 3, strides=2, padding="same")(x)
    x = keras.layers.Add()([x, skip])
    heat = keras.layers.Conv2D(17, 1, activation="sigmoid")(x)
    offsets = keras.layers.Reshape((-1, 2))(keras.layers.Conv2D(34, 1)(x))
    return keras.Model(picture, [heat, offsets])


def attention():
    x = picture = keras.Input((32, 32, 3), batch_size=1)
    x = keras.layers.Conv2D(32, 8, strides=8)(x)
    x = keras.layers.Reshape((16, 32))(x)
    y = keras.layers.LayerNormalization()(x)
    y = keras.layers.MultiHeadAttention(4, 8)(y, y)
    x = keras.layers.Add()([x, y])
    y = keras.layers.Dense(64, activation="gelu")(keras.layers.LayerNormalization()(x))
    x = keras.layers.Add()([x, keras.layers.Dense(32)(y)])
    return keras.Model(picture, keras.layers.Dense(10)(keras.layers.GlobalAveragePooling1D()(x)))


def application(make, size, **settings):
    return make(input_shape=(size, size, 3), weights=None, classes=10, **settings)


networks = {
    "MobileNet": lambda: application(keras.applications.MobileNet, 96, alpha=0.25),
    "MobileNetV2": lambda: application(keras.applications.MobileNetV2, 96, alpha=0.35),
    "MobileNetV3": lambda: application(keras.applications.MobileNetV3Small, 96),
    "DeepLab": deeplab, "pose": pose, "attention": attention,
    "EfficientNet": lambda: application(keras.applications.EfficientNetV2B0, 64),
}
cases = []
for name, make in networks.items():
    network = spread(make())
    size = network.inputs[0].shape[1]
    low, high = (0, 255) if name in ("MobileNetV3", "EfficientNet") else (-1, 1)
    shape = (1, size, size, 3)

    def samples():
        for _ in range(16):
            yield [random.uniform(low, high, shape).astype("float32")]

    for kind in ["float32", "float16", "dynamic", "int8", "int16"]:
        if kind == "int16" and name in ("attention", "EfficientNet", "MobileNetV3"):
            continue
        converter = tf.lite.TFLiteConverter.from_keras_model(network)
        if kind != "float32":
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if kind == "float16":
            converter.target_spec.supported_types = [tf.float16]
        if kind in ("int8", "int16"):
            converter.representative_dataset = samples
        if kind == "int8":
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = tf.int8
        if kind == "int16":
            converter.target_spec.supported_ops = [
                tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
        try:
            content = converter.convert()
            picture = random.uniform(low, high, shape).astype("float32")
            if kind == "int8":
                picture = random.integers(-128, 128, shape).astype("int8")
            tolerance = {"float32": 1e-4, "float16": 1e-4, "dynamic": 0.1}.get(kind, 0.05)
            cases.append(case(f"{name} {kind}", content, [picture], tolerance,
                              reference=False, steps=4))
            print(name, kind, len(content), flush=True)
        except Exception as error:
            print("FAILED", name, kind, str(error)[:400], flush=True)
    write(sys.argv[1], cases)
