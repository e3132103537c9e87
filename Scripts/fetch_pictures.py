#!/usr/bin/env python3
"""Fetches the paintings and photos for training and evaluating the gallery, and checks their digests.

    fetch_pictures.py FOLDER [--from ARCHIVES]

Writes FOLDER/paintings and FOLDER/photos as listed in Gallery/pictures.tsv. The archives (220 MB of Debian packages
and two images) are listed with their addresses and digests in Gallery/archives.tsv, and are downloaded by curl;
--from takes them from a folder without any download. Existing files are not fetched again. Pillow assembles
paintings that a package contains in pieces.
"""
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Debian moves a package here after a newer version has replaced it.
SNAPSHOT = "https://snapshot.debian.org/archive/debian/20240601T000000Z/"


class Failure(Exception):
    """An error with a message for the user."""


def table(name):
    with open(os.path.join(ROOT, "Gallery", name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    """Writes a file atomically."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "wb") as file:
        file.write(data)
    os.replace(path + ".part", path)


# MARK: Archives


def download(name, address, size, target):
    addresses = [address]
    if "://deb.debian.org/debian/" in address:
        addresses.append(SNAPSHOT + address.split("/debian/", 1)[1])
    words = ""
    for address in addresses:
        print(f"fetch_pictures: {name} ({size / 1e6:.1f} MB) from {address}", file=sys.stderr)
        command = ["curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https",
                   "--connect-timeout", "30", "--max-time", "1800", "--max-filesize", str(size),
                   "--output", target, address]
        try:
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        except FileNotFoundError:
            raise Failure("curl is not installed; `make setup` installs it.") from None
        if done.returncode == 0:
            return
        words = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}"
    raise Failure(f"'{addresses[0]}' cannot be downloaded ({words}).")


def archive(name, address, sha256, size, folder, given):
    """Returns the path of an archive. Downloads it if necessary, and checks its digest."""
    path = os.path.join(given or folder, urllib.parse.unquote(address.rsplit("/", 1)[1]))
    if not os.path.exists(path):
        if given:
            raise Failure(f"the archive '{path}' is missing.")
        os.makedirs(folder, exist_ok=True)
        download(name, address, size, path + ".part")
        os.replace(path + ".part", path)
    found = digest(read(path))
    if found != sha256:
        if not given:
            os.remove(path)
        raise Failure(f"'{path}' has the SHA-256 digest {found}, expected {sha256}; the file at that address has changed.")
    return path


def unpack(path, folder):
    """Unpacks a Debian package into a folder, and returns the folder."""
    try:
        done = subprocess.run(["dpkg-deb", "-x", path, folder], stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise Failure("dpkg-deb is not installed; it opens Debian's packages.") from None
    if done.returncode != 0:
        raise Failure(f"'{path}' cannot be opened ({done.stderr.strip()}).")
    return folder


# MARK: Qt's resource files


def resources(path):
    """Reads a Qt resource file. Returns its files by name. Source: https://doc.qt.io/qt-6/resources.html, versions 1
    to 3."""
    data = read(path)
    number = lambda place, size: int.from_bytes(data[place:place + size], "big")  # noqa: E731
    if data[:4] != b"qres":
        raise Failure(f"'{path}' is not a Qt resource file.")
    version, tree, contents, names = (number(place, 4) for place in (4, 8, 12, 16))
    entry_size = 14 if version < 2 else 22
    found = {}

    def visit(entry, prefix, depth):
        place = tree + entry * entry_size
        flags = number(place + 4, 2)
        name = ""
        if entry > 0:
            start = names + number(place, 4)
            name = "/" + data[start + 6:start + 6 + 2 * number(start, 2)].decode("utf-16-be")
        if flags & 2 and depth < 32:
            first = number(place + 10, 4)
            for child in range(first, first + number(place + 6, 4)):
                visit(child, prefix + name, depth + 1)
        elif not flags & 4:  # The flag 4 marks Zstandard, with which no image is compressed.
            start = contents + number(place + 10, 4)
            body = data[start + 4:start + 4 + number(start, 4)]
            found[prefix + name] = zlib.decompress(body[4:]) if flags & 1 else body

    visit(0, "", 0)
    return found


def assembled(files, board):
    """Assembles a painting from the pieces of a puzzle board."""
    try:
        from PIL import Image
    except ImportError:
        raise Failure("Pillow is not installed; it assembles paintings: pip install pillow.") from None
    name = next((name for name in files if name.endswith("/board/" + board)), None)
    if name is None:
        raise Failure(f"the package has no '{board}'.")
    text = files[name].decode()
    width, height = (int(re.search(rf'"{side}" *: *(\d+)', text).group(1)) for side in ("width", "height"))
    home = name.split("board/")[0]
    pieces = re.findall(r'"pixmapfile" : "(image/[^"]+webp)",\s*"x" : "([\d.]+)",\s*"y" : "([\d.]+)"', text)
    margin = 100
    whole = Image.new("RGBA", (width + 2 * margin, height + 2 * margin))
    box = (*whole.size, 0, 0)
    for file, x, y in pieces:
        piece = Image.open(io.BytesIO(files[home + file])).convert("RGBA")
        left = round(float(x) * width - piece.width / 2) + margin
        top = round(float(y) * height - piece.height / 2) + margin
        whole.alpha_composite(piece, (left, top))
        box = (min(box[0], left), min(box[1], top),
               max(box[2], left + piece.width), max(box[3], top + piece.height))
    made = io.BytesIO()
    whole.crop(box).convert("RGB").save(made, "png")
    return made.getvalue()


# MARK: All of it


def fetch(target, given):
    archives = {row[0]: row[1:] for row in table("archives.tsv")}
    missing = [row for row in table("pictures.tsv") if not os.path.exists(os.path.join(target, row[0], row[1]))]
    failures = []
    for name in sorted({row[3] for row in missing}):
        sha256, size, address = archives[name]
        rows = [row for row in missing if row[3] == name]
        try:
            path = archive(name, address, sha256, int(size), os.path.join(target, "archives"), given)
            with tempfile.TemporaryDirectory() as folder:
                opened = {}
                if rows[0][4] != "-":
                    unpack(path, folder)
                for kind, picture, expected, _, place in rows:
                    file, _, inner = place.partition("#")
                    if file == "-":
                        data = read(path)
                    elif not inner:
                        data = read(os.path.join(folder, file))
                    else:
                        if file not in opened:
                            opened[file] = resources(os.path.join(folder, file))
                        data = assembled(opened[file], inner) if expected == "-" else opened[file][inner]
                    if expected not in ("-", digest(data)):
                        raise Failure(f"'{picture}' in {name} does not have the digest in the table.")
                    write(os.path.join(target, kind, picture), data)
        except Failure as failure:
            count = "1 picture is" if len(rows) == 1 else f"{len(rows)} pictures are"
            failures.append(f"{failure} Without it {count} missing: '{rows[0][1]}'{', …' if len(rows) > 1 else '.'}")
    return failures


def main(words):
    given = None
    if "--from" in words:
        place = words.index("--from")
        if place + 1 == len(words):
            sys.exit(__doc__)
        given = words[place + 1]
        words = words[:place] + words[place + 2:]
    if len(words) != 1 or words[0].startswith("-"):
        sys.exit(__doc__)
    failures = fetch(words[0], given)
    for failure in failures:
        print(f"fetch_pictures: {failure}", file=sys.stderr)
    if failures:
        print("fetch_pictures: or name a folder of yours with PICTURES=FOLDER, which holds paintings/ (named as in"
              " Gallery/paintings.tsv) and photos/.", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
