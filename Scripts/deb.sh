#!/bin/bash
# Makes a Debian package of the files that `make install` installs: FOLDER/atelier_VERSION_amd64.deb, for Debian 12 and
# 13 and Ubuntu 22.04 and later.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(.build/installed/libatelier.so --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || clang -print-multiarch)
root=$work/root
umask 022
QUIET=yes Scripts/install.sh "$root/usr" "lib/$triplet"

documents=$root/usr/share/doc/atelier
date=$(git log -1 --format=%cD 2>/dev/null || date -R)
cat >"$work/changelog" <<CHANGES
atelier ($version) unstable; urgency=medium

  * Built from the sources. CHANGELOG.md there lists the changes.

 -- Atelier contributors <maintainers@users.noreply.a-seed-98ffeedd.example>  $date
CHANGES
gzip -9nc "$work/changelog" >"$documents/changelog.gz"
mkdir -p "$root/usr/share/lintian/overrides" "$root/DEBIAN"
cp Packaging/lintian-overrides "$root/usr/share/lintian/overrides/atelier"
home=$(Scripts/home_page.sh)
cat >"$root/DEBIAN/control" <<CONTROL
Package: atelier
Version: $version
Architecture: $architecture
Maintainer: Atelier contributors <maintainers@users.noreply.a-seed-98ffeedd.example>
Installed-Size: $(du -ks --apparent-size "$root/usr" | cut -f 1)
Depends: libc6 (>= 2.34), libgcc-s1
Recommends: libvips42 | libvips42t64, ffmpeg
Suggests: libmicrohttpd12 | libmicrohttpd12t64, libssl3 | libssl3t64, python3-pip, curl
Section: graphics
Priority: optional${home:+
Homepage: $home}
Description: paints photos with Core ML style networks, and runs Core ML models
 Atelier runs Core ML models (neural networks, ML Programs, classical models)
 on the processor, and paints photos with style networks. This package has the
 program atelier, the library libatelier for C with its header, and a gallery
 of styles. It reads and writes JPEG and PNG; other formats need libvips.
CONTROL
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f -printf '%P\0' | sort -z | sed -z 's,^,usr/,' | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
mkdir -p "$folder"
package=$folder/atelier_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package.new" >/dev/null
mv "$package.new" "$package"
echo "deb: $package, $(du -h "$package" | cut -f 1)"
