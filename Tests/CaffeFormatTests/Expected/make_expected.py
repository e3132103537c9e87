#!/usr/bin/env python3
"""Writes layers.json and models.json: the results of OpenCV's Caffe reader, for comparison in the tests.

Needs opencv-python-headless and numpy. Usage: make_expected.py FOLDER_OF_CAFFE_MODELS [RESNET_FOLDER]
layers.json contains small networks with random weights (seed 7); models.json contains results of real networks.
"""
import base64, json, os, struct, sys
import cv2
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))


def ramp(shape):
    """The same input as in the tests."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7919 % 1009) / 1009.0 - 0.4).astype(np.float32).reshape(shape)


def varint(n):
    out = b""
    while True:
        out += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if not n:
            return out


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def blob(a):
    a = np.asarray(a, np.float32)
    shape = field(1, b"".join(varint(d) for d in a.shape))
    return field(7, shape) + field(5, a.tobytes())


def model(layers):
    out = b""
    for name, kind, blobs in layers:
        out += field(100, field(1, name.encode()) + field(2, kind.encode())
                     + b"".join(field(7, blob(b)) for b in blobs))
    return out


rng = np.random.default_rng(7)


def r(*shape):
    return rng.standard_normal(shape) * 0.5


def head(shape):
    dims = " ".join(f"dim: {d}" for d in shape)
    return f'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ {dims} }} }} }}\n'


def one(kind, parameters, bottoms=("data",), name="made"):
    reads = " ".join(f'bottom: "{b}"' for b in bottoms)
    return f'layer {{ name: "{name}" type: "{kind}" {reads} top: "{name}" {parameters} }}\n'


cases = []


def case(name, shape, text, weights=()):
    cases.append((name, shape, head(shape) + text, model(weights)))


picture = (1, 4, 9, 11)
case("convolution", picture, one("Convolution", "convolution_param { num_output: 6 kernel_size: 3 pad: 1 stride: 2 }"),
     [("made", "Convolution", [r(6, 4, 3, 3), r(6)])])
case("convolution with sides", picture,
     one("Convolution", "convolution_param { num_output: 6 kernel_h: 3 kernel_w: 1 pad_h: 1 pad_w: 0 stride_h: 1 stride_w: 2 group: 2 bias_term: false }"),
     [("made", "Convolution", [r(6, 2, 3, 1)])])
case("dilated convolution", picture, one("Convolution", "convolution_param { num_output: 3 kernel_size: 3 dilation: 2 pad: 2 }"),
     [("made", "Convolution", [r(3, 4, 3, 3), r(3)])])
case("deconvolution", picture, one("Deconvolution", "convolution_param { num_output: 4 kernel_size: 4 stride: 2 pad: 1 group: 4 bias_term: false }"),
     [("made", "Deconvolution", [r(4, 1, 4, 4)])])
case("deconvolution with bias", picture, one("Deconvolution", "convolution_param { num_output: 5 kernel_size: 3 stride: 2 }"),
     [("made", "Deconvolution", [r(4, 5, 3, 3), r(5)])])
case("maximum, ceiling", (1, 3, 10, 13), one("Pooling", "pooling_param { pool: MAX kernel_size: 3 stride: 2 }"))
case("average, ceiling", (1, 3, 10, 13), one("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 }"))
case("average with a border", (1, 3, 9, 9), one("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }"))
case("maximum with a border", (1, 3, 10, 10), one("Pooling", "pooling_param { pool: MAX kernel_size: 3 stride: 2 pad: 1 }"))
case("global average", picture, one("Pooling", "pooling_param { pool: AVE global_pooling: true }"))
case("inner product", picture, one("InnerProduct", "inner_product_param { num_output: 7 }"),
     [("made", "InnerProduct", [r(7, 4 * 9 * 11), r(7)])])
case("batch norm and scale", picture,
     one("BatchNorm", "batch_norm_param { use_global_stats: true eps: 0.001 }", name="norm")
     + one("Scale", "scale_param { bias_term: true }", ("norm",)),
     [("norm", "BatchNorm", [r(4), np.abs(r(4)) + 0.1, [2.5]]), ("made", "Scale", [r(4), r(4)])])
case("local response", (1, 7, 5, 5), one("LRN", "lrn_param { local_size: 5 alpha: 0.3 beta: 0.75 }"))
case("local response within", (1, 3, 7, 7), one("LRN", "lrn_param { local_size: 3 alpha: 0.5 beta: 0.75 norm_region: WITHIN_CHANNEL }"))
case("mean and variance", picture, one("MVN", "mvn_param { eps: 0.001 }"))
case("leaky", picture, one("ReLU", "relu_param { negative_slope: 0.1 }"))
case("parametric", picture, one("PReLU", ""), [("made", "PReLU", [r(4)])])
for kind in ["Sigmoid", "TanH", "ELU", "AbsVal", "BNLL", "Softmax"]:
    case(kind, picture, one(kind, ""))
case("softmax at the end", picture, one("Softmax", "softmax_param { axis: 3 }"))
case("power", picture, one("Power", "power_param { power: 2 scale: 0.5 shift: 1 }"))
case("exponential", picture, one("Exp", "exp_param { scale: 0.5 shift: 0.1 }"))
case("sum", picture, one("Sigmoid", "", name="a") + one("TanH", "", name="b")
     + one("Eltwise", "eltwise_param { operation: SUM coeff: 2 coeff: -0.5 }", ("a", "b")))
case("product", picture, one("Sigmoid", "", name="a") + one("TanH", "", name="b")
     + one("Eltwise", "eltwise_param { operation: PROD }", ("a", "b")))
case("maximum of two", picture, one("Sigmoid", "", name="a") + one("TanH", "", name="b")
     + one("Eltwise", "eltwise_param { operation: MAX }", ("a", "b")))
case("concat", picture, one("Sigmoid", "", name="a") + one("TanH", "", name="b") + one("Concat", "", ("a", "b")))
case("concat of rows", picture, one("Sigmoid", "", name="a") + one("TanH", "", name="b")
     + one("Concat", "concat_param { axis: 2 }", ("a", "b")))
case("slice", picture,
     'layer { name: "cut" type: "Slice" bottom: "data" top: "a" top: "b" slice_param { axis: 1 slice_point: 1 } }\n'
     + one("TanH", "", ("b",), "c") + one("Concat", "", ("c", "a")))
case("crop", picture, one("Pooling", "pooling_param { pool: MAX kernel_size: 3 }", name="small")
     + one("Crop", "crop_param { axis: 2 offset: 1 }", ("data", "small")))
case("permute and flatten", picture, one("Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }", name="p")
     + one("Flatten", "flatten_param { axis: 1 }", ("p",)))
case("reshape", picture, one("Reshape", "reshape_param { shape { dim: 0 dim: -1 dim: 9 } }"))
case("dropout and in place", picture, one("Convolution", "convolution_param { num_output: 2 kernel_size: 1 }", name="c")
     + 'layer { name: "r" type: "ReLU" bottom: "c" top: "c" }\n'
     + 'layer { name: "d" type: "Dropout" bottom: "c" top: "c" dropout_param { dropout_ratio: 0.5 } }\n'
     + one("Power", "power_param { scale: 3 }", ("c",)),
     [("c", "Convolution", [r(2, 4, 1, 1), r(2)])])


def forward(text, weights, shape):
    net = cv2.dnn.readNetFromCaffe(np.frombuffer(text.encode(), np.uint8),
                                   np.frombuffer(weights, np.uint8) if weights else np.zeros(0, np.uint8))
    net.setInput(ramp(shape), "data")
    return net.forward("made")


result = []
for name, shape, text, weights in cases:
    out = forward(text, weights, shape)
    result.append(dict(name=name, input=list(shape), prototxt=text, weights=base64.b64encode(weights).decode(),
                       shape=list(out.shape), values=[float(f"{v:.7g}") for v in out.ravel()]))
json.dump(result, open(os.path.join(here, "layers.json"), "w"), indent=0)


def real(folder, text, weights, shape, outputs):
    own = os.path.join(here, text)
    t = open(own if os.path.exists(own) else os.path.join(folder, text)).read().replace("dim: 64 dim: 1 dim: 28", "dim: 1 dim: 1 dim: 28")
    net = cv2.dnn.readNetFromCaffe(np.frombuffer(t.encode(), np.uint8),
                                   np.fromfile(os.path.join(folder, weights), np.uint8))
    net.setInput(ramp(shape), "data")
    return dict(prototxt=text, weights=weights, input=list(shape),
                outputs={o: [float(f"{v:.7g}") for v in net.forward(o).ravel()] for o in outputs})


models = [
    real(sys.argv[1], "lenet.prototxt", "lenet_iter_10000.caffemodel", (1, 1, 28, 28), ["prob"]),
    real(sys.argv[1], "det1.prototxt", "det1.caffemodel", (1, 3, 12, 12), ["prob", "bbox_pred", "landmark_pred"]),
    real(sys.argv[1], "rnet.prototxt", "det2.caffemodel", (1, 3, 24, 24), ["prob", "bbox_pred", "landmark_pred"]),
]
if len(sys.argv) > 2:
    models.append(real(sys.argv[2], "deploy.prototxt", "resnet_50_1by2_nsfw.caffemodel", (1, 3, 224, 224),
                       ["prob", "fc_nsfw"]))
json.dump(models, open(os.path.join(here, "models.json"), "w"), indent=0)
