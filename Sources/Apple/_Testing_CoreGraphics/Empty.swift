// Swift Testing imports a module of this name in every file that imports both `Testing` and `CoreGraphics`. It does so
// on Linux too, although the toolchain for Linux has no such module. This module is empty, because attaching images to
// test reports is specific to Apple's systems. `CoreGraphics` depends on this module, so the compiler finds this module
// wherever it finds `CoreGraphics`.
