"""Types of models that are no networks, against NumPy: sound preprocessing, non-maximum suppression, an item
similarity recommender and class confidence thresholding; and the types that are refused, with the reason.
"""

import coremltools
import numpy as np
import pytest
from coremltools.proto import FeatureTypes_pb2, Model_pb2

FLOAT = FeatureTypes_pb2.ArrayFeatureType.FLOAT32


def description(inputs, outputs):
    """A model with arrays as inputs and outputs, by their names and shapes."""
    spec = Model_pb2.Model(specificationVersion=5)
    for features, arrays in ((spec.description.input, inputs), (spec.description.output, outputs)):
        for name, shape in arrays.items():
            feature = features.add(name=name)
            feature.type.multiArrayType.shape.extend(shape)
            feature.type.multiArrayType.dataType = FLOAT
    return spec


def predict(spec, inputs):
    return coremltools.models.MLModel(spec).predict(inputs)


def log_mel(sound):
    """VGGish's spectrogram, with its published constants: 96 frames of 25 ms, 64 bands of 125 to 7500 Hz."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi / 400 * np.arange(400))
    frames = np.stack([sound[i * 160 : i * 160 + 400] for i in range(96)])
    magnitudes = np.abs(np.fft.rfft(frames * window, 512))

    def mel(frequency):
        return 1127 * np.log(1 + frequency / 700)

    points, edges = mel(np.linspace(0, 8000, 257)), np.linspace(mel(125), mel(7500), 66)
    weights = np.zeros((257, 64))
    for band in range(64):
        low, middle, high = edges[band : band + 3]
        rising, falling = (points - low) / (middle - low), (high - points) / (high - middle)
        weights[:, band] = np.maximum(0, np.minimum(rising, falling))
    weights[0] = 0
    return np.log(magnitudes @ weights + 0.01)


def test_sound_preprocessing():
    spec = description({"audio": [15600]}, {"spectrogram": [1, 96, 64]})
    spec.soundAnalysisPreprocessing.vggish.SetInParent()
    time = np.arange(15600) / 16000
    noise = np.random.RandomState(1).uniform(-0.2, 0.2, 15600)
    sound = (0.5 * np.sin(2 * np.pi * 440 * time) + noise).astype(np.float32)
    got = predict(spec, {"audio": sound})["spectrogram"]
    assert got.shape == (1, 96, 64)
    np.testing.assert_allclose(got[0], log_mel(sound.astype(np.float64)), rtol=0, atol=1e-4)


def selected(boxes, confidences, overlap, threshold):
    """The greedy selection of boxes (x, y, width, height by their centres), all classes together."""
    best = confidences.max(axis=1)
    kept = []
    for index in np.argsort(-best, kind="stable"):
        if best[index] < threshold:
            break
        x, y, w, h = boxes[index]
        fits = True
        for other in kept:
            u, v, p, q = boxes[other]
            across = min(x + w / 2, u + p / 2) - max(x - w / 2, u - p / 2)
            down = min(y + h / 2, v + q / 2) - max(y - h / 2, v - q / 2)
            shared = max(0, across) * max(0, down)
            fits = fits and shared / (w * h + p * q - shared) <= overlap
        if fits:
            kept.append(index)
    return kept


def test_non_maximum_suppression():
    random = np.random.RandomState(2)
    boxes = random.uniform(0.1, 0.9, (40, 4)).astype(np.float32)
    boxes[:, 2:] *= 0.5
    confidences = random.uniform(0, 1, (40, 3)).astype(np.float32)
    spec = description(
        {"boxes": [40, 4], "scores": [40, 3]}, {"keptBoxes": [40, 4], "keptScores": [40, 3]}
    )
    suppression = spec.nonMaximumSuppression
    suppression.coordinatesInputFeatureName = "boxes"
    suppression.confidenceInputFeatureName = "scores"
    suppression.coordinatesOutputFeatureName = "keptBoxes"
    suppression.confidenceOutputFeatureName = "keptScores"
    suppression.pickTop.perClass = False
    suppression.iouThreshold = 0.3
    suppression.confidenceThreshold = 0.6
    suppression.stringClassLabels.vector.extend("abc")
    got = predict(spec, {"boxes": boxes, "scores": confidences})
    kept = selected(boxes.astype(np.float64), confidences, 0.3, 0.6)
    assert 3 < len(kept) < 35
    np.testing.assert_array_equal(got["keptBoxes"][: len(kept)], boxes[kept])
    np.testing.assert_array_equal(got["keptScores"][: len(kept)], confidences[kept])


def test_class_confidence_thresholding():
    spec = description({"confidences": [3]}, {"filtered": [2, 3]})
    spec.classConfidenceThresholding.SetInParent()
    got = predict(spec, {"confidences": np.array([0.5, 0.25, 0], np.float32)})["filtered"]
    np.testing.assert_array_equal(got, [[0.5, 0.25, 0], [1, 1, 1]])


def test_item_similarity_recommender():
    random = np.random.RandomState(3)
    similarities = random.uniform(0, 1, (6, 6))
    np.fill_diagonal(similarities, 0)
    spec = Model_pb2.Model(specificationVersion=4)
    ratings = spec.description.input.add(name="ratings")
    ratings.type.dictionaryType.int64KeyType.SetInParent()
    output = spec.description.output.add(name="scores")
    output.type.dictionaryType.int64KeyType.SetInParent()
    recommender = spec.itemSimilarityRecommender
    recommender.itemInputFeatureName = "ratings"
    recommender.recommendedItemScoreOutputFeatureName = "scores"
    for item in range(6):
        entry = recommender.itemItemSimilarities.add(itemId=item)
        for other in range(6):
            if other != item:
                entry.similarItemList.add(itemId=other, similarityScore=similarities[item, other])
    given = {0: 2.0, 3: 1.0}
    got = predict(spec, {"ratings": given})["scores"]
    others = [item for item in range(6) if item not in given]
    order = sorted(others, key=lambda o: -sum(r * similarities[i, o] for i, r in given.items()))
    assert sorted(got, key=lambda item: -got[item]) == order


@pytest.mark.parametrize(
    "kind",
    [
        "bayesianProbitRegressor", "textClassifier", "wordTagger", "gazetteer", "wordEmbedding",
        "visionFeaturePrint", "audioFeaturePrint", "serializedModel",
    ],
)
def test_refusals(kind):
    spec = description({"x": [3]}, {"y": [3]})
    getattr(spec, kind).SetInParent()
    with pytest.raises(Exception, match=f"Models of type {kind} "):
        predict(spec, {"x": np.zeros(3, np.float32)})
