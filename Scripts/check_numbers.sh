#!/bin/sh
# Looks in readers and type rules for arithmetic on stated numbers that may end the process: a conversion of a real
# number to an integer, a magnitude, a product of extents. Engine/Tensors/StatedNumbers.swift has the functions
# that do not: Int(bounding:), .magnitude, .product, Shape.computed, Constant.computed.
#
# Scripts/numbers_allowed.txt lists the files in which Int( stands for another reason, with the number of lines.
set -eu
cd "$(dirname "$0")/.."
folders="Sources/Formats Sources/Engine/Operators Sources/Engine/Tensors Sources/Engine/Graph
  Sources/Engine/ClassicalModels"
failed=0

# lines PATTERN: lines of code (not of comments, nor of generated files) that match.
lines() {
  # shellcheck disable=SC2086
  grep -rnE --include='*.swift' --exclude-dir=Generated "$1" $folders |
    grep -vE '^[^:]+:[0-9]+: *//' || true
}

refuse() {
  if [ -n "$1" ]; then
    printf '%s\n%s\n' "$1" "$2" >&2
    failed=1
  fi
}

refuse "$(lines '(^|[^A-Za-z0-9_.])abs\(')" "abs( ends the process for the least integer; write .magnitude."
refuse "$(lines 'reduce\(1, *\*\)|reduce\(1\) *\{ *\$0 \*' |
  grep -v 'Engine/Operators/Reduction/ReductionMode.swift' || true)" \
  "A product of extents may overflow; write .product, which saturates."

# Int( of something without a label, other than the bounds of types, numbers read from bytes, and texts.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lines '(^|[^A-Za-z0-9_.])Int\(' |
  grep -vE '^[^:]+:[0-9]+:.*Int\((exactly|clamping|truncatingIfNeeded|bounding|bitPattern):' |
  grep -vE 'Int\((Int32|UInt32)\.(max|min)\)|Int\(try [A-Za-z.]*read\(|\{ Int\(\$0\) \}|Int\( *$' |
  cut -d: -f1 | sort | uniq -c | awk '{ print $1, $2 }' | sort >"$work/found"
grep -vE '^(#|$)' Scripts/numbers_allowed.txt | awk '{ print $1, $2 }' | sort >"$work/allowed"
refuse "$(comm -23 "$work/found" "$work/allowed")" \
  "Lines with Int( in these files: of a real number, or of one that a file states, write Int(bounding:). What is checked before is listed in Scripts/numbers_allowed.txt, with the reason."
refuse "$(comm -13 "$work/found" "$work/allowed")" \
  "Scripts/numbers_allowed.txt allows these, which have changed: count again, and look at them."

exit $failed
