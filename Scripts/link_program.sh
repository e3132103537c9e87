#!/bin/bash
# Links libatelier.so, the file that `make install` installs. Other programs load it as a C library, and it also starts
# as the program `atelier`. It contains the Swift runtime, libstdc++, libjpeg, libpng and zlib, so it needs only the C
# library. C/CProducts replaces oneDNN, and Packaging/Teams.cpp replaces libgomp. Other libraries are loaded at their
# first use.
#
#   Scripts/link_program.sh FOLDER      # after `swift build` of the products atelier and atelier-c
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
build=${ATELIER_BUILD:-.build/release}
mkdir -p "$folder/objects"

swift_lib=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift_static/linux
table=$(nm "$swift_lib/lib_FoundationICU.a" 2>/dev/null | sed -n 's/.* R \(icudt[0-9]*_dat\)$/\1/p' | head -n 1)
if [ -z "$table" ]; then
  echo "link_program: '$swift_lib/lib_FoundationICU.a' has no symbol icudt…_dat. Look up how this Swift names ICU's data." >&2
  exit 1
fi

compile() { # SOURCE OBJECT FLAGS
  local source=$1 object=$2
  shift 2
  clang -c -O2 -fPIC -ffunction-sections -fdata-sections "$@" "$source" -o "$folder/objects/$object"
}
compile Packaging/EmptyICU.c EmptyICU.o "-DICU_TABLE=$table"
compile Packaging/Program.c Program.o
compile Packaging/GLib.c GLib.o
compile Packaging/Maths.c Maths.o
Scripts/compile_products.sh "$folder/objects"

# Lists the object files of both products once each, without the interface to oneDNN, and without the modules that only
# plug-ins in Swift use: the installed program loads none. If a command comes to need one of them, linking fails.
only_plugins='Accelerate|CAccelerate|AVFoundation|CryptoKit|OSLog|os|QuartzCore|TensorFlowLite|UniformTypeIdentifiers'
cat "$build/atelier.product/Objects.LinkFileList" "$build/atelier-c.product/Objects.LinkFileList" |
  tr -d "'\"" | sort -u | grep -vE "/(COneDNN|$only_plugins)\.build/" >"$folder/objects/list"
# Removes the unwind tables of Swift code, the Swift runtime and Foundation. No C++ exception passes through them, so
# nothing reads the tables. Also removes `.swift_modhash`, which only the compiler reads. The compiler takes its archives
# from the folder `resources`.
unused=(--remove-section=.eh_frame --remove-section=.rela.eh_frame --remove-section=.swift_modhash)
objcopy=$(dirname "$(readlink -f "$(command -v swiftc)")")/llvm-objcopy
resources=$folder/resources
mkdir -p "$resources/linux"
for item in "$swift_lib"/*; do
  copy=$resources/linux/$(basename "$item")
  case "$item" in
    *.a)
      if [ "$item" -nt "$copy" ]; then
        "$objcopy" "${unused[@]}" "$item" "$copy.new"
        mv "$copy.new" "$copy"
      fi
      ;;
    *) ln -sfn "$item" "$copy" ;;
  esac
done
mkdir -p "$folder/objects/swift"
while IFS= read -r object; do
  case "$object" in
    *.swift.o)
      copy=$folder/objects/swift/$(basename "$(dirname "$object")")-$(basename "$object")
      if [ "$object" -nt "$copy" ]; then
        "$objcopy" "${unused[@]}" "$object" "$copy"
      fi
      echo "$copy"
      ;;
    *) echo "$object" ;;
  esac
done <"$folder/objects/list" >"$folder/objects/stripped"

driver=${CC:-clang}
start=$($driver -print-file-name=Scrt1.o)
# The linker searches this folder first, and so finds the static libstdc++.
cp "$($driver -print-file-name=libstdc++.a)" "$folder/objects/"
libraries=()
# Debian compiles these archives for programs. In a library, only their references to `stderr` do not link. So they are
# renamed, and Packaging/Program.c defines the replacement.
for name in libjpeg libpng16 libz; do
  objcopy --redefine-sym stderr=packaged_stderr "$($driver -print-file-name="$name.a")" "$folder/objects/$name.a"
  libraries+=("$folder/objects/$name.a")
done
swiftc -emit-library -static-stdlib -resource-dir "$resources" -use-ld=lld -module-name atelier -o "$folder/libatelier.so" \
  -L "$folder/objects" "$start" "$folder"/objects/*.o @"$folder/objects/stripped" \
  -lFoundationInternationalization -l_FoundationICU -l_FoundationCShims -l_FoundationCollections \
  -lCoreFoundation -lBlocksRuntime \
  "${libraries[@]}" \
  -Xlinker -soname=libatelier.so -Xlinker --version-script=Packaging/exports.map \
  -Xlinker -e -Xlinker _start -Xlinker --gc-sections -Xlinker --icf=all -Xlinker -O2 -Xlinker --as-needed -Xlinker --strip-all \
  -Xlinker -z -Xlinker defs -Xlinker --build-id=sha1 -Xlinker -z -Xlinker relro
chmod 755 "$folder/libatelier.so"
