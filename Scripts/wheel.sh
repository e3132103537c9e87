#!/bin/bash
# Makes the Python wheel: FOLDER/atelier_coreml-VERSION-py3-none-manylinux_2_34_x86_64.whl. It holds the package
# `atelier`, the module with which coremltools predicts, the program, and the gallery with weights of GALLERY_BITS bits
# (default: 6). pip installs it without Swift, Debian packages or a compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
bits=${GALLERY_BITS:-6}
program=$PWD/.build/installed/libatelier.so
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/source" "$folder"
cp -R Python/pyproject.toml Python/setup.py Python/README.md Python/src LICENSE "$stage/source/"
rm -rf "$stage"/source/src/*.egg-info
home=$(Scripts/home_page.sh)
if [ -n "$home" ]; then printf '\n[project.urls]\nHomepage = "%s"\n' "$home" >>"$stage/source/pyproject.toml"; fi
find "$stage/source" -name __pycache__ -prune -exec rm -rf {} +

gallery=$stage/source/src/atelier/Gallery
mkdir -p "$gallery"
for style in Gallery/*/; do
  if [ -f "$style/style.json" ]; then cp -R "${style%/}" "$gallery/"; fi
done
cp Gallery/networks.json Gallery/*.mlmodel "$gallery/"
# Weights become indices into a lookup table per layer. This changes a painting by 1.1 to 1.4 of 256 levels.
"$program" compress Gallery/styles.mlmodel --bits "$bits" --mode kmeans --output "$gallery/styles.mlmodel" >/dev/null
python3 - "$gallery" <<'END'
import hashlib, json, pathlib, sys

gallery = pathlib.Path(sys.argv[1])
records = json.loads((gallery / "networks.json").read_text())
for record in records:
    data = (gallery / record["network"]["file"]).read_bytes()
    record["network"].update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
(gallery / "networks.json").write_text(json.dumps(records, indent=2, sort_keys=True) + "\n")
END
cp -R Gallery/photos "$gallery/"

version=$(objdump -T "$program" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
if [ "$(printf 'GLIBC_2.34\n%s\n' "$version" | sort -V | tail -n 1)" != GLIBC_2.34 ]; then
  echo "wheel: the library needs $version, expected at most GLIBC_2.34. Build it on Debian 12." >&2
  exit 1
fi
ATELIER_LIBRARY=$program ATELIER_WHEEL_PLATFORM=manylinux_2_34_$(uname -m) \
  python3 -m pip wheel --quiet --no-deps --wheel-dir "$stage/made" "$stage/source"
wheel=$(basename "$stage"/made/*.whl)
# 7-Zip's Deflate needs 2 % less than zlib's. Any program unpacks it.
if command -v 7z >/dev/null; then
  mkdir "$stage/content"
  (cd "$stage/content" && 7z x -bd -y "$stage/made/$wheel" >/dev/null && rm "$stage/made/$wheel" &&
    7z a -bd -tzip -mx=9 -mfb=258 -mpass=4 "$stage/made/$wheel" . >/dev/null)
else
  echo "wheel: without 7z (Debian: p7zip-full), the wheel is 2 % larger." >&2
fi
mv "$stage/made/$wheel" "$folder/$wheel"
limit=30000000
if [ "$(stat -c %s "$folder/$wheel")" -gt "$limit" ]; then
  echo "wheel: it has more than $((limit / 1000000)) MB." >&2
fi
echo "wheel: $folder/$wheel, $(stat -c %s "$folder/$wheel" | numfmt --to=si --format=%.2f)B"
