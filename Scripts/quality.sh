#!/bin/sh
# Compares three styles of the gallery with optimisation on 20 photos and writes the table: `make
# quality`. STYLES, PHOTOS, LIMIT and SIZE change what is compared. The paintings and photos are those of
# PICTURES, or are fetched (pictures_folder.sh). What was measured is kept in .build/quality.csv; remove it to begin
# anew.
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}"
: "${STYLES:=starry-night great-wave scream}" "${LIMIT:=100}" "${SIZE:=512}" "${COUNT:=20}"

pictures=$(Scripts/pictures_folder.sh)
if [ -z "${PHOTOS:-}" ]; then
  # Those that the gallery was not trained on.
  PHOTOS=$(sed "s|^|$pictures/photos/|" Gallery/held-out.txt | head -n "$COUNT")
fi
csv=.build/quality.csv
for start in photo noise; do
  for style in $STYLES; do
    file=$(awk -F '\t' -v name="$style" '$1 == name { print $2 }' Gallery/paintings.tsv)
    # shellcheck disable=SC2086
    "$ATELIER" quality $PHOTOS --style "$style" --painting "$pictures/paintings/$file" \
      --start "$start" --csv "$csv" --size "$SIZE" --limit "$LIMIT" | tee .build/quality.log
  done
done
table=$(grep '^|' .build/quality.log)
page=Documentation/Quality.md
awk -v table="$table" '
  /^<!-- table -->/ { print; print ""; print table; print ""; inside = 1; next }
  /^<!-- end -->/ { inside = 0 }
  !inside { print }' "$page" > "$page.new"
mv "$page.new" "$page"
echo "quality: $page has the table."
