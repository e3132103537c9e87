"""The networks to time. Each has a twin, the same network in ONNX, for the other runtimes."""

import os
import subprocess

import styles


class Network:
    """A network: Atelier's file, the side of its input in pixels, and its twin. Atelier makes a missing twin."""

    def __init__(self, key, title, file, side, twin=None, classifier=False):
        self.key, self.title, self.file, self.side = key, title, file, side
        self.twin, self.classifier = twin, classifier
        # The warm-up takes about a third of a second. A process that starts on a busy machine needs this time to
        # detect that the machine has become idle.
        self.warm_up = 300 if classifier else max(3, 6_000_000 // side**2)

    def onnx(self, atelier, folder):
        """Returns the path of the twin, or None if it cannot be made."""
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
    """Returns the networks of this list whose files are on this machine."""
    models, golden = os.path.join(shared, "models"), os.path.join(shared, "golden")
    starry = "FastStyleTransferVanGoghStarryNight"
    found = [
        Network("starry-night", "Starry Night", f"{models}/starry-night/{starry}.mlmodel", 320,
                f"{golden}/{starry}/model.onnx"),
        Network("styleblue", "StyleBlue", f"{models}/createml-style/StyleBlue.mlmodel", 512,
                f"{golden}/StyleBlue/model.onnx"),
        Network("fnscandy", "FNSCandy", f"{models}/fns-style/FNSCandy.mlmodel", 720,
                f"{golden}/FNSCandy/model.onnx"),
        Network("gallery", "gallery, `cnn`", styles.exported("great-wave"), 1024),
        Network("squeezenet", "SqueezeNet", f"{cache}/SqueezeNet.mlmodel", 227, classifier=True),
        Network("vgg16", "VGG-16, convolutions", f"{cache}/VGG16.mlmodel", 224),
    ]
    missing = [network.title for network in found if not os.path.exists(network.file)]
    if missing:
        print(f"Not at hand: {', '.join(missing)}"
              " (`atelier fetch squeezenet`, `atelier fetch vgg16`).")
    return [network for network in found if os.path.exists(network.file)]


def wanted(shared, only):
    """Returns the networks on this machine. If `only` has keys, separated by commas, returns only their networks."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return chosen(known(shared, os.path.join(cache, "atelier")), only)


def chosen(found, only):
    """Returns the networks of `found` whose keys `only` lists, or all if it lists none.

    Ends the process with an error message if a key has no network, so that no empty section is written.
    """
    keys = [key for key in only.split(",") if key]
    missing = sorted(set(keys) - {network.key for network in found})
    if missing or not found:
        hand = ", ".join(network.key for network in found) or "none"
        raise SystemExit(f"No network at hand is called {', '.join(missing) or 'anything'};"
                         f" at hand: {hand}.")
    return [network for network in found if not keys or network.key in keys]


def product_count(path, side):
    """Counts the multiply-adds of a twin's convolutions and inner products by definition, for a square input."""
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
