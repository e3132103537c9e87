#!/bin/sh
# Copies the program into PREFIX/bin and the gallery into PREFIX/share/atelier: `make install PREFIX=~/.local`. The
# program goes on taking Swift's libraries from the compiler that built it.
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}"
if [ $# -ne 1 ] || [ -z "$1" ]; then
  echo "usage: install.sh PREFIX" >&2
  exit 2
fi
prefix=$1
if ! mkdir -p "$prefix/bin" "$prefix/share/atelier" 2>/dev/null || [ ! -w "$prefix/bin" ] ||
  [ ! -w "$prefix/share/atelier" ]; then
  echo "install: '$prefix' cannot be written to; name a folder of yours, make install PREFIX=~/.local, or use sudo." >&2
  exit 1
fi
# A program that runs keeps its file, as the new one takes another's place.
cp "$ATELIER" "$prefix/bin/atelier.new"
mv "$prefix/bin/atelier.new" "$prefix/bin/atelier"
rm -rf "$prefix/share/atelier/Gallery.new"
mkdir "$prefix/share/atelier/Gallery.new"
for folder in Gallery/*/; do
  if [ -f "$folder/card.json" ]; then
    cp -R "${folder%/}" "$prefix/share/atelier/Gallery.new/"
  fi
done
cp -R Gallery/photos "$prefix/share/atelier/Gallery.new/"
rm -rf "$prefix/share/atelier/Gallery"
mv "$prefix/share/atelier/Gallery.new" "$prefix/share/atelier/Gallery"
echo "install: $prefix/bin/atelier, with the gallery in $prefix/share/atelier/Gallery"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "install: '$prefix/bin' is not on the PATH yet: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
