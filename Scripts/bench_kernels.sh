#!/bin/sh
# Times every kernel of every convolution of five networks and prints how near to the best the chosen ones are.
# Called by `make bench-kernels`.
set -eu
: "${ATELIER:=.build/release/atelier}" "${SHARED:=../shared}" "${RUNS:=15}"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/atelier"

for file in "$SHARED"/models/starry-night/*.mlmodel "$SHARED/models/createml-style/StyleBlue.mlmodel" \
  "$SHARED/models/fns-style/FNSCandy.mlmodel" Gallery/great-wave/model.mlmodel \
  "$cache/SqueezeNet.mlmodel" "$cache/VGG16.mlmodel"; do
  if [ -f "$file" ]; then
    for units in cpuOnly all; do
      "$ATELIER" bench "$file" --kernels --runs "$RUNS" --compute-units "$units"
    done
  else
    echo "bench: $file is not at hand." >&2
  fi
done
