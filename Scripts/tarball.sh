#!/bin/bash
# Packs what `make install` installs: FOLDER/atelier-VERSION-linux-x86_64.tar.gz. Unpack it anywhere; the program finds
# its gallery beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(.build/installed/libatelier.so --version | cut -d ' ' -f 2)
name=atelier-$version-linux-$(uname -m)
QUIET=yes Scripts/install.sh "$work/$name"
mkdir -p "$folder"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct 2>/dev/null || date +%s)" \
  -cf - "$name" | gzip -9n >"$folder/$name.tar.gz.new"
mv "$folder/$name.tar.gz.new" "$folder/$name.tar.gz"
echo "tarball: $folder/$name.tar.gz, $(du -h "$folder/$name.tar.gz" | cut -f 1)"
