"""Builds the wheel, after copying libatelier.so into the package.

ATELIER_LIBRARY names the library's file. By default it is .build/release/libatelier-c.so, which `make library` builds
if it is missing. The library runs on one kind of processor only, which the wheel's tag states.
"""

import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILT = os.path.join(ROOT, ".build", "release", "libatelier-c.so")


class BuildWithLibrary(build_py):
    def run(self):
        library = os.environ.get("ATELIER_LIBRARY") or BUILT
        if not os.path.exists(library):
            subprocess.run(["make", "library"], cwd=ROOT, check=True)
        # The library of a wheel is also a program, so its mode is copied, too.
        shutil.copy(library, os.path.join(HERE, "src", "atelier", "libatelier.so"))
        super().run()


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        # Scripts/wheel.sh sets the variable to the oldest system on which its library runs.
        return ("py3", "none", os.environ.get("ATELIER_WHEEL_PLATFORM") or super().get_tag()[2])


class LibraryDistribution(Distribution):
    """A distribution whose files belong to one platform, although setuptools compiles none of them."""

    def has_ext_modules(self):
        return True


setup(distclass=LibraryDistribution, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
