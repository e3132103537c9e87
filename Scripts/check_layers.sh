#!/bin/sh
# Finds engine modules with forbidden dependencies: on file formats outside of Formats and the facades, and on kernels
# and their libraries outside of the back ends. See Documentation/Architecture.md.
set -eu
cd "$(dirname "$0")/.."
engine=Sources/Engine
failed=0

# search WORDS SENTENCE FOLDER...: finds lines of code (without comments) that contain one of WORDS. If there are any,
# prints them and SENTENCE.
search() {
  words=$1
  sentence=$2
  shift 2
  found=$(grep -rnE --include='*.swift' "$words" "$@" | grep -vE '^[^:]+:[0-9]+: *//' || true)
  if [ -n "$found" ]; then
    printf '%s\n%s\n' "$found" "$sentence" >&2
    failed=1
  fi
}

search '\bSpec\.|\bModelFormat\b|\bNeuralNetworkFormat\b' \
  "These modules must not know file formats: readers and writers belong in Sources/Formats." \
  $engine/Tensors $engine/Graph $engine/Operators $engine/Passes $engine/Backends \
  $engine/CPUBackend $engine/Execution/Plan $engine/Execution/Run

search '\bKernelCandidate\b|\bStep\b|\bimport (C[A-Z][A-Za-z]+|Backends|CPUBackend)\b|\b(ck|cpw|adnn)_[a-z]|\bDNN[A-Z]' \
  "These modules must not know kernels: kernels belong in $engine/CPUBackend." \
  $engine/Tensors $engine/Graph $engine/Operators $engine/Passes

exit $failed
