#!/bin/sh
# Paints a photo with a style network. Called by `make demo`.
set -eu
: "${ATELIER:=.build/release/atelier}" "${SHARED:=../shared}"

model=""
for candidate in createml-style/StyleBlue starry-night/StarryNight fns-style/FNSCandy; do
  file=$(find "$SHARED/models" -path "*${candidate%/*}/*" -iname "*${candidate#*/}*.mlmodel" \
    2>/dev/null | sort | head -n 1)
  if [ -n "$file" ]; then
    model="$file"
    break
  fi
done
if [ -z "$model" ]; then
  echo "demo: there is no style network in $SHARED/models, so nothing can be painted yet." >&2
  echo "demo: give one: $ATELIER stylize PHOTO --model YOURS.mlmodel -o painted/" >&2
  echo "demo: (styles that come with Atelier are the matter of a later version)" >&2
  exit 0
fi
photo="$SHARED/pictures/photos/skimage-astronaut.png"
if [ ! -f "$photo" ]; then
  photo="Documentation/Pictures/astronaut.jpg"
fi
mkdir -p painted
echo "demo: painting $photo with $model"
"$ATELIER" stylize "$photo" --model "$model" --output painted/
