#!/bin/sh
# Prints the address of the repository from which this folder was cloned, for the metadata of packages: https, without a
# user's name or token. Prints nothing if it was cloned from a folder of this machine. HOME_PAGE=ADDRESS overrides it.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${HOME_PAGE:-}" ]; then
  echo "$HOME_PAGE"
  exit 0
fi
address=$(git remote get-url origin 2>/dev/null || true)
echo "$address" | sed -nE \
  -e 's,^(ssh://)?git@([^:/]+)[:/](.+)$,https://\2/\3,' \
  -e 's,^https://([^/@]*@)?,https://,' \
  -e '/^https:/{ s,\.git/?$,,; p; }'
