#!/bin/sh
# Installs the Debian packages that Atelier needs, if they are missing, on Debian 12 and Ubuntu 24.04 or newer. Prints
# each action. Without root rights, prints the command to run instead.
set -eu

#   libdnnl-dev        oneDNN: convolutions, pooling, matrix products
#   libvips-dev        libvips: reads, scales and writes pictures
#   libjpeg-dev        libjpeg: reads and writes JPEG, and says where a JPEG is damaged
#   libpng-dev         libpng: reads and writes PNG in the installed program
#   libssl-dev         OpenSSL's libcrypto: encrypted models
#   libfftw3-single3, libfftw3-double3  FFTW: Fourier transforms of Accelerate
#   libopenblas0       OpenBLAS: BLAS and LAPACK of Accelerate
#   zlib1g-dev         zlib: unpacks archives and weights of Keras
#   libmicrohttpd-dev  GNU libmicrohttpd: the studio's server
#   libsndfile1        libsndfile: audio files of AVFAudio, loaded when the first is opened
#   libsoxr0           libsoxr: AVFAudio's resampler, loaded when it is first needed
#   pkg-config         tells SwiftPM where libvips is
packages="libdnnl-dev libvips-dev libjpeg-dev libpng-dev libssl-dev zlib1g-dev libmicrohttpd-dev pkg-config"
packages="$packages libsndfile1 libsoxr0"
# These are needed only for `atelier fetch`, which downloads through pip, and for model collections over HTTPS.
packages="$packages python3-pip curl"
# These are opened at run time, by programs that use Accelerate.
packages="$packages libfftw3-single3 libfftw3-double3 libopenblas0"
# zbar reads barcodes for Vision. It is loaded at its first use. Ubuntu calls the package libzbar0t64.
packages="$packages libzbar0"
# cairo draws paths for CoreGraphics. It is loaded at its first use. libvips depends on it, too.
packages="$packages libcairo2"
# `setup.sh tests` also installs ffmpeg, which only the tests of films need.
if [ "${1:-}" = tests ]; then packages="$packages ffmpeg"; fi

if ! command -v swift >/dev/null 2>&1; then
  echo "setup: Swift 6 is missing. Install it from swift.org and put it on the PATH." >&2
  exit 1
fi
if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: this is neither Debian nor Ubuntu. Install oneDNN, libvips and pkg-config with" \
    "their headers, then run 'make build'." >&2
  exit 1
fi

is_there() {
  [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ] && return 0
  # Looks for the commands, not for the packages: pkgconf also provides pkg-config, and a separate Python may have its
  # own pip.
  case "$1" in
    pkg-config) command -v pkg-config >/dev/null 2>&1 ;;
    libzbar0) ldconfig -p 2>/dev/null | grep -q 'libzbar\.so\.0' ;;
    curl) command -v curl >/dev/null 2>&1 ;;
    ffmpeg) command -v ffmpeg >/dev/null 2>&1 && command -v ffprobe >/dev/null 2>&1 ;;
    python3-pip) python3 -m pip --version >/dev/null 2>&1 ;;
    *) return 1 ;;
  esac
}

missing=""
for package in $packages; do
  is_there "$package" || missing="$missing $package"
done
missing="${missing# }"
if [ -z "$missing" ]; then
  exit 0
fi

command="apt-get install --yes --no-install-recommends $missing"
if [ "$(id -u)" = 0 ]; then
  sudo=""
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
  sudo="sudo" # sudo asks for the password in the terminal.
else
  echo "setup: these Debian packages are missing: $missing. Run this once, then try again:" >&2
  echo "  sudo apt-get update && sudo $command" >&2
  exit 1
fi
echo "setup: installing the missing Debian packages: $missing"
$sudo apt-get update -qq
# $command is a list of words, so it is not quoted.
$sudo env DEBIAN_FRONTEND=noninteractive $command
