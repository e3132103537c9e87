#!/bin/sh
# Writes the reference pages of the public modules with the toolchain's DocC. Called by `make docs-reference` after a
# build. Open the pages through a web server: python3 -m http.server --directory .build/reference
# usage: docc.sh [MODULE…]
set -eu
cd "$(dirname "$0")/.."
build=.build/release
graphs=.build/symbol-graphs
pages=.build/reference
[ $# -gt 0 ] || set -- CoreML Vision CreateML CoreImage CoreGraphics CoreVideo ImageIO Combine Accelerate TensorFlowLite StyleTransfer
command -v docc >/dev/null || {
  echo "docc: the toolchain has no program 'docc'. Use a complete toolchain from swift.org." >&2
  exit 1
}

maps=$(Scripts/module_maps.sh "$build")
rm -rf "$graphs"
mkdir -p "$graphs"
for module in "$@"; do
  # $maps is a list of words, so it is not quoted.
  # shellcheck disable=SC2086
  swift-symbolgraph-extract -module-name "$module" -I "$build/Modules" $maps \
    -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public -output-dir "$graphs"
done
rm -rf "$pages.new"
docc convert --additional-symbol-graph-dir "$graphs" --output-path "$pages.new" \
  --fallback-display-name Atelier --fallback-bundle-identifier atelier
rm -rf "$pages"
mv "$pages.new" "$pages"
echo "$pages: the reference of $# modules"
