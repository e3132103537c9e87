#!/bin/sh
# Judges the gallery's styles and reference networks (FNS-Scream, FNS-Candy, Magenta's pair) on photos that no
# training used, and writes the table into Documentation/Quality.md. Called by `make quality`.
#
#   COUNT    how many of the photos in Gallery/held-out.txt (default: 20, which are all), evenly spaced
#   SIZE     the longer side of the pictures, in pixels (default: 512)
#   STYLES   the names of gallery styles (default: all)
#   CANDY    the painting of FNS-Candy, which is not free and so not in PICTURES (default: PICTURES/paintings/candy.jpg)
#
# The paintings and photos come from PICTURES, or are fetched (pictures_folder.sh). A reference network is left out if
# it or its painting is missing. Painted pictures are in .build/quality; delete this folder to paint again.
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}" "${SHARED:=../shared}" "${COUNT:=20}" "${SIZE:=512}"
: "${STYLES:=$(for file in Gallery/*/style.json; do basename "$(dirname "$file")"; done)}"

pictures=$(Scripts/pictures_folder.sh)
: "${CANDY:=$pictures/paintings/candy.jpg}"
fns=$SHARED/models/fns-style
work=.build/quality
table=$work/table.md
mkdir -p "$work"
for needed in vgg16 judge arbitrary-style; do "$ATELIER" fetch "$needed" >&2; done
# Takes COUNT photos at equal distances from the list.
photos=$(awk -v count="$COUNT" '{ line[NR] = $0 } END {
  for (i = 1; i <= NR; i++) if (int(i * count / NR) > int((i - 1) * count / NR)) print line[i]
}' Gallery/held-out.txt)

# painting STYLE: prints the painting's file.
painting() {
  awk -F '\t' -v name="$1" -v folder="$pictures/paintings" \
    '$1 == name { print folder "/" $2 }' Gallery/paintings.tsv
}

# row NAME PAINTING OPTION…: paints the photos with `stylize OPTION…`, judges them, and adds the means to the table.
row() {
  name=$1 painting=$2
  shift 2
  if [ ! -f "$painting" ]; then
    echo "quality: $name is left out, because its painting '$painting' is missing." >&2
    return
  fi
  folder=$work/$(echo "$name" | tr -d ',' | tr ' ' '-')-$SIZE
  mkdir -p "$folder"
  for photo in $photos; do
    [ -f "$folder/$photo.png" ] ||
      "$ATELIER" stylize "$pictures/photos/$photo" "$@" --size "$SIZE" -o "$folder/$photo.png" >&2
  done
  set --
  for photo in $photos; do set -- "$@" "$folder/$photo.png" --photo "$pictures/photos/$photo"; done
  # The last line has the means, in its last twelve words.
  "$ATELIER" judge "$@" --painting "$painting" --size "$SIZE" | tail -n 1 | awk -v name="$name" '{
    line = "| " name
    for (field = NF - 11; field <= NF; field++) line = line " | " $field
    print line " |"
  }' >> "$table"
  tail -n 1 "$table" >&2
}

{
  echo "Means of $(echo "$photos" | wc -l) photos at $SIZE pixels:"
  echo
  echo "| network | contrast | colour | near | photo's near | cover | LPIPS | DISTS |" \
    "Gram relu1_2 | relu2_2 | relu3_3 | relu4_3 | relu5_3 |"
  echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
} > "$table"
# --own-colors leaves out the colour adjustment after the network, so that only the network is judged.
for style in $STYLES; do row "$style" "$(painting "$style")" --style "$style" --own-colors; done
for style in $STYLES; do
  row "$style, lite" "$(painting "$style")" --style "$style" --lite --own-colors
done
if [ -f "$fns/FNSScream.mlmodel" ]; then
  row FNS-Scream "$(painting scream)" --model "$fns/FNSScream.mlmodel"
  row FNS-Candy "$CANDY" --model "$fns/FNSCandy.mlmodel"
else
  echo "quality: the FNS networks are left out, because '$fns' is missing." >&2
fi
for style in starry-night great-wave scream composition-viii; do
  row "Magenta, $style" "$(painting "$style")" --style-image "$(painting "$style")"
done

page=Documentation/Quality.md
awk -v table="$table" '
  /^<!-- table -->/ { print; print ""; while ((getline line < table) > 0) print line; print ""; inside = 1; next }
  /^<!-- end -->/ { inside = 0 }
  !inside { print }' "$page" > "$page.new"
mv "$page.new" "$page"
echo "quality: $page has the table."
