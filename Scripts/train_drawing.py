"""Trains the embedding of drawings for the studio's Draw page, and writes it with an empty k-NN classifier.

    python Scripts/train_drawing.py C/CStudioPages/pages/drawing.mlmodel [FOLDER]

The training data are synthetic: random objects made of strokes, each drawn many times by a simulated unsteady hand.
The network learns to distinguish the objects; the layer before the last one is the embedding. If a FOLDER of Quick,
Draw! files of 28 × 28 bytes is given (../shared/models/updatable-drawing, CC BY 4.0), which is never used for
training, the script reports the accuracy of a k-NN with three examples of each class: with this embedding, and with
the model in the same folder.

Needs numpy, Pillow, torch, coremltools, scikit-learn.
"""
import math, pathlib, sys

import numpy as np
import torch
from PIL import Image, ImageDraw

SIDE, FINE, DIMENSIONS = 28, 4, 64
RANDOM_THINGS, EACH = 165, 70
random = np.random.default_rng(7)


# A stroke is a list of points. An object is a function that returns its strokes with random variations.
def arc(x, y, rx, ry, start=0.0, end=360.0, count=24):
    angles = np.radians(np.linspace(start, end, count))
    return np.stack([x + rx * np.cos(angles), y + ry * np.sin(angles)], 1)


def line(*points):
    points, dense = np.array(points, float), []
    for a, b in zip(points, points[1:]):
        dense.append(a + (b - a) * np.linspace(0, 1, 8)[:, None])
    return np.concatenate(dense)


def box(x, y, w, h):
    return line((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y))


def maybe(strokes, chance=0.5):
    return strokes if random.random() < chance else []


def vary(a, b):
    return random.uniform(a, b)


def face():
    return [arc(-.3, -.15, .06, .06), arc(.3, -.15, .06, .06)] + maybe([arc(0, .15, .35, .3, 20, 160)], .8)


def cat():
    head = [arc(0, 0, vary(.8, 1), vary(.7, .95)), line((-.8, -.5), (-.75, -1.3), (-.25, -.85)),
            line((.8, -.5), (.75, -1.3), (.25, -.85))]
    whiskers = [line((s * .3, .2 + d), (s * 1.2, .1 + 2 * d)) for s in (-1, 1) for d in (-.1, .05, .2)]
    return head + maybe(face(), .8) + maybe(whiskers, .7)


def rainbow():
    first, count = vary(.5, .9), random.integers(1, 6)
    bend = vary(.6, 1.1)
    return [arc(0, 0, r, r * bend, 180, 360) for r in np.linspace(first, 1.3, count)]


def train():
    w = vary(.7, 1.1)
    cars = [box(i * (w + .2), 0, w, vary(.5, .8)) for i in range(random.integers(1, 4))]
    wheels = [arc(i * .45 + .2, .8, .14, .14) for i in range(len(cars) * 2 + 1)]
    return cars + maybe(wheels, .8) + maybe([box(.1, -.5, .2, .5)], .6) + maybe([arc(.4, -.8, .3, .15)], .4)


def house():
    return [box(-.8, 0, 1.6, 1.2), line((-1, 0), (0, -1), (1, 0))] + maybe([box(-.2, .5, .4, .7)]) + maybe([box(.3, .2, .3, .3)])


def sun():
    rays = random.integers(6, 13)
    return [arc(0, 0, .5, .5)] + [line((.65 * math.cos(t), .65 * math.sin(t)), (1.1 * math.cos(t), 1.1 * math.sin(t)))
                                  for t in np.linspace(0, 2 * math.pi, rays, endpoint=False)]


def flower():
    petals = random.integers(4, 8)
    return [arc(0, 0, .25, .25)] + [arc(.5 * math.cos(t), .5 * math.sin(t), .28, .28) for t in np.linspace(0, 6.28, petals, endpoint=False)] + \
        maybe([line((0, .8), (vary(-.2, .2), 1.8))], .8)


def fish():
    return [arc(0, 0, 1, .5), line((.9, 0), (1.5, -.45), (1.5, .45), (.9, 0)), arc(-.55, -.1, .07, .07)]


