#!/bin/bash
# Packs the files that `make install` installs into FOLDER/atelier-VERSION-linux-x86_64.tar.gz. Users may unpack it in
# any folder: the program finds its gallery beside itself.
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
