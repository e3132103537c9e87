"""Writes one of the models of models.py as a TensorFlow Lite file.

usage: tflite.py KEY PATH

Needs the packages torch and litert-torch.
"""

import sys

import litert_torch
import torch

import models

if __name__ == "__main__":
    model = models.known()[sys.argv[1]]
    values = tuple(torch.from_numpy(value) for value in models.examples(model).values())
    litert_torch.convert(models.module(model), values).export(sys.argv[2])