def star():
    tips = [(math.sin(t) * r, -math.cos(t) * r) for t, r in zip(np.linspace(0, 2 * math.pi, 11), [1, .42] * 5 + [1])]
    return [line(*tips)]


def heart():
    t = np.linspace(0, 2 * math.pi, 40)
    return [np.stack([16 * np.sin(t) ** 3, -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))], 1) / 16]


def tree():
    return [line((-.15, .4), (-.15, 1.2)), line((.15, .4), (.15, 1.2)), arc(0, -.3, vary(.6, .9), vary(.6, .9))]


def car():
    return [line((-1.3, .3), (-1.3, -.1), (-.7, -.2), (-.4, -.7), (.5, -.7), (.8, -.2), (1.3, -.1), (1.3, .3), (-1.3, .3)),
            arc(-.7, .4, .25, .25), arc(.7, .4, .25, .25)]


def smiley():
    return [arc(0, 0, 1, 1)] + face()


def boat():
    return [line((-1, .3), (1, .3), (.7, .9), (-.7, .9), (-1, .3)), line((0, .3), (0, -1)), line((0, -1), (.8, .1), (0, .1))]


def umbrella():
    return [arc(0, 0, 1, .9, 180, 360), line((-1, 0), (1, 0)), line((0, 0), (0, 1)), arc(.2, 1, .2, .2, 0, 180)]


def cup():
    return [line((-.6, -.5), (-.5, .7), (.5, .7), (.6, -.5), (-.6, -.5)), arc(.75, 0, .3, .35, -100, 100)]


def made_up(seed):
    """Makes a random object of two to six strokes."""
    own = np.random.default_rng(seed)
    parts = []
    for _ in range(own.integers(2, 7)):
        x, y, w, h = own.uniform(-.8, .8), own.uniform(-.8, .8), own.uniform(.15, .9), own.uniform(.15, .9)
        kind = own.integers(0, 6)
        if kind == 0: parts.append(arc(x, y, w, h))
        elif kind == 1: parts.append(arc(x, y, w, h, *sorted(own.uniform(0, 360, 2))))
        elif kind == 2: parts.append(box(x - w / 2, y - h / 2, w, h))
        elif kind == 3: parts.append(line((x - w, y - h), (x + w, y + h * own.uniform(-1, 1))))
        elif kind == 4: parts.append(line(*(own.uniform(-1, 1, (own.integers(3, 6), 2)) * [w, h] + [x, y])))
        else: parts.extend(arc(x, y, w * f, h * f, 180, 360) for f in (1, .75, .5))
    return lambda: [p + random.normal(0, .05, 2) for p in parts if random.random() > .06] or parts


THINGS = [cat, rainbow, train, house, sun, flower, fish, star, heart, tree, car, smiley, boat, umbrella, cup]
THINGS += [made_up(1000 + i) for i in range(RANDOM_THINGS)]


def drawn(strokes):
    """Draws the strokes with an unsteady hand, scaled into the image as in Quick, Draw!: white on black."""
    turn, lean = random.normal(0, .13), random.normal(0, .15)
    matrix = np.array([[math.cos(turn), -math.sin(turn) + lean], [math.sin(turn), math.cos(turn)]]) * [[vary(.75, 1.3)], [1]]
    phase, wave = random.uniform(0, 6.28, 4), random.normal(0, .07, 2)
    warped = []
    for stroke in strokes:
        points = stroke @ matrix.T
        points = points + np.stack([wave[0] * np.sin(3 * points[:, 1] + phase[0]), wave[1] * np.sin(3 * points[:, 0] + phase[1])], 1)
        shake = random.normal(0, .03, points.shape)
        for _ in range(2): shake[1:-1] = (shake[:-2] + shake[1:-1] + shake[2:]) / 3 * 1.5
        warped.append(points + shake + random.normal(0, .03, 2))
    every = np.concatenate(warped)
    low, high = every.min(0), every.max(0)
    scale = (SIDE * FINE - 2.5 * FINE) / max((high - low).max(), 1e-3)
    shift = (SIDE * FINE - (high - low) * scale) / 2 - low * scale
    picture = Image.new("L", (SIDE * FINE, SIDE * FINE))
    pen = ImageDraw.Draw(picture)
    width = int(round(FINE * vary(1.3, 2.1)))
    for points in warped:
        pen.line([tuple(p) for p in points * scale + shift], fill=255, width=width, joint="curve")
    return np.asarray(picture.resize((SIDE, SIDE), Image.BOX))


