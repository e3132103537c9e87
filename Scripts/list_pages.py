"""Writes C/CStudioPages/studio_pages.c: the list of the studio's pages. Run this script after adding a file."""
import pathlib, re
folder = pathlib.Path(__file__).parent.parent / "C/CStudioPages"
types = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".json": "application/json", ".svg": "image/svg+xml", ".jpg": "image/jpeg", ".mlmodel": "application/octet-stream"}
files = sorted(p for p in (folder / "pages").rglob("*") if p.is_file())
lines = ['#include "studio_pages.h"', "", "// Written by Scripts/list_pages.py.",
         '#pragma clang diagnostic ignored "-Wc23-extensions"', ""]
entries = []
for file in files:
    path = file.relative_to(folder / "pages").as_posix()
    name = "page_" + re.sub(r"\W", "_", path)
    lines += [f"static const unsigned char {name}[] = {{", f'#embed "pages/{path}"', "};"]
    entries.append(f'  {{"{path}", "{types[file.suffix]}", {name}, sizeof {name}}},')
lines += ["", "static const studio_page pages[] = {", *entries, "};", "",
          "const studio_page *studio_pages(size_t *count) {",
          f"  *count = {len(files)};", "  return pages;", "}"]
(folder / "studio_pages.c").write_text("\n".join(lines) + "\n")
