#!/bin/bash
# Installs the tarball, the Debian package and the wheel in bare Debian and Ubuntu systems (debootstrap, without
# recommended packages), and paints a photo with each. The tarball and the wheel are installed by a user who is not root.
# With the wheel, coremltools also predicts a style network and an ML Program. In Debian 12, the commands of
# Packaging/Dockerfile run, too. Needs root, debootstrap and .build/packages.
#
#   Scripts/test_packages.sh [SUITE …]      # default: bookworm trixie; also: jammy noble
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- bookworm trixie
roots=${ROOTS:-.build/roots}
packages=.build/packages
mkdir -p "$roots"

# Ubuntu's suites of supported versions. Their signatures are checked with Ubuntu's keys, which Debian has no package of:
# pool/main/u/ubuntu-keyring on the mirror has.
make_root() { # SUITE FOLDER
  case "$1" in
    jammy | noble)
      # debootstrap of Debian 12 does not know noble, which is made as jammy is.
      local script=/usr/share/debootstrap/scripts/$1
      [ -e "$script" ] || script=/usr/share/debootstrap/scripts/jammy
      debootstrap --variant=minbase --components=main,universe "$1" "$2" http://archive.ubuntu.com/ubuntu "$script"
      ;;
    *) debootstrap --variant=minbase "$1" "$2" http://deb.debian.org/debian ;;
  esac
}

if command -v lintian >/dev/null; then
  echo "== lintian"
  lintian --fail-on error,warning "$packages"/atelier_*.deb
fi

for suite in "$@"; do
  root=$roots/$suite
  [ -e "$root/made" ] || { make_root "$suite" "$root" >"$roots/$suite.log" && touch "$root/made"; }
  inside() { chroot "$root" "$@"; }
  user() { chroot --userspec=1000:1000 "$root" env -i PATH=/usr/bin:/bin HOME=/home/user "$@"; }
  rm -rf "$root/home/user"
  mkdir -p "$root/home/user" "$root/proc"
  cp "$packages"/atelier-*.tar.gz "$packages"/atelier_*.deb "$packages"/*.whl Gallery/photos/astronaut.jpg "$root/home/user/"
  cp Scripts/predict_installed.py "$root/home/user/"
  chown -R 1000:1000 "$root/home/user"
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  trap 'umount "$root/proc"' EXIT

  echo "== $suite, tarball"
  user bash -c 'TIMEFORMAT="%R s"; cd ~ && tar xzf atelier-*.tar.gz && time atelier-*/bin/atelier stylize astronaut.jpg --style scream -o tarball.png'

  echo "== $suite, Debian package"
  inside sh -c 'dpkg -i /home/user/atelier_*.deb >/dev/null'
  user bash -c 'TIMEFORMAT="%R s"; cd ~ && time atelier stylize astronaut.jpg --style scream -o deb.jpg'
  inside dpkg -r atelier >/dev/null

  echo "== $suite, wheel"
  inside sh -c 'command -v python3 >/dev/null && python3 -m venv --help >/dev/null 2>&1 && python3 -c "import ensurepip" 2>/dev/null' ||
    inside sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv ca-certificates >/dev/null 2>&1'
  # The host's pip downloads what coremltools needs, so that no key and no proxy setting enters the bare system. It follows
  # the conditions of the host's Python, and Python 3.10 needs exceptiongroup besides.
  user bash -c 'TIMEFORMAT="%R s"; cd ~ && python3 -m venv venv'
  python=$(inside python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
  wheels=$roots/wheels-$python
  mkdir -p "$wheels"
  "${PYTHON:-python3}" -m pip download --quiet --only-binary=:all: --python-version "$python" --platform manylinux_2_17_x86_64 \
    --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 --platform manylinux1_x86_64 \
    -d "$wheels" coremltools numpy pillow exceptiongroup
  mkdir -p "$root/home/user/wheels"
  cp "$wheels"/*.whl "$root/home/user/wheels/"
  user bash -c 'TIMEFORMAT="%R s"; cd ~ && venv/bin/pip install --quiet --no-index --find-links wheels ./atelier_coreml-*.whl coremltools'
  user bash -c 'TIMEFORMAT="%R s"; cd ~ && time venv/bin/atelier stylize astronaut.jpg --style scream -o wheel.jpg'
  user bash -c 'TIMEFORMAT="%R s"; cd ~ && venv/bin/python predict_installed.py'
  umount "$root/proc"
  trap - EXIT

  if [ "$suite" = bookworm ]; then
    # Docker's daemon is not needed: the image's commands run in a copy of the system, and then its entry point.
    echo "== $suite, the commands of Packaging/Dockerfile"
    copy=$roots/dockerfile
    rm -rf "$copy"
    cp -a "$root" "$copy"
    cp "$packages"/atelier_*.deb "$copy/tmp/"
    commands=$(sed -n '/^RUN /,/[^\\]$/p' Packaging/Dockerfile | sed 's/^RUN //')
    mkdir -p "$copy/photos" "$copy/proc"
    mount -t proc proc "$copy/proc"
    trap 'umount "$copy/proc"' EXIT
    DEBIAN_FRONTEND=noninteractive chroot "$copy" sh -c "$commands" >"$roots/dockerfile.log" 2>&1
    cp Gallery/photos/astronaut.jpg "$copy/photos/photo.jpg"
    # A WebP needs libvips, which the image has.
    chroot "$copy" sh -c 'cd /photos && exec atelier stylize photo.jpg --style scream -o painting.webp'
    umount "$copy/proc"
    trap - EXIT
    rm -rf "$copy"
  fi
done
