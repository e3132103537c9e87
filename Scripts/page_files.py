"""Writes the files that the pages' commands name, such as photo.jpg and model.mlpackage, for Scripts/type_commands.py.

Each file is a small stand-in: pictures are those of the gallery, models are networks of the repository or have one or
two layers. `COMMON` lists the files that every page may name, `OF_PAGE` the files of single pages.
"""

import json
import shutil
import struct
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PHOTO = "Gallery/photos/astronaut.jpg"
STYLE = "Examples/Scream.mlmodel"
PAINTINGS = [f"Gallery/{style}/painting.jpg" for style in (
    "scream", "poppies", "great-wave", "starry-night", "cafe-terrace", "houses-auvers")]

COMMON = {
    **{name: PHOTO for name in ("photo.jpg", "me.jpg", "cat.jpg", "receipt.jpg", "photos/1.jpg", "photos/2.jpg")},
    **{name: PAINTINGS[0] for name in ("vangogh.jpg", "scream.jpg", "a.jpg", "painting.jpg")},
    **{name: PAINTINGS[1] for name in ("poppies.png", "b.jpg")},
    "great-wave.png": PAINTINGS[2],
    "sunflowers.jpg": PAINTINGS[5],
    **{name: STYLE for name in (
        "Style.mlmodel", "style.mlmodel", "Starry.mlmodel", "StarryNight.mlmodel", "model.mlmodel")},
    "many.mlmodel": "Gallery/styles.mlmodel",
    "Detector.mlmodel": "Tests/CommandLineTests/Expected/detector.mlmodel",
    "Drawings.mlmodel": "C/CStudioPages/pages/drawing.mlmodel",
    "wine.csv": "Tests/CreateMLTests/Expected/wine.csv",
}
# Pictures in folders that name their classes.
CLASSES = {
    **{f"{folder}/{label}/{index}.jpg": PAINTINGS[3 * row + index - 1]
       for folder in ("pets", "others", "more")
       for row, label in enumerate(("cat", "dog")) for index in (1, 2, 3)},
    **{f"mine/{label}/{index}.png": PAINTINGS[index] for label in ("house", "cat") for index in (1, 2)},
}
# A file without a source is made by the page's own commands.
OF_PAGE = {
    "Documentation/Training.md": {"many.mlmodel": None},
    "Documentation/Learning.md": CLASSES,
    "Documentation/LookingInside.md": {f"photos/{label}/1.jpg": PHOTO for label in ("Egyptian cat", "mask")},
}
HOME = {"models/Style.mlmodel": STYLE}


def write(page, folder, home, run, python):
    """Fills `folder` with the files of a page. `run` runs a command line there; `python` is a Python with h5py, or None."""
    for name in ("Documentation", "Examples", "Scripts", "Python"):
        (folder / name).symlink_to(ROOT / name)
    # Some commands write beside the photos, so the gallery is a copy.
    shutil.copytree(ROOT / "Gallery", folder / "Gallery")
    if page == "README.md":
        return
    files = COMMON | OF_PAGE.get(page, {})
    copy({name: source for name, source in files.items() if source}, folder)
    copy(HOME, home)
    (folder / "names.txt").write_text("".join(f"class {index}\n" for index in range(12)))
    makers = {
        "Documentation/Caffe.md": lambda: caffe(folder),
        "Documentation/Compressing.md": lambda: run("atelier convert style.mlmodel -o Model.mlpackage"),
        "Documentation/Converting.md": lambda: numeric(folder / "net.mlmodel", "data"),
        "Documentation/Film.md": lambda: films(run),
        "Documentation/Keras.md": lambda: keras(folder, python),
        "Documentation/LookingInside.md": lambda: run("atelier fetch vgg16 && atelier fetch squeezenet"),
        "Documentation/ONNX.md": lambda: run(f"atelier convert {STYLE} -o model.onnx"),
        "Documentation/Porting.md": lambda: package(folder.parent / "TheirPackage"),
        "Documentation/Programs.md": lambda: programs(folder, run),
        "Documentation/Quality.md": lambda: pairs(run),
        "Documentation/Quantized.md": lambda: programs(folder, run),
        "Documentation/Serving.md": lambda: run("atelier convert style.mlmodel -o Classifier.mlpackage"),
        "Documentation/SwiftPackages.md": lambda: programs(folder, run),
        "Documentation/Studio.md": lambda: (run("atelier fetch vgg16"), films(run)),
    }
    makers.get(page, lambda: None)()


def copy(files, folder):
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, folder / name)


# MARK: Films, packages, pictures

def films(run):
    test = "ffmpeg -loglevel error -f lavfi -i testsrc=duration=1:size=160x90:rate=8 -pix_fmt yuv420p"
    # The still of the page is 12.5 s after the beginning.
    run(test.replace("duration=1", "duration=13").replace("rate=8", "rate=2") + " holiday.mp4")
    run(f"{test} a.mp4 && {test} b.mkv && mkdir frames && ffmpeg -loglevel error -i a.mp4 frames/%03d.png")


def package(folder):
    (folder / "Sources/App").mkdir(parents=True)
    (folder / "Package.swift").write_text(
        '// swift-tools-version: 6.0\nimport PackageDescription\n'
        'let package = Package(name: "App", targets: [.executableTarget(name: "App")])\n')
    (folder / "Sources/App/main.swift").write_text("import CoreML\nprint(MLModel.self)\n")


def pairs(run):
    run("mkdir ours theirs")
    for style, folder in (("scream", "ours"), ("poppies", "theirs")):
        run(f"for n in 1 2; do atelier stylize photo.jpg --style {style} --size 96 -o {folder}/$n.png; done")


