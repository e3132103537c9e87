#!/usr/bin/env python3
"""Compares the C functions of Accelerate with NumPy, on one thread, and prints a table.

    Benchmarks/accelerate.py LIBRARY [NAME …]

LIBRARY is a shared library with the functions of CAccelerate; Scripts/bench_accelerate.sh makes it. Each time is the
best of 30 repetitions. Our function and NumPy's run alternately. If possible, NumPy writes into existing arrays. Names
limit the table to some functions.
"""
import ctypes
import sys
import time

import numpy as np

library = ctypes.CDLL(sys.argv[1])
pointer, one = ctypes.c_void_p, ctypes.c_long(1)
generator = np.random.default_rng(1)


class Split(ctypes.Structure):
    _fields_ = [("real", pointer), ("imaginary", pointer)]


class Image(ctypes.Structure):
    _fields_ = [("data", pointer), ("height", ctypes.c_ulong), ("width", ctypes.c_ulong), ("rowBytes", ctypes.c_size_t)]


def address(array):
    return pointer(array.ctypes.data)


def image(array):
    height, width = array.shape[:2]
    return ctypes.byref(Image(array.ctypes.data, height, width, array.strides[0]))


def best(call, seconds=0.003):
    start = time.perf_counter()
    call()
    count = max(1, int(seconds / max(time.perf_counter() - start, 1e-7)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def vectors(n):
    """Functions of vectors: pairs of a call of ours and a call of NumPy's."""
    a, b, c, result, scratch = (generator.uniform(0.1, 4, n).astype(np.float32) for _ in range(5))
    signed = a - np.float32(2)
    fraction = generator.uniform(-0.9, 0.9, n).astype(np.float32)
    A, B, C, R, S = (address(x) for x in (a, b, c, result, scratch))
    length, count = ctypes.c_ulong(n), ctypes.byref(ctypes.c_int(n))
    scalar, greater = np.float32(1.5), np.float32(2.5)
    P, Q = ctypes.byref(ctypes.c_float(scalar)), ctypes.byref(ctypes.c_float(greater))
    number, index = ctypes.byref(ctypes.c_float()), ctypes.byref(ctypes.c_ulong())

    def twice(first, second):
        first()
        second()

    for name, code, x, y in [
        ("vadd", np.add, a, b), ("vmul", np.multiply, a, b), ("vmax", np.maximum, a, b), ("vmin", np.minimum, a, b),
        # The C functions take the subtrahend and the divisor first.
        ("vsub", lambda x, y, out: np.subtract(y, x, out=out), a, b),
        ("vdiv", lambda x, y, out: np.divide(y, x, out=out), a, b),
    ]:
        ours, X, Y = library["vDSP_" + name], address(x), address(y)
        yield ("vDSP_" + name, lambda: ours(X, one, Y, one, R, one, length),
               lambda: code(x, y, out=result))
    for name, code, x in [("vsq", np.square, a), ("vabs", np.absolute, signed), ("vneg", np.negative, a)]:
        ours, X = library["vDSP_" + name], address(x)
        yield "vDSP_" + name, lambda: ours(X, one, R, one, length), lambda: code(x, out=result)
    for name, code in [("vsadd", np.add), ("vsmul", np.multiply), ("vsdiv", np.divide), ("vthr", np.maximum)]:
        ours = library["vDSP_" + name]
        yield "vDSP_" + name, lambda: ours(A, one, P, R, one, length), lambda: code(a, scalar, out=result)
    yield ("vDSP_vclip", lambda: library.vDSP_vclip(A, one, P, Q, R, one, length),
           lambda: np.clip(a, scalar, greater, out=result))
    yield ("vDSP_vsma", lambda: library.vDSP_vsma(A, one, P, B, one, R, one, length),
           lambda: twice(lambda: np.multiply(a, scalar, out=scratch), lambda: np.add(scratch, b, out=result)))
    yield ("vDSP_vma", lambda: library.vDSP_vma(A, one, B, one, C, one, R, one, length),
           lambda: twice(lambda: np.multiply(a, b, out=scratch), lambda: np.add(scratch, c, out=result)))
    yield "vDSP_vfill", lambda: library.vDSP_vfill(P, R, one, length), lambda: np.copyto(result, scalar)
    yield ("vDSP_vramp", lambda: library.vDSP_vramp(P, Q, R, one, length),
           lambda: np.arange(n, dtype=np.float32))
    for name, code, x in [
        ("sve", np.sum, a), ("meanv", np.mean, a), ("svesq", lambda x: np.dot(x, x), a), ("maxv", np.max, a),
        ("minv", np.min, a), ("svemg", lambda x: np.sum(np.abs(x)), signed),
        ("rmsqv", lambda x: np.sqrt(np.dot(x, x) / n), a),
    ]:
        ours, X = library["vDSP_" + name], address(x)
        yield "vDSP_" + name, lambda: ours(X, one, number, length), lambda: code(x)
    yield ("vDSP_dotpr", lambda: library.vDSP_dotpr(A, one, B, one, number, length), lambda: np.dot(a, b))
    yield "vDSP_maxvi", lambda: library.vDSP_maxvi(A, one, number, index, length), lambda: np.argmax(a)
    for name, code, x in [
        ("exp", np.exp, a), ("exp2", np.exp2, a), ("log", np.log, a), ("log10", np.log10, a), ("sin", np.sin, a),
        ("cos", np.cos, a), ("tan", np.tan, fraction), ("asin", np.arcsin, fraction), ("atan", np.arctan, a),
        ("tanh", np.tanh, signed), ("sqrt", np.sqrt, a), ("rec", np.reciprocal, a), ("floor", np.floor, signed),
        ("nint", np.rint, signed),
    ]:
        ours, X = library[f"vv{name}f"], address(x)
        yield f"vv{name}f", lambda: ours(R, X, count), lambda: code(x, out=result)
    yield "vvpowf", lambda: library.vvpowf(R, B, A, count), lambda: np.power(a, b, out=result)
    yield "vvatan2f", lambda: library.vvatan2f(R, A, B, count), lambda: np.arctan2(a, b, out=result)
    double = np.empty(n)
    D = address(double)
    yield ("vDSP_vspdp", lambda: library.vDSP_vspdp(A, one, D, one, length),
           lambda: np.copyto(double, a))
    for name, kind in [("16", np.int16), ("32", np.int32), ("u8", np.uint8)]:
        integers = (a * 20).astype(kind)
        toFloat, toInteger, I = library["vDSP_vflt" + name], library["vDSP_vfix" + name], address(integers)
        yield "vDSP_vflt" + name, lambda: toFloat(I, one, R, one, length), lambda: np.copyto(result, integers)
        yield ("vDSP_vfix" + name, lambda: toInteger(A, one, I, one, length),
               lambda: np.copyto(integers, a, casting="unsafe"))
    yield ("vDSP_vsort", lambda: twice(lambda: np.copyto(scratch, a), lambda: library.vDSP_vsort(S, length, 1)),
           lambda: twice(lambda: np.copyto(scratch, a), scratch.sort))
    yield "vDSP_vrvrs", lambda: library.vDSP_vrvrs(S, one, length), lambda: np.copyto(scratch, a[::-1])
    yield ("vDSP_vrsum", lambda: library.vDSP_vrsum(A, one, P, R, one, length), lambda: np.cumsum(a, out=result))
    kernel = np.hanning(17).astype(np.float32)
    K, outputs, taps = address(kernel), ctypes.c_ulong(n - 16), ctypes.c_ulong(17)
    yield ("vDSP_conv", lambda: library.vDSP_conv(A, one, K, one, R, one, outputs, taps),
           lambda: np.correlate(a, kernel, "valid"))
    first, second, products = Split(a.ctypes.data, b.ctypes.data), Split(c.ctypes.data, b.ctypes.data), \
        Split(result.ctypes.data, scratch.ctypes.data)
    first, second, products = (ctypes.byref(x) for x in (first, second, products))
    x, y = (a + 1j * b).astype(np.complex64), (c + 1j * b).astype(np.complex64)
    z = np.empty_like(x)
    yield ("vDSP_zvmul", lambda: library.vDSP_zvmul(first, one, second, one, products, one, length, 1),
           lambda: np.multiply(x, y, out=z))
    yield "vDSP_zvabs", lambda: library.vDSP_zvabs(first, one, R, one, length), lambda: np.absolute(x, out=result)
    log2 = n.bit_length() - 1
    library.vDSP_create_fftsetup.restype = pointer
    setup = pointer(library.vDSP_create_fftsetup(ctypes.c_ulong(log2), 0))
    signal, wave = a[: 1 << log2].copy(), x[: 1 << log2].copy()
    for name, code, values in [("vDSP_fft_zrop", np.fft.rfft, signal), ("vDSP_fft_zop", np.fft.fft, wave)]:
        ours = library[name]
        yield (name, lambda: ours(setup, first, one, products, one, ctypes.c_ulong(log2), 1), lambda: code(values))


def matrices(n):
    """Functions of square matrices and pictures with about n elements."""
    side = int(round(n ** 0.5))
    x, y, z = (generator.uniform(0, 1, (side, side)).astype(np.float32) for _ in range(3))
    X, Y, Z, M = address(x), address(y), address(z), ctypes.c_ulong(side)
    yield ("vDSP_mmul", lambda: library.vDSP_mmul(X, one, Y, one, Z, one, M, M, M), lambda: np.matmul(x, y, out=z))
    yield "vDSP_mtrans", lambda: library.vDSP_mtrans(X, one, Z, one, M, M), lambda: np.copyto(z, x.T)
    bytes_, otherBytes = (generator.integers(0, 256, (side, side), dtype=np.uint8) for _ in range(2))
    pixels, others = (generator.integers(0, 256, (side, side, 4), dtype=np.uint8) for _ in range(2))
    rgb, halves = np.empty((side, side, 3), np.uint8), np.empty((side, side), np.float16)
    numbers = np.empty((side, side), np.float32)
    planes = [np.empty((side, side), np.uint8) for _ in range(4)]
    most, least, background = ctypes.c_float(1), ctypes.c_float(0), (ctypes.c_uint8 * 4)()

    def toBytes():
        np.multiply(x, np.float32(255), out=numbers)
        np.rint(numbers, out=numbers)
        np.clip(numbers, 0, 255, out=numbers)
        np.copyto(bytes_, numbers, casting="unsafe")

    def toPlanes():
        for channel, plane in enumerate(planes):
            np.copyto(plane, pixels[:, :, channel])

    def premultiply():
        product = pixels[:, :, 1:].astype(np.uint16)
        product *= pixels[:, :, :1]
        product += 127
        product //= 255
        others[:, :, 1:] = product
        others[:, :, 0] = pixels[:, :, 0]

    swap, table = (ctypes.c_uint8 * 4)(2, 1, 0, 3), np.arange(255, -1, -1).astype(np.uint8)
    for name, arguments, numpys in [
        ("Convert_Planar8toPlanarF", (image(bytes_), image(numbers), most, least, 0),
         lambda: np.multiply(bytes_, np.float32(1 / 255), out=numbers)),
        ("Convert_PlanarFtoPlanar8", (image(x), image(bytes_), most, least, 0), toBytes),
        ("Convert_PlanarFtoPlanar16F", (image(x), image(halves), 0), lambda: np.copyto(halves, x, casting="unsafe")),
        ("Convert_Planar16FtoPlanarF", (image(halves), image(numbers), 0), lambda: np.copyto(numbers, halves)),
        ("Convert_BGRA8888toRGB888", (image(pixels), image(rgb), 0), lambda: np.copyto(rgb, pixels[:, :, 2::-1])),
        ("Convert_ARGB8888toPlanar8", (image(pixels), *map(image, planes), 0), toPlanes),
        ("PermuteChannels_ARGB8888", (image(pixels), image(others), swap, 0),
         lambda: np.take(pixels, [2, 1, 0, 3], axis=2, out=others, mode="wrap")),
        ("PremultiplyData_ARGB8888", (image(pixels), image(others), 0), premultiply),
        ("VerticalReflect_ARGB8888", (image(pixels), image(others), 0), lambda: np.copyto(others, pixels[::-1])),
        ("HorizontalReflect_Planar8", (image(bytes_), image(otherBytes), 0),
         lambda: np.copyto(otherBytes, bytes_[:, ::-1])),
        ("Rotate90_ARGB8888", (image(pixels), image(others), ctypes.c_uint8(1), background, 0),
         lambda: np.copyto(others, np.rot90(pixels))),
        ("Rotate90_Planar8", (image(bytes_), image(otherBytes), ctypes.c_uint8(1), ctypes.c_uint8(0), 0),
         lambda: np.copyto(otherBytes, np.rot90(bytes_))),
        ("TableLookUp_Planar8", (image(bytes_), image(otherBytes), address(table), 0),
         lambda: np.take(table, bytes_, out=otherBytes, mode="wrap")),
    ]:
        ours = library["vImage" + name]
        yield "vImage" + name, lambda: ours(*arguments), numpys


lengths = [1_000, 10_000, 100_000]
names = sys.argv[2:]
times = {}
for n in lengths:
    for cases in (vectors, matrices):
        for name, ours, numpys in cases(n):
            if names and name not in names:
                continue
            pairs = [(best(ours), best(numpys)) for _ in range(30)]
            times.setdefault(name, []).append(tuple(min(side) for side in zip(*pairs)))
print("| function | " + " | ".join(f"n = {n:,}" for n in lengths) + " |")
print("|---|" + "--:|" * len(lengths))
for name, row in times.items():
    cells = [f"{ours * 1e6:.2f} µs, {ours / numpys:.2f}" for ours, numpys in row]
    print(f"| `{name}` | " + " | ".join(cells) + " |")
