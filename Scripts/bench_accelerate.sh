#!/bin/sh
# Compares the functions of Accelerate with NumPy's, on one thread (Benchmarks/accelerate.py). Needs a release build of
# the tests or of the target Accelerate, and Python with NumPy: PYTHON=/path/to/python chooses one.
set -eu
cd "$(dirname "$0")/.."
library=$(mktemp -d)/libaccelerate.so
folders=".build/release/CAccelerate.build .build/release/CKernels.build .build/release/CNormStatistics.build"
# Lists of words, so they are not quoted.
objects=$(find $folders -name '*.o')
clang++ -shared -o "$library" $objects -l:libgomp.so.1
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "${PYTHON:-python3}" Benchmarks/accelerate.py "$library" "$@"
rm -r "$(dirname "$library")"