# MARK: Models

def numeric(file, name):
    """Writes a network that halves twelve numbers."""
    kind = field(5, b"".join(number(1, size) for size in (1, 3, 2, 2)) + number(2, 65568))
    half = text(1, "half") + text(2, name) + text(3, "y") + field(130, field(5, tag(1, 5) + struct.pack("<f", 0.5)))
    description = field(1, text(1, name) + field(3, kind)) + field(10, text(1, "y") + field(3, kind))
    file.write_bytes(number(1, 4) + field(2, description) + field(500, field(1, half) + number(5, 1)))


def programs(folder, run):
    numeric(folder / "x.mlmodel", "x")
    array(folder / "x.npy", [1, 3, 2, 2])
    (folder / "inputs").mkdir()
    shutil.copy(folder / "x.npy", folder / "inputs/x.npy")
    for name in ("model", "model16", "model32", "Model"):
        run(f"atelier convert x.mlmodel -o {name}.mlpackage")
    for name in ("answers", "recorded"):
        run(f"atelier predict model.mlpackage --input x=x.npy -o {name}")


def array(file, shape):
    count = 1
    for size in shape:
        count *= size
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    file.write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{count}f", *range(count)))


def caffe(folder):
    """Writes a classifier of twelve classes, under the names of two networks that are too large for a test."""
    layers = "".join(
        f'layer {{ name: "{name}" type: "{kind}" bottom: "{bottom}" top: "{name}" {rest} }}\n'
        for name, kind, bottom, rest in (
            ("fc", "InnerProduct", "data", "inner_product_param { num_output: 12 }"), ("prob", "Softmax", "fc", "")))
    network = (
        'name: "small"\nlayer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8'
        f" dim: 8 }} }} }}\n{layers}")

    def blob(*shape):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = struct.pack(f"<{count}f", *(index % 7 / 1000 for index in range(count)))
        return field(7, field(7, field(1, b"".join(varint(size) for size in shape))) + field(5, values))

    weights = text(1, "small") + field(
        100, text(1, "fc") + text(2, "InnerProduct") + text(3, "data") + text(4, "fc") + blob(12, 192) + blob(12))
    (folder / "synset_words.txt").write_text("".join(f"n{index:08} class {index}\n" for index in range(12)))
    for description, values in (
            ("VGG_ILSVRC_16_layers_deploy.prototxt", "VGG_ILSVRC_16_layers_deploy.caffemodel"),
            ("deploy.prototxt", "bvlc_googlenet.caffemodel")):
        (folder / description).write_text(network)
        (folder / values).write_bytes(weights)


def keras(folder, python):
    """Writes a dense network as model.h5, and a network with two Lambda layers as architecture.json and weights.h5."""
    if python is None:
        raise RuntimeError("pip cannot install h5py")

    def layer(kind, name, before, **config):
        calls = [[[before, 0, 0, {}]]] if before else []
        return {"class_name": kind, "name": name, "config": {"name": name, **config}, "inbound_nodes": calls}

    def function(name):
        return {"function": name, "function_type": "function", "module": "styles", "arguments": {}}

    def model(layers):
        return {"class_name": "Functional", "backend": "tensorflow", "keras_version": "2.11.0", "config": {
            "name": "model", "layers": layers, "input_layers": [[layers[0]["name"], 0, 0]],
            "output_layers": [[layers[-1]["name"], 0, 0]]}}

    dense = model([
        layer("InputLayer", "input", None, batch_input_shape=[None, 4], dtype="float32"),
        layer("Dense", "dense", "input", units=2, activation="linear", use_bias=True)])
    style = model([
        layer("InputLayer", "image", None, batch_input_shape=[None, 16, 16, 3], dtype="float32"),
        layer("Conv2D", "conv", "image", filters=3, kernel_size=[3, 3], strides=[1, 1], padding="same",
              data_format="channels_last", activation="tanh", use_bias=True),
        layer("Lambda", "res_crop_0", "conv", **function("res_crop")),
        layer("Lambda", "rescale_output", "res_crop_0", **function("rescale_output"))])
    (folder / "architecture.json").write_text(json.dumps(style))
    writer = """
import h5py, numpy, sys
def write(file, config, name, kernel):
    with h5py.File(file, "w") as out:
        group = out
        if config:
            out.attrs["model_config"] = config
            out.attrs["keras_version"], out.attrs["backend"] = "2.11.0", "tensorflow"
            group = out.create_group("model_weights")
        group.attrs["layer_names"] = [name.encode()]
        layer = group.create_group(name)
        layer.attrs["weight_names"] = [(name + "/kernel:0").encode(), (name + "/bias:0").encode()]
        layer.create_dataset(name + "/kernel:0", data=numpy.full(kernel, 0.1, "f4"))
        layer.create_dataset(name + "/bias:0", data=numpy.zeros(kernel[-1], "f4"))
write("model.h5", sys.argv[1], "dense", (4, 2))
write("weights.h5", None, "conv", (3, 3, 3, 3))
"""
    subprocess.run([python, "-c", writer, json.dumps(dense)], cwd=folder, check=True)


# MARK: The protobuf wire format

def varint(value):
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(found + bytes([value]))


def tag(index, kind):
    return varint(index << 3 | kind)


def number(index, value):
    return tag(index, 0) + varint(value)


def field(index, content):
    return tag(index, 2) + varint(len(content)) + content


def text(index, value):
    return field(index, value.encode())
