"""Writes photo_classes.json: 3 x 20 photos for training, the rest for evaluation, and scikit-learn's accuracy.

    python photo_classes.py ATELIER ../../../../shared/pictures/photos

The features are those of `atelier predict squeezenet --also fire9/concat`, averaged over the image and normalised
to length 1, as in CreateML.MLImageClassifier. Needs NumPy and scikit-learn.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
from sklearn.linear_model import LogisticRegression

atelier, folder = sys.argv[1], pathlib.Path(sys.argv[2])
families = {
    "animal": ("gcompris-erase-", "gcompris-farmanimals-", "gcompris-worldanimals-"),
    "building": ("gcompris-details-", "gcompris-monuments-"),
    "nature": ("mate-backgrounds-", "tuxpaint-data-", "gcompris-clickgame-"),
}
# Machines, animals and buildings in landscape photos.
strangers = {"tuxpaint-data-sheep", "tuxpaint-data-lighthouse", "tuxpaint-data-wool_mill_machine",
             "tuxpaint-data-corn_maze", "mate-backgrounds-LadyBird", "mate-backgrounds-Blinds"}


def features(file):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            [atelier, "predict", "squeezenet", "-i", f"image={file}", "--crop-and-scale", "centerCrop",
             "--compute-units", "cpuOnly", "--also", "fire9/concat", "-o", out],
            check=True, stdout=subprocess.DEVNULL)
        (array,) = pathlib.Path(out).glob("layers/*.npy")
        mean = numpy.load(array).reshape(512, -1).mean(axis=1)
        return mean / numpy.linalg.norm(mean)


chance = random.Random(15)
learn, judge = {}, {}
for label, prefixes in families.items():
    files = sorted(
        f for f in folder.iterdir() if f.name.startswith(prefixes) and f.stem not in strangers)
    chance.shuffle(files)
    learn[label], judge[label] = files[:20], files[20:]
result = {"learn": {}, "judge": {}}
for name, part in (("learn", learn), ("judge", judge)):
    for label, files in part.items():
        result[name][label] = [f.name for f in files]
x = {part: numpy.array([features(f) for files in lists.values() for f in files])
     for part, lists in (("learn", learn), ("judge", judge))}
y = {part: [label for label, files in lists.items() for _ in files]
     for part, lists in (("learn", learn), ("judge", judge))}
result["count"] = len(y["judge"])
for strength in (1, 10, 100):
    model = LogisticRegression(C=strength, max_iter=1000).fit(x["learn"], y["learn"])
    result[f"right{strength}"] = int((model.predict(x["judge"]) == y["judge"]).sum())
pathlib.Path(__file__).with_name("photo_classes.json").write_text(json.dumps(result, indent=1) + "\n")
print({key: value for key, value in result.items() if isinstance(value, int)})
