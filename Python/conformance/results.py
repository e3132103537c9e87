"""Writes results.tsv: the results of coremltools' tests of ML Programs by group and precision.

    python results.py FOLDER-OF-REPORTS > results.tsv

The reports are the XML files that pytest writes with --junitxml, one or more for each test file. A line contains a
group, the precision of its cases (“-” if a test has none), and the numbers of cases that ran, passed, failed, were
skipped, and failed as expected. Cases in float32 mode with float16 types are counted separately: they compare
float16 numbers with float32's tolerance. `make docs` copies the table into the support page.
"""

import collections
import glob
import os
import re
import sys
import xml.etree.ElementTree

GROUPS = (
    (r"ops\.tests\.(iOS\d+)", r"operations of \1"), (r"ops\.tests", "operations, other"),
    (r"mil\.passes", "passes"), (r"converters\.mil\.backend", "back ends"),
    (r"mil\.mil\.tests", "programs"), (r"test\.ml_program", "tools for programs"),
    (r"test\.optimize", "compressing"), (r"test\.", "packages and models"))


def group_of(name):
    for pattern, group in GROUPS:
        found = re.search(pattern, name)
        if found:
            return found.expand(group)
    return "other"


def kind_of(name):
    precision = re.search(r"precision='(\w+)'", name)
    if not precision:
        return "-"
    rest = name[precision.end():]
    if precision[1] == "fp32":
        return "float32, of float16" if "float16" in rest or "fp16" in rest else "float32"
    return "float16"


def outcome(case):
    skipped = case.find("skipped")
    if skipped is not None:
        return "expected to fail" if skipped.get("type") == "pytest.xfail" else "skipped"
    failed = case.find("failure") is not None or case.find("error") is not None
    return "failed" if failed else "passed"


def main(folder):
    counts = collections.defaultdict(collections.Counter)
    for path in glob.glob(os.path.join(folder, "*.xml")):
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            kind = kind_of(case.get("name"))
            for group in group_of(case.get("classname")), "all":
                counts[group == "all", group, kind][outcome(case)] += 1
    for (_, group, kind), found in sorted(counts.items()):
        kinds = [found[name] for name in ("passed", "failed", "skipped", "expected to fail")]
        print(group, kind, sum(kinds), *kinds, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1])
