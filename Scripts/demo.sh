#!/bin/sh
# Paints the bundled photo in styles of the gallery and puts all of it on one sheet. Called by
# `make demo`; STYLES names other styles, SIZE another size.
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}" "${SIZE:=768}"
: "${STYLES:=starry-night great-wave scream composition-viii poppies}"

photo=Gallery/photos/astronaut.jpg
available=""
for style in $STYLES; do
  if [ -f "Gallery/$style/model.mlmodel" ]; then
    available="$available $style"
  else
    echo "demo: style '$style' is not in the gallery; left out." >&2
  fi
done
if [ -z "$available" ]; then
  echo "demo: none of the styles is there: $STYLES. \`$ATELIER styles\` lists those that are." >&2
  exit 1
fi

mkdir -p painted
start=$(date +%s)
set -- "$photo=photo"
for style in $available; do
  painting="painted/astronaut-$style.jpg"
  "$ATELIER" stylize "$photo" --style "$style" --size "$SIZE" --output "$painting"
  set -- "$@" "$painting=$style"
done
"$ATELIER" sheet "$@" --output painted/contact-sheet.jpg
echo "demo: painted in $(($(date +%s) - start)) s; look at painted/contact-sheet.jpg"
echo "demo: \`$ATELIER studio\` opens all of this in the browser: paint, film live, train, look, draw."
echo "demo: \`make install PREFIX=~/.local\` puts atelier into ~/.local/bin."
