#!/bin/bash
# Installs the program, the library for C, the gallery, manual pages and completions in a folder:
#
#   Scripts/install.sh PREFIX [LIBRARIES]      # LIBRARIES: the folder for libraries below PREFIX (default: lib)
#
# `make install PREFIX=~/.local` calls it. The program needs neither Swift nor a Debian package.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${ATELIER_INSTALLED:=.build/installed/libatelier.so}"
if [ $# -lt 1 ] || [ -z "$1" ]; then
  echo "usage: install.sh PREFIX [LIBRARIES]" >&2
  exit 2
fi
prefix=$1
libraries=${2:-lib}
share=$prefix/share
if ! mkdir -p "$prefix/bin" "$prefix/$libraries/pkgconfig" "$prefix/include" "$share/atelier" 2>/dev/null ||
  [ ! -w "$prefix/bin" ] || [ ! -w "$prefix/$libraries" ] || [ ! -w "$share/atelier" ]; then
  echo "install: '$prefix' is not writable; choose a writable folder, make install PREFIX=~/.local, or use sudo." >&2
  exit 1
fi

# Copies to a new file and renames it. So a running program still uses its old file.
put() { # MODE FILE DESTINATION
  mkdir -p "$(dirname "$3")"
  install -m "$1" "$2" "$3.new"
  mv -f "$3.new" "$3"
}
put 755 "$ATELIER_INSTALLED" "$prefix/$libraries/libatelier.so"
# The library is also the program.
ln -sfn "../$libraries/libatelier.so" "$prefix/bin/atelier.new"
mv -fT "$prefix/bin/atelier.new" "$prefix/bin/atelier"
put 644 C/CAtelierHeader/include/atelier.h "$prefix/include/atelier.h"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$PWD/$ATELIER_INSTALLED
case "$ATELIER_INSTALLED" in /*) program=$ATELIER_INSTALLED ;; esac
version=$("$program" --version | cut -d ' ' -f 2)
up=$(dirname "$libraries/pkgconfig" | sed 's,[^/]*,..,g')/..
cat >"$work/atelier.pc" <<PC
prefix=\${pcfiledir}/$up
libdir=\${prefix}/$libraries
includedir=\${prefix}/include

Name: atelier
Description: Core ML models on Linux
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -latelier
PC
put 644 "$work/atelier.pc" "$prefix/$libraries/pkgconfig/atelier.pc"

if "$program" manual "$work/man" >/dev/null 2>&1; then
  for page in "$work"/man/*.1; do
    gzip -9n "$page"
    put 644 "$page.gz" "$share/man/man1/$(basename "$page").gz"
  done
fi
complete() { # SHELL DESTINATION
  if "$program" completions "$1" >"$work/$1" 2>/dev/null; then put 644 "$work/$1" "$2"; fi
}
complete bash "$share/bash-completion/completions/atelier"
complete zsh "$share/zsh/vendor-completions/_atelier"
complete fish "$share/fish/vendor_completions.d/atelier.fish"
put 644 Packaging/copyright "$share/doc/atelier/copyright"

rm -rf "$share/atelier/Gallery.new"
mkdir "$share/atelier/Gallery.new"
for folder in Gallery/*/; do
  if [ -f "$folder/style.json" ]; then
    cp -R "${folder%/}" "$share/atelier/Gallery.new/"
  fi
done
cp Gallery/networks.json Gallery/*.mlmodel "$share/atelier/Gallery.new/"
cp -R Gallery/photos "$share/atelier/Gallery.new/"
chmod -R u=rwX,go=rX "$share/atelier/Gallery.new"
rm -rf "$share/atelier/Gallery"
mv "$share/atelier/Gallery.new" "$share/atelier/Gallery"

[ "${QUIET:-}" ] && exit 0
echo "install: $prefix/bin/atelier, with the gallery in $share/atelier/Gallery"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "install: '$prefix/bin' is not on the PATH yet: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
