"""Builds the wheel: puts libatelier.so into the package first.

The library is the file that ATELIER_LIBRARY names, or else the package's own build, which is made when
it is not there. It belongs to one kind of processor, so the wheel says which.
"""

import os
import shutil
import subprocess

from setuptools import setup
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
        shutil.copyfile(library, os.path.join(HERE, "src", "atelier", "libatelier.so"))
        super().run()


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
