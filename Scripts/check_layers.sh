#!/bin/sh
# Says where a room of the engine knows what it must not: file formats outside of Formats and the facades,
# kernels and their libraries outside of the back ends. See Documentation/Architecture.md.
set -eu
cd "$(dirname "$0")/.."
engine=Sources/Engine
failed=0

# search WORDS SENTENCE FOLDER...: lines of code (not of comments) that hold one of the words.
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
  "The rooms above know no file format: readers and writers stand in Sources/Formats." \
  $engine/Tensors $engine/Graph $engine/Operators $engine/Passes $engine/Backends \
  $engine/CPUBackend $engine/Execution/Plan $engine/Execution/Run

search '\bKernelCandidate\b|\bStep\b|\bimport (C[A-Z][A-Za-z]+|Backends|CPUBackend)\b|\b(ck|cpw|adnn)_[a-z]|\bDNN[A-Z]' \
  "The rooms above know no kernel: kernels stand in $engine/CPUBackend." \
  $engine/Tensors $engine/Graph $engine/Operators $engine/Passes

exit $failed
