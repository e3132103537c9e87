#!/bin/bash
# Compiles what the installed program has in place of oneDNN and libgomp: C/CProducts and Packaging/Teams.cpp. Writes one
# object file for each source.
#
#   Scripts/compile_products.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
mkdir -p "$folder"
for source in Packaging/Teams.cpp C/CProducts/*.cpp; do
  name=$(basename "$source" .cpp)
  case "$name" in
    *AVX2) flags="-mavx2 -mfma" ;;
    *AVX512) flags="-mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma" ;;
    *) flags="" ;;
  esac
  # $flags is a list of words, so it is not quoted.
  clang -c -O2 -fPIC -std=c++17 -ffunction-sections -fdata-sections -fvisibility=hidden -IC/COneDNN/include \
    -IC/CKernels/include $flags "$source" -o "$folder/$name.o"
done
