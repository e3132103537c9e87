#!/usr/bin/env python3
"""Writes layers.json: the results of ncnn for small networks, for comparison in the tests.

Needs ncnn (PyPI, 1.0.20261020) and numpy. Weights are random (seed 7).
"""
import base64, json, os, struct, tempfile
import ncnn
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)


def ramp(shape):
    """The same input as in the tests."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7919 % 1009) / 1009.0 - 0.4).astype(np.float32).reshape(shape)


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def plain(*shape, positive=False):
    """Numbers in float32, without a tag."""
    values = rng.standard_normal(shape).astype(np.float32) * 0.5
    return (np.abs(values) + 0.5 if positive else values).astype(np.float32).tobytes()


def tagged(*shape):
    """Numbers in float32 with a tag."""
    return struct.pack("<I", 0) + plain(*shape)


def half(*shape):
    """Numbers in float16 with a tag."""
    values = (rng.standard_normal(shape) * 0.5).astype(np.float16)
    return struct.pack("<I", 0x01306B47) + padded(values.tobytes())


def looked_up(*shape):
    """Indices into a table of 256 numbers."""
    count = int(np.prod(shape))
    table = (rng.standard_normal(256) * 0.5).astype(np.float32)
    indices = rng.integers(0, 256, count).astype(np.uint8)
    return struct.pack("<I", 1) + table.tobytes() + padded(indices.tobytes())


def network(lines, shape):
    """The text of a network with one input of a shape without batch axis."""
    sizes = {3: "0={2} 1={1} 2={0}", 2: "0={1} 1={0}", 1: "0={0}"}[len(shape)].format(*shape)
    lines = [f"Input data 0 1 data {sizes}"] + lines
    blobs = {name for line in lines for name in line.split()[4:] if "=" not in name}
    return "7767517\n" + f"{len(lines)} {len(blobs)}\n" + "\n".join(lines) + "\n"


def run(text, weights, shape):
    with tempfile.TemporaryDirectory() as folder:
        param, binary = os.path.join(folder, "n.param"), os.path.join(folder, "n.bin")
        open(param, "w").write(text)
        open(binary, "wb").write(weights)
        net = ncnn.Net()
        net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
        net.opt.use_bf16_storage = False
        net.opt.use_packing_layout = False
        net.opt.use_winograd_convolution = net.opt.use_sgemm_convolution = False
        net.opt.lightmode = False
        assert net.load_param(param) == 0 and net.load_model(binary) == 0
        extractor = net.create_extractor()
        pixels = ramp(shape)  # ncnn.Mat keeps no reference to the array.
        extractor.input("data", ncnn.Mat(pixels).clone())
        code, made = extractor.extract("made")
        assert code == 0, text
        return np.array(made, np.float32)


cases = []


def case(name, lines, shape=(6, 7, 9), weights=b""):
    lines = [lines] if isinstance(lines, str) else lines
    text = network(lines, shape)
    made = run(text, weights, shape)
    cases.append({
        "name": name, "param": text, "weights": base64.b64encode(weights).decode(),
        "input": [1, *shape], "shape": [1, *made.shape],
        "values": base64.b64encode(made.astype("<f4").tobytes()).decode(),
    })


def one(kind, parameters=""):
    return f"{kind} layer 1 1 data made {parameters}"


case("convolution", one("Convolution", "0=8 1=3 4=1 5=1 6=432"), weights=tagged(8, 6, 3, 3) + plain(8))
case("convolution, float16", one("Convolution", "0=5 1=3 6=270"), weights=half(5, 6, 3, 3))
case("convolution, table", one("Convolution", "0=5 1=3 5=1 6=270"), weights=looked_up(5, 6, 3, 3) + plain(5))
case("convolution, odd", one("Convolution", "0=4 1=3 11=2 2=2 12=1 3=2 13=1 4=2 14=1 15=0 16=2 5=1 6=144"), weights=tagged(4, 6, 2, 3) + plain(4))
case("convolution, same", one("Convolution", "0=4 1=4 3=2 4=-233 5=1 6=384"), weights=tagged(4, 6, 4, 4) + plain(4))
case("convolution, same lower", one("Convolution", "0=4 1=4 3=2 4=-234 5=1 6=384"), weights=tagged(4, 6, 4, 4) + plain(4))
for number, numbers in [(1, ""), (2, "-23310=1,0.2"), (3, "-23310=2,-0.3,0.4"), (4, ""), (5, ""), (6, "-23310=2,0.166667,0.5")]:
    case(f"convolution, activation {number}", one("Convolution", f"0=4 1=1 5=1 6=24 9={number} {numbers}"), weights=tagged(4, 6) + plain(4))
case("depthwise", one("ConvolutionDepthWise", "0=6 1=3 4=1 5=1 6=54 7=6"), weights=tagged(6, 9) + plain(6))
case("groups", one("ConvolutionDepthWise", "0=4 1=3 5=1 6=108 7=2"), weights=tagged(4, 3, 3, 3) + plain(4))
case("deconvolution", one("Deconvolution", "0=4 1=3 3=2 4=1 5=1 6=216 18=1 19=1"), weights=tagged(4, 6, 3, 3) + plain(4))
case("deconvolution, groups", one("DeconvolutionDepthWise", "0=4 1=2 3=2 5=1 6=48 7=2"), weights=tagged(4, 3, 2, 2) + plain(4))
case("inner product", one("InnerProduct", "0=5 1=1 2=1890"), weights=tagged(5, 378) + plain(5))
case("inner product of rows", one("InnerProduct", "0=5 1=1 2=45 9=1"), (7, 9), tagged(5, 9) + plain(5))
case("inner product of a vector", one("InnerProduct", "0=5 2=60"), (12,), half(5, 12))
case("memory", ["MemoryData memory 0 1 memory 0=9 1=7 2=6", "BinaryOp layer 2 1 data memory made 0=0"], weights=plain(6, 7, 9))
case("maximum", one("Pooling", "0=0 1=3 2=2 3=1 5=1"))
case("maximum, rounded up", one("Pooling", "0=0 1=2 2=2"))
case("maximum, rounded up, padded", one("Pooling", "0=0 1=3 2=2 3=1"))
case("average", one("Pooling", "0=1 1=3 2=2 3=1 5=1"))
case("average that counts padding", one("Pooling", "0=1 1=3 2=2 3=1 5=1 6=1"))
case("average, rounded up", one("Pooling", "0=1 1=2 2=2"))
case("average, same", one("Pooling", "0=1 1=3 2=2 5=2"))
case("average, same lower", one("Pooling", "0=1 1=2 2=2 5=3"))
case("global average", one("Pooling", "0=1 4=1"))
case("global maximum", one("Pooling", "0=0 4=1"))
case("adaptive average", one("Pooling", "0=1 7=1 8=1"))
case("batch norm", one("BatchNorm", "0=6 1=0.001"), weights=plain(6) + plain(6) + plain(6, positive=True) + plain(6))
case("batch norm of a vector", one("BatchNorm", "0=12 1=0.001"), (12,), plain(12) + plain(12) + plain(12, positive=True) + plain(12))
case("scale", one("Scale", "0=6 1=1"), weights=plain(6) + plain(6))
case("scale by an input", ["Split split 1 2 data a b", "Pooling pool 1 1 a scales 0=1 4=1", "Scale layer 2 1 b scales made 0=-233"])
case("bias", one("Bias", "0=6"), weights=plain(6))
case("instance norm", one("InstanceNorm", "0=6 1=0.001"), weights=plain(6) + plain(6))
case("instance norm, no weights", one("InstanceNorm", "0=6 1=0.001 2=0"))
case("local response", one("LRN", "1=3 2=0.5 3=0.75 4=2"))
case("relu", one("ReLU"))
case("leaky relu", one("ReLU", "0=0.1"))
case("prelu", one("PReLU", "0=6"), weights=plain(6))
case("prelu, shared", one("PReLU", "0=1"), weights=plain(1))
case("prelu of a vector", one("PReLU", "0=12"), (12,), plain(12))
for kind, parameters in [
    ("ELU", "0=0.7"), ("SELU", ""), ("GELU", "0=0"), ("GELU", "0=1"), ("Sigmoid", ""), ("TanH", ""), ("Swish", ""),
    ("Mish", ""), ("HardSigmoid", ""), ("HardSwish", ""), ("HardSwish", "0=0.1666667"), ("BNLL", ""), ("Softplus", ""),
    ("AbsVal", ""), ("Clip", "0=-0.2 1=0.3"), ("Dropout", ""), ("Noop", "")]:
    case(f"{kind} {parameters}".strip(), one(kind, parameters))
for axis in (0, 1, 2, -1):
    case(f"softmax {axis}", one("Softmax", f"0={axis} 1=1"))
for number in list(range(5)) + [7, 9, 10, 11, 12, 13, 14, 15, 16]:
    case(f"unary {number}", one("UnaryOp", f"0={number}"))
for number in (5, 6, 8, 17):
    case(f"unary {number}", ["AbsVal abs 1 1 data a", f"UnaryOp layer 1 1 a made 0={number}"])
case("unary 18", one("UnaryOp", "0=18"))
for number in range(10):
    case(f"binary {number}", ["AbsVal abs 1 1 data a", "Split split 1 2 a b c", "UnaryOp exp 1 1 b d 0=7", f"BinaryOp layer 2 1 c d made 0={number}"])
    case(f"binary {number} with a number", ["AbsVal abs 1 1 data a", f"BinaryOp layer 1 1 a made 0={number} 1=1 2=1.5"])
case("binary, channels", ["Split split 1 2 data a b", "Pooling pool 1 1 b c 0=1 4=1", "BinaryOp layer 2 1 a c made 0=2"])
case("binary, channels first", ["Split split 1 2 data a b", "Pooling pool 1 1 b c 0=1 4=1", "BinaryOp layer 2 1 c a made 0=1"])
case("binary, columns", ["MemoryData memory 0 1 m 0=9", "BinaryOp layer 2 1 data m made 0=0"], weights=plain(9))
case("binary, one", ["MemoryData memory 0 1 m 0=1", "BinaryOp layer 2 1 data m made 0=0"], weights=plain(1))
case("binary, rows of channels", ["MemoryData memory 0 1 m 0=7 1=6", "BinaryOp layer 2 1 data m made 0=0"], weights=plain(6, 7))
case("binary of a matrix and a vector", ["MemoryData memory 0 1 m 0=7", "BinaryOp layer 2 1 data m made 0=0"], (7, 9), plain(7))
for number in range(3):
    case(f"eltwise {number}", ["Split split 1 3 data a b c", "Sigmoid s 1 1 b d", "TanH t 1 1 c e", f"Eltwise layer 3 1 a d e made 0={number}"])
case("eltwise with factors", ["Split split 1 2 data a b", "Sigmoid s 1 1 b c", "Eltwise layer 2 1 a c made 0=1 -23301=2,0.5,-2.0"])
for axis in (0, 1, 2):
    case(f"concat {axis}", ["Split split 1 2 data a b", "Sigmoid s 1 1 b c", f"Concat layer 2 1 a c made 0={axis}"])
case("slice", ["Slice layer 1 2 data a b -23300=2,2,-233", "Pooling p 1 1 a c 0=1 4=1", "Pooling q 1 1 b d 0=1 4=1", "Concat e 2 1 c d made"])
case("slice in shares", ["Slice layer 1 3 data a b c -23300=3,-233,-233,-233 1=1", "BinaryOp d 2 1 a b e", "BinaryOp f 2 1 e c made"], (3, 6, 5))
case("slice by indices", ["Slice layer 1 2 data a b -23302=1,4 1=0", "Pooling p 1 1 a c 0=1 4=1", "Pooling q 1 1 b d 0=1 4=1", "Concat e 2 1 c d made"])
case("flatten", one("Flatten"))
case("reshape", one("Reshape", "0=-1 1=6"))
case("reshape to a map", one("Reshape", "0=9 1=14 2=3"))
case("reshape that keeps", one("Reshape", "0=0 1=-1 2=3"))
for order in range(6):
    case(f"permute {order}", one("Permute", f"0={order}"))
case("permute a matrix", one("Permute", "0=1"), (7, 9))
case("padding", one("Padding", "0=1 1=2 2=3 3=0 4=0 5=0.7"))
case("padding, edge", one("Padding", "0=1 1=2 2=3 3=0 4=1"))
case("padding, reflection", one("Padding", "0=1 1=2 2=3 3=0 4=2"))
case("crop", one("Crop", "0=1 1=2 2=3 3=4 4=3 5=2"))
case("crop, ends", one("Crop", "0=1 1=2 2=0 3=-233 4=-233 5=-233 6=2 7=1"))
case("crop by axes", one("Crop", "-23309=2,1,2 -23310=2,4,-1 -23311=2,0,2"))
case("shuffled channels", one("ShuffleChannel", "0=2"))
case("shuffled channels, reversed", one("ShuffleChannel", "0=2 1=1"))
case("pixel shuffle", one("PixelShuffle", "0=2"), (8, 3, 5))
case("pixel shuffle, blocks first", one("PixelShuffle", "0=2 1=1"), (8, 3, 5))
case("reorganised", one("Reorg", "0=2"), (3, 4, 6))
case("reorganised, blocks first", one("Reorg", "0=2 1=1"), (3, 4, 6))
case("nearest", one("Interp", "0=1 1=2.0 2=3.0"))
case("nearest to a size", one("Interp", "0=1 3=11 4=5"))
case("bilinear", one("Interp", "0=2 1=2.0 2=3.0"))
case("bilinear, reduced", one("Interp", "0=2 1=0.5 2=0.5"), (3, 8, 12))
case("bilinear to a size", one("Interp", "0=2 3=11 4=5"))
case("bilinear, corners", one("Interp", "0=2 3=13 4=17 6=1"))
case("bicubic, half", one("Interp", "0=3 1=0.5 2=0.5"), (3, 8, 12))
case("bicubic, quarter and third", one("Interp", "0=3 1=0.25 2=0.33333333"), (3, 8, 12))
case("bicubic, sixth", one("Interp", "0=3 1=0.16666667 2=0.5"), (2, 18, 12))
case("a small upscaler", [
    "Split split 1 2 data a b", "Convolution c 1 1 b d 0=8 1=3 4=1 5=1 6=216", "PReLU p 1 1 d e 0=8",
    "Convolution f 1 1 e g 0=12 1=3 4=1 5=1 6=864", "PixelShuffle h 1 1 g i 0=2", "Interp j 1 1 a k 0=1 1=2.0 2=2.0",
    "BinaryOp l 2 1 i k m 0=0", "Interp n 1 1 m made 0=3 1=0.5 2=0.5"], (3, 6, 8),
    half(8, 3, 3, 3) + plain(8) + plain(8) + half(12, 8, 3, 3) + plain(12))

with open(os.path.join(here, "layers.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases")
