#!/usr/bin/env python3
"""Writes Sources/Apple/NaturalLanguage/Generated/LanguageProfiles+Data.swift from the profiles of the package langdetect.

    pip install langdetect==1.0.9 && Scripts/language_profiles.py

A profile says how often a language uses each sequence of one, two or three letters. The file contains profiles of the
languages of Apple's NLLanguage that share their script with others. For each language, it has the 2,000 most frequent
sequences. A character gives the negative binary logarithm of a frequency in units of a quarter.
"""
import collections
import json
import math
import pathlib
import unicodedata

import langdetect

LETTERS = 2000
NAMES = {"nb": "no", "zh-Hans": "zh-cn", "zh-Hant": "zh-tw"}
SCRIPTS = {
    "LATIN": "ca cs da de en es fi fr hr hu id it nb nl pl pt ro sk sv tr vi",
    "CYRILLIC": "bg ru uk",
    "ARABIC": "ar fa ur",
    "DEVANAGARI": "hi mr",
    "CJK": "ja zh-Hans zh-Hant",
}

root = pathlib.Path(__file__).resolve().parent.parent
target = root / "Sources/Apple/NaturalLanguage/Generated/LanguageProfiles+Data.swift"
folder = pathlib.Path(langdetect.__file__).parent / "profiles"


def belongs(sequence, script):
    return all(letter == " " or script in unicodedata.name(letter, "") for letter in sequence)


def profile(language, script):
    """Three strings: the sequences of one, two and three letters, each followed by its character."""
    counts = collections.Counter()
    for sequence, count in json.loads((folder / NAMES.get(language, language)).read_text())["freq"].items():
        sequence = unicodedata.normalize("NFC", sequence.lower())
        if sequence.strip() and len(sequence) <= 3 and belongs(sequence, script):
            counts[sequence] += count
    totals = [sum(count for sequence, count in counts.items() if len(sequence) == length) for length in (1, 2, 3)]
    texts = ["", "", ""]
    for sequence, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:LETTERS]:
        level = round(-4 * math.log2(count / totals[len(sequence) - 1]))
        texts[len(sequence) - 1] += sequence.replace(" ", "_") + chr(0x30 + min(63, level))
    return texts


def main():
    lines = [
        "// Made by Scripts/language_profiles.py from the profiles of the package langdetect 1.0.9.",
        "// Copyright 2010-2014 Cybozu Labs, Inc.; 2014-2015 Michal Danilak. Apache License, version 2.0.",
        "// swift-format-ignore-file", "", "extension LanguageProfiles {",
        "  /// For each script and language, the sequences of one, two and three letters.",
        "  static let data: [(script: TextScript, languages: [(language: String, sequences: [String])])] = [",
    ]
    case = {"LATIN": "latin", "CYRILLIC": "cyrillic", "ARABIC": "arabic", "DEVANAGARI": "devanagari", "CJK": "han"}
    for script, languages in SCRIPTS.items():
        lines += ["    (", f"      .{case[script]},", "      ["]
        for language in languages.split():
            texts = ", ".join(f'#"{text}"#' for text in profile(language, script))
            lines.append(f'        ("{language}", [{texts}]),')
        lines += ["      ]", "    ),"]
    lines += ["  ]", "}", ""]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
