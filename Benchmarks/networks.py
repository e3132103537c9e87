"""The networks that are timed, and the twins in ONNX that peers run."""

import os
import subprocess


class Network:
    """A network: Atelier's file, its size, and a twin in ONNX; Atelier makes one where none is."""

    def __init__(self, key, title, file, side, twin=None, classifier=False):
        self.key, self.title, self.file, self.side = key, title, file, side
        self.twin, self.classifier = twin, classifier
        # A new process that began on a busy machine needs a third of a second to believe that it is
        # idle now.
        self.warm_up = 300 if classifier else max(3, 6_000_000 // side**2)

    def onnx(self, atelier, folder):
        """The path of the twin; None where it cannot be made."""
        if self.twin and os.path.exists(self.twin):
            return self.twin
        path = os.path.join(folder, f"{self.key}.onnx")
        if not os.path.exists(path):
            done = subprocess.run(
                [atelier, "convert", self.file, "-o", path, "--precision", "float32"],
                capture_output=True, text=True)
            if done.returncode:
                print(f"{self.title}: no twin in ONNX: {done.stderr.strip()}")
                return None
        return path


def known(shared, cache):
    """All networks of the table whose files are at hand."""
    models, golden = os.path.join(shared, "models"), os.path.join(shared, "golden")
    starry = "FastStyleTransferVanGoghStarryNight"
    found = [
        Network("starry-night", "Starry Night", f"{models}/starry-night/{starry}.mlmodel", 320,
                f"{golden}/{starry}/model.onnx"),
        Network("styleblue", "StyleBlue", f"{models}/createml-style/StyleBlue.mlmodel", 512,
                f"{golden}/StyleBlue/model.onnx"),
        Network("fnscandy", "FNSCandy", f"{models}/fns-style/FNSCandy.mlmodel", 720,
                f"{golden}/FNSCandy/model.onnx"),
        Network("gallery", "gallery, `cnn`", "Gallery/great-wave/model.mlmodel", 1024),
        Network("squeezenet", "SqueezeNet", f"{cache}/SqueezeNet.mlmodel", 227, classifier=True),
        Network("vgg16", "VGG-16, convolutions", f"{cache}/VGG16.mlmodel", 224),
    ]
    missing = [network.title for network in found if not os.path.exists(network.file)]
    if missing:
        print(f"Not at hand: {', '.join(missing)}"
              " (`atelier fetch squeezenet`, `atelier fetch vgg16`).")
    return [network for network in found if os.path.exists(network.file)]


def wanted(shared, only):
    """The networks at hand; where `only` has keys, with commas between, those of these keys."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return chosen(known(shared, os.path.join(cache, "atelier")), only)


def chosen(found, only):
    """Those of the networks found whose keys `only` has; all where it has none.

    Ends the program where a key names none: a page is not overwritten by an empty one.
    """
    keys = [key for key in only.split(",") if key]
    missing = sorted(set(keys) - {network.key for network in found})
    if missing or not found:
        hand = ", ".join(network.key for network in found) or "none"
        raise SystemExit(f"No network at hand is called {', '.join(missing) or 'anything'};"
                         f" at hand: {hand}.")
    return [network for network in found if not keys or network.key in keys]


def product_count(path, side):
    """The products of the definitions of a twin's convolutions and inner products, for a square."""
    import onnx
    from onnx import shape_inference

    model = onnx.load(path)
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        if len(dims) >= 3:
            for dim in (dims[-1], dims[-2]):
                dim.dim_value = side
            if not dims[0].dim_value:
                dims[0].dim_value = 1
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    graph = shape_inference.infer_shapes(model).graph
    shapes = {weight.name: list(weight.dims) for weight in graph.initializer}
    for value in list(graph.input) + list(graph.value_info) + list(graph.output):
        shapes[value.name] = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value":
                    shapes[node.output[0]] = list(attribute.t.dims)

    def size(shape):
        result = 1
        for extent in shape:
            result *= extent
        return result

    total = 0
    for node in graph.node:
        if node.op_type not in ("Conv", "ConvTranspose", "Gemm"):
            continue
        weights = shapes.get(node.input[1], [])
        per = size(weights[1:]) if node.op_type != "Gemm" else size(weights) // max(1, weights[-1])
        over = shapes.get(node.input[0] if node.op_type == "ConvTranspose" else node.output[0], [])
        total += size(over) * per
    return total
