"""Prints the counts of all groups in the reports, and why tests failed or were skipped."""

import collections
import json
import os
import sys

WIDTH = 20
COLUMNS = ["collected", "reached predict", "passed", "failed", "skipped", "expected to fail"]


def main(folder, groups):
    reports = {}
    for group in groups:
        path = os.path.join(folder, f"{group}.json")
        if os.path.exists(path):
            with open(path) as file:
                reports[group] = json.load(file)
    print(f"{'group':12}" + "".join(f"{column:>{WIDTH}}" for column in COLUMNS))
    total = collections.Counter()
    for group in groups:
        if group not in reports:
            print(f"{group:12}{'did not finish':>{WIDTH}}")
            continue
        counts = reports[group]["counts"]
        total.update(counts)
        print(f"{group:12}" + "".join(f"{counts.get(column, 0):{WIDTH}}" for column in COLUMNS))
    print(f"{'total':12}" + "".join(f"{total[column]:{WIDTH}}" for column in COLUMNS))
    for group, report in reports.items():
        if report["reasons"]:
            print(f"\n{group}: skipped")
            for reason, count in sorted(report["reasons"].items(), key=lambda entry: -entry[1]):
                print(f"{count:8}  {' '.join(reason.split())[:140]}")
        show(f"{group}: failed", report["failures"])
    return 1 if total["failed"] or len(reports) < len(groups) else 0


def show(title, failures):
    if failures:
        print(f"\n{title}")
    for failure in failures:
        print(f"  {failure['test'].split('/')[-1]}")
        print(f"      {' '.join(failure['error'].split())[:220]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
