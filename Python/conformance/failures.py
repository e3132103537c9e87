"""Writes failures.tsv: the coremltools tests of ML Programs that fail, with counts and reasons.

    python failures.py FOLDER-OF-REPORTS > failures.tsv

The reports are the XML files that pytest writes with --junitxml. The reasons below were written by hand after
examining each failure; a failing test without a reason is an error. `make docs` copies the table into the support
page.
"""

import collections
import glob
import os
import re
import sys
import xml.etree.ElementTree

import results

ROUNDED = (
    "held to 1e-4, while the test rounds input, weights or the expected numbers to float16; passes within {} steps"
    " of float16")
# A pattern for the test's file, class, name and mode, and the reason of the failure.
REASONS = (
    (r"iOS17/test_recurrent .*float32, of float16", ROUNDED.format("four")),
    (r"iOS18/test_compression .*float32, of float16",
     "expects a sum in float16, while the program casts to float32 and adds then; passes within two steps of"
     " float16"),
    (r"float32, of float16", ROUNDED.format("two")),
    (r"TestNormalizationLocalResponseNorm.test_builder_to_backend_smoke\t",
     "expects a window of two channels to contain one; the stress test in the same file, which passes, and PyTorch expect two"),
    (r"TestResample", "counts casts that coremltools adds in float16 mode alone"),
    (r"TestCropResize", "expects 7.899 for 7.9, the number as float16 shows it"),
    (r"test_post_training_quantization", "expects casts that coremltools adds in float16 mode alone"),
)


def reason(line):
    for pattern, text in REASONS:
        if re.search(pattern, line):
            return text
    sys.exit(f"failures.py: no reason is written for {line!r}.")


def main(folder):
    run, failed = collections.Counter(), collections.Counter()
    for path in glob.glob(os.path.join(folder, "*.xml")):
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            parts = case.get("classname").split(".")
            place = next(i for i, part in enumerate(parts) if part.startswith("test_"))
            folder_of = f"{parts[place - 1]}/" if parts[place - 1].startswith("iOS") else ""
            name = case.get("name").partition("[")[0]
            name = ".".join(parts[place + 1:] + [name])
            key = f"`{folder_of}{parts[place]} {name}`", results.kind_of(case.get("name"))
            found = results.outcome(case)
            run[key] += found in ("passed", "failed")
            failed[key] += found == "failed"
    for key in sorted(key for key, count in failed.items() if count):
        line = "\t".join(key)
        print(line, failed[key], run[key], reason(line.replace("`", "") + "\t"), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1])
