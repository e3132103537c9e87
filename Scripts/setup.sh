#!/bin/sh
# Installs the Debian packages that Atelier is built on, those alone that are missing.
# Debian 12 and Ubuntu 24.04 or newer. Says what it does; without rights it prints the one command.
set -eu

#   libdnnl-dev        oneDNN: convolutions, pooling, matrix products
#   libvips-dev        libvips: reads, scales and writes pictures
#   libjpeg-dev        libjpeg: says where a JPEG is damaged
#   libssl-dev         OpenSSL's libcrypto: encrypted models
#   zlib1g-dev         zlib: unpacks archives and weights of Keras
#   libmicrohttpd-dev  GNU libmicrohttpd: the studio's server
#   pkg-config         tells SwiftPM where libvips is
packages="libdnnl-dev libvips-dev libjpeg-dev libssl-dev zlib1g-dev libmicrohttpd-dev pkg-config"
# For `atelier fetch` alone, which downloads through pip, and for model collections over HTTPS.
packages="$packages python3-pip curl"

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
  # pkgconf provides pkg-config; a Python of one's own may bring its own pip.
  case "$1" in
    pkg-config) command -v pkg-config >/dev/null 2>&1 ;;
    curl) command -v curl >/dev/null 2>&1 ;;
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
  sudo="sudo" # Asks for the password in a terminal.
else
  echo "setup: these Debian packages are missing: $missing. Run this once, then try again:" >&2
  echo "  sudo apt-get update && sudo $command" >&2
  exit 1
fi
echo "setup: installing the missing Debian packages: $missing"
$sudo apt-get update -qq
# Unquoted: the command is a list of words.
$sudo env DEBIAN_FRONTEND=noninteractive $command
