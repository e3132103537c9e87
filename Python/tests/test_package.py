"""The version of the package."""

import os
import re

import atelier

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_the_package_has_the_version_of_the_program():
    with open(os.path.join(ROOT, "Sources", "atelier", "Atelier.swift")) as file:
        version = re.search(r'static let version = "([^"]+)"', file.read())[1]
    assert atelier.__version__ == version
