#!/bin/sh
# Paints the bundled photo with the networks of several gallery styles, and once by optimisation. Arranges the photo,
# the styles' paintings and the results on a contact sheet. Called by `make demo`. STYLES lists other styles, and SIZE
# is another longer side in pixels. PAINT and DRAFT are the style and the longer side of the painting by optimisation.
# The networks paint at half of SIZE, and the network for super-resolution enlarges their paintings.
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}" "${SIZE:=768}" "${DRAFT:=320}" "${PAINT:=scream}"
: "${STYLES:=scream cafe-terrace starry-night houses-auvers poppies}"

photo=Gallery/photos/astronaut.jpg
available=""
for style in $STYLES; do
  if [ -f "Gallery/$style/style.json" ]; then
    available="$available $style"
  else
    echo "demo: style '$style' is not in the gallery; left out." >&2
  fi
done
if [ -z "$available" ]; then
  echo "demo: none of these styles exists: $STYLES. \`$ATELIER styles\` lists the existing ones." >&2
  exit 1
fi

mkdir -p painted
start=$(date +%s)
set -- "$photo=the photo"
# Painting by optimisation needs VGG-16, which is downloaded once (64 MB).
if "$ATELIER" fetch vgg16 >/dev/null 2>painted/fetch.log; then
  painting="painted/astronaut-by-optimisation.jpg"
  "$ATELIER" paint "$photo" --style "$PAINT" --size "$DRAFT" --preset draft --output "$painting"
  set -- "$@" "$painting=$PAINT by optimisation"
else
  echo "demo: nothing is painted by optimisation: $(tail -n 1 painted/fetch.log)" >&2
fi
# The network for super-resolution is downloaded once (46 MB, of which 1 MB is kept).
enlarge=""
if "$ATELIER" fetch upscaler >/dev/null 2>painted/fetch.log; then
  enlarge="--upscale 2"
else
  echo "demo: the networks paint without --upscale: $(tail -n 1 painted/fetch.log)" >&2
fi
rm -f painted/fetch.log
networks=$(date +%s)
for style in $available; do
  painting="painted/astronaut-$style.jpg"
  # shellcheck disable=SC2086 # No word, or two.
  "$ATELIER" stylize "$photo" --style "$style" --size "$SIZE" $enlarge --output "$painting"
  set -- "$@" "Gallery/$style/painting.jpg=$style" "$painting=by its network"
done
"$ATELIER" sheet "$@" --columns 4 --side 384 --output painted/contact-sheet.jpg
end=$(date +%s)
echo "demo: painted in $((end - start)) s, the networks in $((end - networks)) s; look at" \
  "painted/contact-sheet.jpg"
echo "demo: \`$ATELIER studio\` opens all of this in the browser: paint, film live, train, look, draw."
echo "demo: \`make install PREFIX=~/.local\` puts atelier into ~/.local/bin."
