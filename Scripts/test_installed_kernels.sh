#!/bin/bash
# Runs the tests of the kernels and of the engine with the matrix products and the thread teams of the installed program,
# in place of oneDNN and libgomp. Links the tests a second time, after `swift build --build-tests`.
#
#   Scripts/test_installed_kernels.sh [REGEX]     # which tests; default: those of our kernels, the layers and the engine
set -euo pipefail
cd "$(dirname "$0")/.."
# The other suites of KernelsTests test oneDNN's interface itself.
tests=${1:-^(KernelsTests\\.KernelTests|LayersTests\\.|EngineTests\\.)}
build=${ATELIER_BUILD:-.build/release}
folder=.build/installed-kernels
bundle=AtelierPackageTests
if [ ! -f "$build/$bundle.product/Objects.LinkFileList" ]; then
  echo "test_installed_kernels: '$build/$bundle.product' is missing. Run \`swift build --build-tests\` first (Makefile)." >&2
  exit 1
fi
mkdir -p "$folder/objects"
Scripts/compile_products.sh "$folder/objects"
tr -d "'\"" <"$build/$bundle.product/Objects.LinkFileList" | grep -v "/COneDNN\.build/" >"$folder/list"
swiftc -emit-executable -o "$folder/$bundle.xctest" -module-name "$bundle" @"$folder/list" "$folder"/objects/*.o \
  -lgobject-2.0 -lglib-2.0 -lstdc++ -lz -ljpeg -lpng16 -l_FoundationICU -Xlinker --gc-sections -Xlinker --export-dynamic
if readelf --dynamic "$folder/$bundle.xctest" | grep -E 'libgomp|libdnnl'; then
  echo "test_installed_kernels: the tests still load the library above." >&2
  exit 1
fi
"$folder/$bundle.xctest" --testing-library swift-testing --filter "$tests"
