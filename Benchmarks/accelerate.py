#!/usr/bin/env python3
"""Compares the C functions of Accelerate with NumPy, on one thread, and prints a table.

    Benchmarks/accelerate.py LIBRARY

LIBRARY is a shared library with the functions of CAccelerate; Scripts/bench_accelerate.sh makes it. Each time is the
best of 60 repetitions. Our function and NumPy's run alternately. If possible, NumPy writes into existing arrays.
"""
import ctypes
import sys
import time

import numpy as np

library = ctypes.CDLL(sys.argv[1])
pointer, one = ctypes.c_void_p, ctypes.c_long(1)
generator = np.random.default_rng(1)


def address(array):
    return pointer(array.ctypes.data)


def best(call, seconds=0.006):
    start = time.perf_counter()
    call()
    count = max(1, int(seconds / 3 / max(time.perf_counter() - start, 1e-7)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def cases(n):
    a = generator.uniform(0.1, 4, n).astype(np.float32)
    b = generator.uniform(0.1, 4, n).astype(np.float32)
    c, f = np.empty_like(a), ctypes.c_float()
    index, length, count = ctypes.c_ulong(), ctypes.c_ulong(n), ctypes.c_int(n)
    reference = ctypes.byref(f)
    A, B, C = address(a), address(b), address(c)
    yield "vDSP_vadd", lambda: library.vDSP_vadd(A, one, B, one, C, one, length), lambda: np.add(a, b, out=c)
    yield "vDSP_vmul", lambda: library.vDSP_vmul(A, one, B, one, C, one, length), lambda: np.multiply(a, b, out=c)
    low, high = ctypes.c_float(1), ctypes.c_float(3)
    yield ("vDSP_vclip", lambda: library.vDSP_vclip(A, one, ctypes.byref(low), ctypes.byref(high), C, one, length),
           lambda: np.clip(a, np.float32(1), np.float32(3), out=c))
    yield "vDSP_sve", lambda: library.vDSP_sve(A, one, reference, length), lambda: np.sum(a)
    yield "vDSP_dotpr", lambda: library.vDSP_dotpr(A, one, B, one, reference, length), lambda: np.dot(a, b)
    yield "vDSP_maxv", lambda: library.vDSP_maxv(A, one, reference, length), lambda: np.max(a)
    yield ("vDSP_maxvi", lambda: library.vDSP_maxvi(A, one, reference, ctypes.byref(index), length),
           lambda: np.argmax(a))
    yield "vvexpf", lambda: library.vvexpf(C, A, ctypes.byref(count)), lambda: np.exp(a, out=c)
    yield "vvlogf", lambda: library.vvlogf(C, A, ctypes.byref(count)), lambda: np.log(a, out=c)
    yield "vvtanhf", lambda: library.vvtanhf(C, A, ctypes.byref(count)), lambda: np.tanh(a, out=c)
    yield "vvsqrtf", lambda: library.vvsqrtf(C, A, ctypes.byref(count)), lambda: np.sqrt(a, out=c)
    double = np.empty(n)
    D = address(double)
    yield ("vDSP_vspdp", lambda: library.vDSP_vspdp(A, one, D, one, length),
           lambda: np.copyto(double, a))
    sorted_ = np.empty_like(a)
    S = address(sorted_)

    def ours():
        sorted_[:] = a
        library.vDSP_vsort(S, length, 1)

    def numpys():
        sorted_[:] = a
        sorted_.sort()

    yield "vDSP_vsort", ours, numpys
    log2 = n.bit_length() - 1
    size = 1 << log2

    class Split(ctypes.Structure):
        _fields_ = [("real", pointer), ("imaginary", pointer)]

    library.vDSP_create_fftsetup.restype = pointer
    setup = pointer(library.vDSP_create_fftsetup(ctypes.c_ulong(log2), 0))
    even, odd = a[: size // 2].copy(), b[: size // 2].copy()
    toReal, toImaginary = np.empty_like(even), np.empty_like(odd)
    source, result = Split(even.ctypes.data, odd.ctypes.data), Split(toReal.ctypes.data, toImaginary.ctypes.data)
    signal = a[:size].copy()
    yield (f"vDSP_fft_zrop ({size})",
           lambda: library.vDSP_fft_zrop(
               setup, ctypes.byref(source), one, ctypes.byref(result), one, ctypes.c_ulong(log2), 1),
           lambda: np.fft.rfft(signal))
    m = int(round(n ** 0.5))
    x, y, z = (generator.uniform(-1, 1, (m, m)).astype(np.float32) for _ in range(3))
    X, Y, Z, M = address(x), address(y), address(z), ctypes.c_ulong(m)
    yield (f"vDSP_mmul ({m} × {m})", lambda: library.vDSP_mmul(X, one, Y, one, Z, one, M, M, M),
           lambda: np.matmul(x, y, out=z))
    yield (f"vDSP_mtrans ({m} × {m})", lambda: library.vDSP_mtrans(X, one, Z, one, M, M), lambda: np.copyto(z, x.T))


lengths = [1_000, 10_000, 100_000]
ratios = {}
for n in lengths:
    for name, ours, numpys in cases(n):
        key = name.split(" ")[0]
        pairs = [(best(ours), best(numpys)) for _ in range(60)]
        mine, theirs = min(p[0] for p in pairs), min(p[1] for p in pairs)
        ratios.setdefault(key, {})[n] = (mine, theirs)
print("| function | " + " | ".join(f"n = {n:,}" for n in lengths) + " |")
print("|---|" + "--:|" * len(lengths))
for name, row in ratios.items():
    cells = [f"{m * 1e6:.2f} µs, {m / t:.2f}" for m, t in row.values()]
    print(f"| `{name}` | " + " | ".join(cells) + " |")