class Network(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        conv = lambda i, o: torch.nn.Sequential(torch.nn.Conv2d(i, o, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2))
        self.body = torch.nn.Sequential(conv(1, 16), conv(16, 32), conv(32, 64))
        self.embedding = torch.nn.Linear(64 * 9, DIMENSIONS)
        self.head = torch.nn.Linear(DIMENSIONS, classes)

    def embed(self, x): return self.embedding(self.body(x).flatten(1))
    def forward(self, x): return self.head(torch.relu(self.embed(torch.nn.functional.dropout(x, 0))))


def learn():
    torch.manual_seed(7)
    pictures = np.stack([drawn(thing()) for thing in THINGS for _ in range(EACH)])
    labels = np.repeat(np.arange(len(THINGS)), EACH)
    x, y = torch.tensor(pictures)[:, None].float() / 255, torch.tensor(labels)
    network = Network(len(THINGS))
    epochs, size = 10, 64
    optimizer = torch.optim.Adam(network.parameters(), 2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=epochs * (len(x) // size))
    for epoch in range(epochs):
        order, total = torch.randperm(len(x)), 0.0
        for batch in range(len(x) // size):
            some = order[batch * size:(batch + 1) * size]
            shifted = torch.roll(x[some], tuple(np.random.default_rng(epoch * 9999 + batch).integers(-2, 3, 2)), (2, 3))
            loss = torch.nn.functional.cross_entropy(network(shifted), y[some], label_smoothing=.05)
            optimizer.zero_grad(); loss.backward(); optimizer.step(); schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total / (len(x) // size):.3f}", flush=True)
    return network.eval()


def write(network, path):
    import coremltools as ct
    from coremltools.models import datatypes, neural_network, nearest_neighbors
    from coremltools.proto import FeatureTypes_pb2, Model_pb2
    builder = neural_network.NeuralNetworkBuilder(
        [("drawing", datatypes.Array(1, SIDE, SIDE))], [("embedding", datatypes.Array(DIMENSIONS))])
    previous = "drawing"
    for place, block in enumerate(network.body):
        kernel, bias = block[0].weight.detach().numpy(), block[0].bias.detach().numpy()
        if place == 0: kernel = kernel / 255
        builder.add_convolution(f"conv{place}", kernel.shape[1], kernel.shape[0], 3, 3, 1, 1, "same", 1,
                                kernel.transpose(2, 3, 1, 0), bias, True, input_name=previous, output_name=f"c{place}")
        builder.add_activation(f"relu{place}", "RELU", f"c{place}", f"r{place}")
        builder.add_pooling(f"pool{place}", 2, 2, 2, 2, "MAX", "VALID", f"r{place}", f"p{place}")
        previous = f"p{place}"
    builder.add_flatten("flatten", 0, previous, "flat")
    builder.add_inner_product("dense", network.embedding.weight.detach().numpy(), network.embedding.bias.detach().numpy(),
                              64 * 9, DIMENSIONS, True, "flat", "embedding")
    builder.spec.description.input[0].type.imageType.width = SIDE
    builder.spec.description.input[0].type.imageType.height = SIDE
    builder.spec.description.input[0].type.imageType.colorSpace = FeatureTypes_pb2.ImageFeatureType.GRAYSCALE
    neighbours = nearest_neighbors.KNearestNeighborsClassifierBuilder(
        input_name="embedding", output_name="label", number_of_dimensions=DIMENSIONS, default_class_label="unknown", k=3,
        weighting_scheme="inverse_distance", index_type="linear")
    neighbours.set_number_of_neighbors_with_bounds(3, allowed_range=(1, 25))
    spec = Model_pb2.Model()
    spec.specificationVersion = 4
    spec.isUpdatable = True
    about = spec.description
    about.metadata.shortDescription = "Learns labels for drawings of 28 × 28, white on black. Its embedding was trained with generated drawings."
    about.metadata.author, about.metadata.license = "Atelier", "MIT"
    about.input.add().CopyFrom(builder.spec.description.input[0])
    about.trainingInput.add().CopyFrom(about.input[0])
    label = about.trainingInput.add()
    label.name, label.shortDescription = "label", "The label of the drawing"
    label.type.stringType.MergeFromString(b"")
    for output in neighbours.spec.description.output: about.output.add().CopyFrom(output)
    about.predictedFeatureName, about.predictedProbabilitiesName = "label", neighbours.spec.description.predictedProbabilitiesName
    for stage in (builder.spec, neighbours.spec): spec.pipelineClassifier.pipeline.models.add().CopyFrom(stage)
    pathlib.Path(path).write_bytes(spec.SerializeToString())
    print(path, len(spec.SerializeToString()), "bytes")


def measure(network, folder):
    from sklearn.neighbors import KNeighborsClassifier
    import coremltools as ct
    names = ["cats", "rainbows", "trains"]
    drawings = [np.fromfile(f"{folder}/{n}1000.bin", np.uint8).reshape(-1, SIDE, SIDE) for n in names]
    with torch.no_grad():
        ours = [network.embed(torch.tensor(d)[:, None].float() / 255).numpy() for d in drawings]
    spec = ct.utils.load_spec(f"{folder}/UpdatableDrawingClassifier.mlmodel").pipelineClassifier.pipeline.models[0].neuralNetwork
    theirs = [apples(spec, d) for d in drawings]
    for title, embedded, k in (("ours", ours, 3), ("Apple's", theirs, 5)):
        rates = []
        for draw in range(10):
            own = np.random.default_rng(draw)
            orders = [own.permutation(1000) for _ in names]
            x = np.concatenate([e[o[:3]] for e, o in zip(embedded, orders)])
            knn = KNeighborsClassifier(k, weights="distance").fit(x, np.repeat(np.arange(3), 3))
            t = np.concatenate([e[o[3:103]] for e, o in zip(embedded, orders)])
            rates.append((knn.predict(t) == np.repeat(np.arange(3), 100)).mean())
        print(f"{title}: {np.mean(rates):.3f} of 3 × 100 after 3 × 3 examples, ten draws: {np.round(rates, 2).tolist()}")


def apples(network, drawings):
    """Computes the embedding of Apple's model, layer by layer."""
    x = torch.tensor(drawings)[:, None].float()
    for layer in network.layers:
        kind = layer.WhichOneof("layer")
        if kind == "convolution":
            c = layer.convolution
            w = torch.tensor(np.array(c.weights.floatValue, np.float32)).reshape(c.outputChannels, c.kernelChannels, *c.kernelSize)
            pad = [k // 2 for k in c.kernelSize] if c.WhichOneof("ConvolutionPaddingType") == "same" else 0
            x = torch.nn.functional.conv2d(x, w, torch.tensor(np.array(c.bias.floatValue, np.float32)), padding=pad)
        elif kind == "activation": x = torch.relu(x)
        elif kind == "pooling": x = torch.nn.functional.max_pool2d(x, tuple(layer.pooling.kernelSize), tuple(layer.pooling.stride))
        elif kind == "flatten": x = x.permute(0, 2, 3, 1).flatten(1)
        elif kind == "innerProduct":
            p = layer.innerProduct
            x = x @ torch.tensor(np.array(p.weights.floatValue, np.float32)).reshape(p.outputChannels, -1).T + torch.tensor(np.array(p.bias.floatValue, np.float32))
    return x.detach().numpy()


if __name__ == "__main__":
    torch.set_num_threads(1)
    network = learn()
    write(network, sys.argv[1])
    if len(sys.argv) > 2: measure(network, sys.argv[2])
