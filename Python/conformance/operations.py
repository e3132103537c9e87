"""Writes operations.tsv: for each MIL operation, the release that introduced it in coremltools, the releases that
redefined it, and the element types of its inputs.

    python operations.py > operations.tsv

A line contains an operation, its space-separated releases, and the types; “any” if the operation states none. `make
docs` copies the table into the support page.
"""

import logging

logging.disable(logging.WARNING)
from coremltools.converters.mil.mil import types
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry

RELEASES = {4: "iOS13", 5: "iOS14", 6: "iOS15", 7: "iOS16", 8: "iOS17", 9: "iOS18"}
ORDER = (
    "fp16 fp32 bool int8 uint8 int16 uint16 int32 uint32 int4 uint4 uint1 uint2 uint3 uint6 str").split()


def main():
    for name, definitions in sorted(SSAOpRegistry.core_ops.items()):
        releases, last = [], None
        for target, definition in sorted(definitions.items(), key=lambda item: item[0].value):
            if target.value in RELEASES and definition is not last:
                releases.append(RELEASES[target.value])
                last = definition
        domains = getattr(last, "type_domains", {}).values()
        known = {types.builtin_to_string(kind) for domain in domains for kind in domain}
        named = [kind for kind in ORDER if kind in known] + sorted(known - set(ORDER))
        print(name, " ".join(releases), " ".join(named) or "any", sep="\t")


if __name__ == "__main__":
    main()
