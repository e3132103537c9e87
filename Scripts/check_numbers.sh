#!/bin/sh
# Finds arithmetic in readers and shape inference that would end the process for some numbers in a file: conversions of
# floating-point numbers to integers, absolute values, products of extents. Engine/Tensors/StatedNumbers.swift has
# functions that never end the process: Int(bounding:), .magnitude, .product, Shape.computed, Constant.computed.
#
# Scripts/numbers_allowed.txt lists the files that may use Int(, and the number of such lines in each.
set -eu
cd "$(dirname "$0")/.."
folders="Sources/Formats Sources/Engine/Operators Sources/Engine/Tensors Sources/Engine/Graph
  Sources/Engine/ClassicalModels"
failed=0

# lines PATTERN: prints the lines of code (without comments and generated files) that match.
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

refuse "$(lines '(^|[^A-Za-z0-9_.])abs\(')" "abs( traps for the smallest integer; write .magnitude."
refuse "$(lines 'reduce\(1, *\*\)|reduce\(1\) *\{ *\$0 \*' |
  grep -v 'Engine/Operators/Reduction/ReductionMode.swift' || true)" \
  "A product of extents may overflow; write .product, which saturates."

# Counts uses of Int( without a label per file. Bounds of types, numbers read from bytes, and texts are allowed.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lines '(^|[^A-Za-z0-9_.])Int\(' |
  grep -vE '^[^:]+:[0-9]+:.*Int\((exactly|clamping|truncatingIfNeeded|bounding|bitPattern):' |
  grep -vE 'Int\((Int32|UInt32)\.(max|min)\)|Int\(try [A-Za-z.]*read\(|\{ Int\(\$0\) \}|Int\( *$' |
  cut -d: -f1 | sort | uniq -c | awk '{ print $1, $2 }' | sort >"$work/found"
grep -vE '^(#|$)' Scripts/numbers_allowed.txt | awk '{ print $1, $2 }' | sort >"$work/allowed"
refuse "$(comm -23 "$work/found" "$work/allowed")" \
  "Lines with Int( in these files: for a floating-point number or a number from a file, write Int(bounding:). List checked uses in Scripts/numbers_allowed.txt, with the reason."
refuse "$(comm -13 "$work/found" "$work/allowed")" \
  "Scripts/numbers_allowed.txt allows a different number of these lines: check them and update the count."

exit $failed
