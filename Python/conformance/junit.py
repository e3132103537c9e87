"""Converts pytest's XML reports to one report in the format that table.py reads."""

import collections
import json
import sys
import xml.etree.ElementTree


def main(paths):
    counts, reasons, failures = collections.Counter(), collections.Counter(), []
    for path in paths:
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            counts["collected"] += 1
            skipped = case.find("skipped")
            failed = case.find("failure") if case.find("error") is None else case.find("error")
            if skipped is not None:
                counts["skipped"] += 1
                reasons[skipped.get("message", "")] += 1
            elif failed is not None:
                counts["failed"] += 1
                name = f"{path}: {case.get('name')}"
                failures.append({"test": name, "error": failed.get("message", "")[:400]})
            else:
                counts["passed"] += 1
    json.dump({"counts": counts, "reasons": reasons, "failures": failures}, sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
