"""Writes sound_print.json: the print of a sound, computed by ONNX Runtime 1.32.0 with the networks of `atelier fetch sound`.

    python3 sound_print.py FOLDER_WITH_THE_TWO_ONNX_FILES
"""

import json
import pathlib
import sys

import numpy as np
import onnxruntime

networks = pathlib.Path(sys.argv[1])
index = np.arange(15600)
time = index / 16000
# A falling chirp with noise. SoundClassifierTests makes the same sound.
sound = 0.4 * np.sin(2 * np.pi * (900 - 300 * time) * time) * np.exp(-time) + (index * 7919 % 2001 - 1000) / 10000
spectrogram = onnxruntime.InferenceSession(networks / "melspectrogram.onnx")
frames = spectrogram.run(None, {"input": (sound * 32767).astype(np.float32)[None]})[0].reshape(-1, 32) / 10 + 2
parts = np.stack([frames[start : start + 76] for start in (0, 9, 19)])[..., None]
embedding = onnxruntime.InferenceSession(networks / "embedding_model.onnx")
found = embedding.run(None, {"input_1": parts})[0].reshape(3, 96).mean(0) / 16
file = pathlib.Path(__file__).with_suffix(".json")
file.write_text(json.dumps([float(number) for number in found]) + "\n")
