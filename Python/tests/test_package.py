"""The versions of the package and of the library."""

import os
import re

import atelier
import pytest
from atelier import _library

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_the_package_has_the_version_of_the_program():
    with open(os.path.join(ROOT, "Sources", "atelier", "Atelier.swift")) as file:
        version = re.search(r'static let version = "([^"]+)"', file.read())[1]
    assert atelier.__version__ == version


def test_the_package_knows_the_interface_of_the_header():
    header = os.path.join(ROOT, "C", "CAtelierHeader", "include", "atelier.h")
    with open(header) as file:
        version = re.search(r"define ATELIER_INTERFACE_VERSION (\d+)", file.read())[1]
    assert _library.INTERFACE_VERSION == int(version)


def test_a_library_with_another_interface_is_refused(monkeypatch):
    class Old:
        def atelier_interface_version(self):
            return 3

    monkeypatch.setattr(_library.ctypes, "CDLL", lambda path: Old())
    monkeypatch.setenv("ATELIER_LIBRARY", "/tmp/old.so")
    needed = f"'/tmp/old.so' has version 3 .* needs version {_library.INTERFACE_VERSION}"
    with pytest.raises(ImportError, match=needed):
        _library._load()
