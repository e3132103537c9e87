#!/usr/bin/env python3
"""Writes transforms.json: Fourier transforms by NumPy, and cosine transforms by their sums, in double precision.

    python3 make_transforms.py
"""

import json
import pathlib

import numpy as np

LENGTHS = [1, 2, 8, 16, 24, 40, 48, 80, 120, 240, 512]


def numbers(values):
    return [float(f"{value:.12g}") for value in values]


def cosines(x, kind):
    n = len(x)
    j = np.arange(n)
    if kind == 2:
        return [np.sum(x * np.cos(np.pi / n * k * (j + 0.5))) for k in range(n)]
    if kind == 3:
        return [x[0] / 2 + np.sum(x[1:] * np.cos(np.pi / n * (k + 0.5) * j[1:])) for k in range(n)]
    return [np.sum(x * np.cos(np.pi / n * (k + 0.5) * (j + 0.5))) for k in range(n)]


generator = np.random.default_rng(35)
cases = []
for length in LENGTHS:
    real = np.float32(generator.uniform(-1, 1, length)).astype(np.float64)
    imaginary = np.float32(generator.uniform(-1, 1, length)).astype(np.float64)
    spectrum = np.fft.fft(real + 1j * imaginary)
    half = np.fft.rfft(real)
    case = {
        "real": numbers(real), "imaginary": numbers(imaginary),
        "spectrumReal": numbers(spectrum.real), "spectrumImaginary": numbers(spectrum.imag),
        "halfReal": numbers(half.real), "halfImaginary": numbers(half.imag),
    }
    if length in (16, 48, 80, 240):
        case["cosines"] = [numbers(cosines(real, kind)) for kind in (2, 3, 4)]
    cases.append(case)
path = pathlib.Path(__file__).with_name("transforms.json")
path.write_text(json.dumps(cases) + "\n")
