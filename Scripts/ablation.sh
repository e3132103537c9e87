#!/bin/sh
# Trains one painting with every recipe of `atelier train --recipe`, paints held-out photos with each network, and writes
# a contact sheet and a table (Documentation/Training.md). Called by `make ablation`. The trainings run one after the
# other with low priority; an interrupted run continues where it stopped. Each training gets the same number of pictures
# from the same random weights.
#
#   STYLE                  the painting, by its name in Gallery/paintings.tsv (default: scream)
#   RECIPES                the recipes to compare (default: all)
#   STEPS, SIDE, BATCH     of the trainings (defaults: 2000, 192, 4)
#   OPTIONS                other options of `atelier train`
#   OTHERS                 networks to compare with: LABEL=FILE.mlmodel …
#   SIZE, COUNT            the longer side (default: 512) and the number (default: 6) of the held-out photos
#   WORK                   the folder for all files (default: .build/ablation/STYLE-SIDE-STEPSxBATCH)
#   BACKGROUND=yes         runs in the background; the log is WORK/log
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}" "${STYLE:=scream}"
: "${RECIPES:=equal-layers papers whole-photos no-picture-shortcut colors neighbors}"
: "${STEPS:=2000}" "${SIDE:=192}" "${BATCH:=4}" "${OPTIONS:=}" "${OTHERS:=}" "${SIZE:=512}" "${COUNT:=6}"
: "${WORK:=.build/ablation/$STYLE-$SIDE-${STEPS}x$BATCH}" "${PAGE:=Documentation/Training.md}"
mkdir -p "$WORK"
if [ "${BACKGROUND:-no}" = yes ]; then
  BACKGROUND=no nohup "$0" > "$WORK/log" 2>&1 &
  echo "ablation: process $! writes $WORK/log."
  exit
fi

pictures=$(Scripts/pictures_folder.sh)
file=$(awk -F '\t' -v name="$STYLE" '$1 == name { print $2 }' Gallery/paintings.tsv)
painting=$pictures/paintings/$file
if [ -z "$file" ] || [ ! -f "$painting" ]; then
  echo "ablation: the painting '$painting' of the style '$STYLE' is missing; Gallery/paintings.tsv lists the styles." >&2
  exit 1
fi
"$ATELIER" fetch vgg16

# Links all photos except the held-out ones.
contents=$WORK/photos
rm -rf "$contents"
mkdir -p "$contents"
for photo in "$pictures/photos"/*; do
  grep -qxF "$(basename "$photo")" Gallery/held-out.txt || ln -s "$(realpath "$photo")" "$contents/"
done

networks=""
for recipe in $RECIPES; do
  model=$WORK/$recipe.mlmodel
  if [ ! -f "$model" ]; then
    echo "ablation: $recipe, $STEPS steps of $BATCH pictures of $SIDE pixels"
    # $OPTIONS is a list of words, so it is not quoted.
    # shellcheck disable=SC2086
    nice -n 10 "$ATELIER" train "$painting" --content "$contents" --recipe "$recipe" --initial none \
      --iterations "$STEPS" --picture-side "$SIDE" --batch "$BATCH" --density "$SIDE" \
      --output "$model" --resume $OPTIONS
  fi
  networks="$networks $recipe=$model"
done
networks="$networks $OTHERS"

# The photos are small copies, so that `judge` compares pictures of the same size.
held=$(sed "s|^|$pictures/photos/|" Gallery/held-out.txt | head -n "$COUNT")
columns=$((1 + $(echo "$networks" | wc -w)))
"$ATELIER" fetch judge || echo "ablation: without LPIPS and DISTS there is no table." >&2
set -- # the pictures of the sheet
for photo in $held; do set -- "$@" "$photo=photo"; done
for network in $networks; do
  label=${network%%=*}
  folder=$WORK/painted/$label
  mkdir -p "$folder"
  painted="" options=""
  for photo in $held; do
    made=$folder/$(basename "${photo%.*}").png
    [ "$made" -nt "${network#*=}" ] ||
      nice -n 10 "$ATELIER" stylize "$photo" --model "${network#*=}" --size "$SIZE" --output "$made"
    painted="$painted $made" options="$options --photo $photo"
    set -- "$@" "$made=$label"
  done
  # shellcheck disable=SC2086
  nice -n 10 "$ATELIER" judge $painted $options --painting "$painting" --size "$SIZE" --json \
    > "$WORK/painted/$label.json"
done
Scripts/ablation_table.py "$WORK/painted" $networks > "$WORK/table.md"

# The networks' pictures come one network after the other. The sheet has one row per photo, so they are reordered.
rows=$(echo "$held" | wc -w)
order=$(awk -v rows="$rows" -v columns="$columns" \
  'BEGIN { for (r = 1; r <= rows; r++) for (c = 0; c < columns; c++) print c * rows + r }')
list=""
for index in $order; do
  eval "list=\"\$list \${$index}\""
done
# shellcheck disable=SC2086
"$ATELIER" sheet $list --columns "$columns" --side 320 --output "$WORK/sheet.jpg"

awk -v table="$WORK/table.md" '
  /^<!-- ablation -->/ { print; print ""; while ((getline line < table) > 0) print line; print ""; inside = 1; next }
  /^<!-- end of ablation -->/ { inside = 0 }
  !inside { print }' "$PAGE" > "$WORK/page.md"
cp "$WORK/page.md" "$PAGE"
echo "ablation: $PAGE has the table, $WORK/sheet.jpg shows the pictures."
