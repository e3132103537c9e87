#!/bin/sh
# Times the style networks at hand. Called by `make bench`.
set -eu
: "${ATELIER:=.build/release/atelier}" "${SHARED:=../shared}"

found=no
for file in $(find "$SHARED/models/starry-night" "$SHARED/models/createml-style" \
  "$SHARED/models/fns-style" -name '*.mlmodel' 2>/dev/null | sort); do
  found=yes
  for units in cpuOnly all; do
    "$ATELIER" bench "$file" --compute-units "$units" --runs 20
  done
done
if [ "$found" = no ]; then
  echo "bench: there are no models in $SHARED/models. Time your own: $ATELIER bench MODEL" >&2
fi
