#!/usr/bin/env python3
"""Finds imports that Package.swift does not allow: of a module of the package that is not among the dependencies of the
importing target, direct or indirect. SwiftPM itself finds such an import only if the module happens to be built later.

    python3 Scripts/check_imports.py

Prints one line per import, and exits with 1 if there is any.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)")


def targets():
    dump = subprocess.run(
        ["swift", "package", "dump-package"], capture_output=True, text=True, check=True).stdout
    found = {}
    for target in json.loads(dump)["targets"]:
        names = [
            next(iter(dependency.values()))[0] for dependency in target["dependencies"]
            if not dependency.get("plugin")]
        found[target["name"]] = (Path(target.get("path") or ""), names, target.get("exclude", []))
    return found


def closure(name, direct):
    reached, pending = set(), [name]
    while pending:
        for dependency in direct.get(pending.pop(), []):
            if dependency not in reached:
                reached.add(dependency)
                pending.append(dependency)
    return reached


def imports(path):
    """Yields the line and the module of each import, without those in literals of several lines."""
    is_literal = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = None if is_literal else IMPORT.match(line)
        if match:
            yield number, match[1]
        if line.count('"""') % 2:
            is_literal = not is_literal


def main():
    known = targets()
    direct = {name: names for name, (_, names, _) in known.items()}
    failed = False
    for name, (folder, _, excluded) in known.items():
        allowed = closure(name, direct) | {name}
        for path in sorted(folder.rglob("*.swift")):
            relative = path.relative_to(folder)
            if any(relative.is_relative_to(part) for part in excluded):
                continue
            for number, module in imports(path):
                if module in known and module not in allowed:
                    print(f"{path}:{number}: {name} imports {module}, which is not among its dependencies")
                    failed = True
    if failed:
        print("Add the dependency to Package.swift if it runs downward (Documentation/Architecture.md).")
    return failed


if __name__ == "__main__":
    sys.exit(main())
