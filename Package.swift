// swift-tools-version: 6.2
import PackageDescription

// In CI every warning is an error; a user's newer compiler may warn of what ours does not.
let isStrict = Context.environment["CI"] != nil
let settings: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

/// libgomp by its runtime name: its development link belongs to one version of gcc.
let threads: LinkerSetting = .linkedLibrary(":libgomp.so.1")

/// A program's own symbols can be seen by the libraries that it loads, so that a plug-in's layers
/// conform to the program's `MLCustomLayer` and not to a second one.
let visible: LinkerSetting = .unsafeFlags(["-Xlinker", "--export-dynamic"])

/// Under a sanitizer (Scripts/sanitize.sh) the program brings functions that libraries leave open.
let leavesNothingOpen: [String] =
  Context.environment["ATELIER_SANITIZER"] == nil ? ["-Xlinker", "-z", "-Xlinker", "defs"] : []

/// A library that carries the Swift runtime inside and shows only the functions of its header. What
/// Foundation needs is named, as its modules were compiled for the shared runtime.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-use-ld=lld", "-Xlinker", "-soname=libatelier.so", "-Xlinker",
      "--version-script=\(Context.packageDirectory)/C/CAtelierHeader/exports.map", "-Xlinker",
      "--strip-all",
    ] + leavesNothingOpen),
  .linkedLibrary("FoundationInternationalization"), .linkedLibrary("_FoundationICU"),
  .linkedLibrary("_FoundationCShims"), .linkedLibrary("_FoundationCollections"),
  .linkedLibrary("CoreFoundation"), .linkedLibrary("BlocksRuntime"),
]

/// A Swift target under Sources.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

/// A program under Examples.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: settings)
}

/// A test target under Tests.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], excluding: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: excluding,
    swiftSettings: settings)
}

let package = Package(
  name: "Atelier",
  products: [
    .library(name: "CoreML", targets: ["CoreML"]),
    .library(name: "Vision", targets: ["Vision"]),
    .library(name: "CreateML", targets: ["CreateML", "Combine"]),
    .library(name: "ModelFormat", targets: ["ModelFormat"]),
    .library(name: "Engine", targets: ["Engine", "Layers"]),
    .library(name: "atelier-c", type: .dynamic, targets: ["CAtelier"]),
    .executable(name: "atelier", targets: ["atelier"]),
  ],
  targets: [
    // C libraries, one shim each, and our own kernels.
    .target(
      name: "COneDNN", path: "C/COneDNN", linkerSettings: [.linkedLibrary("dnnl"), threads]),
    .target(name: "CKernels", path: "C/CKernels", linkerSettings: [threads]),
    .target(name: "CPointwise", dependencies: ["CKernels"], path: "C/CPointwise"),
    .target(name: "CPixels", path: "C/CPixels"),
    .systemLibrary(
      name: "CGObject", path: "C/CGObject", pkgConfig: "gobject-2.0",
      providers: [.apt(["libvips-dev"])]),
    .target(
      name: "CVips", dependencies: ["CGObject"], path: "C/CVips", exclude: ["README.md"],
      linkerSettings: [.linkedLibrary("vips"), .linkedLibrary("jpeg")]),

    // What stands below everything: locks, the system's memory, files that appear complete or not at all.
    module("Platform"),
    .target(name: "CFiles", path: "C/CFiles"),
    module("Files", ["CFiles"]),

    // Models and the engine.
    module("ModelFormat", ["Files"]),
    module("ClassicalModels", ["ModelFormat"]),
    module("Engine", ["Platform", "ModelFormat", "COneDNN", "CKernels"]),
    module("Layers", ["Engine", "ModelFormat", "COneDNN", "CKernels", "CPointwise"]),
    module("Training", ["Engine", "Layers"]),

    // Pictures.
    module("Imaging", ["CVips", "CPixels", "Platform", "Files"]),
    module("CoreVideo", ["Platform"]),
    module("_Testing_CoreGraphics"),
    module("_Testing_CoreImage"),
    module("CoreGraphics", ["CoreVideo", "Imaging", "_Testing_CoreGraphics"]),
    module("ImageIO", ["CoreGraphics", "Imaging", "Platform"]),
    module("CoreImage", ["CoreGraphics", "ImageIO", "Imaging", "_Testing_CoreImage"]),

    // Apple's facades.
    module(
      "CoreML",
      [
        "Platform", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage", "Imaging", "ModelFormat",
        "Engine", "Layers", "CKernels", "ClassicalModels", "Training",
      ]),
    module("Vision", ["CoreML", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage", "Imaging"]),

    // The C interface: libatelier.so.
    .target(name: "CAtelierHeader", path: "C/CAtelierHeader", exclude: ["exports.map"]),
    .target(
      name: "CAtelier", dependencies: ["CAtelierHeader", "CoreML", "CoreVideo", "ModelFormat"],
      path: "Sources/CAtelier", swiftSettings: settings, linkerSettings: selfContained),

    // Tools.
    module("Arguments"),
    module("ModelTools", ["ModelFormat", "Engine", "Layers", "Imaging"]),

    // Styles: losses, painting by optimisation, the gallery.
    module(
      "StyleTransfer",
      [
        "CoreML", "CoreGraphics", "CoreVideo", "ModelFormat", "ModelTools", "Engine", "Layers",
        "Training", "Imaging", "Files", "Platform",
      ]),
    // Apple's facade over training, and what of Combine it needs.
    module("Combine"),
    module(
      "CreateML",
      [
        "Combine", "CoreGraphics", "CoreML", "Vision", "Imaging", "ModelFormat", "ModelTools",
        "Engine", "StyleTransfer", "Files", "Platform",
      ]),
    .target(
      name: "BookLayers", dependencies: ["CoreML"], path: "Examples/BookLayers",
      swiftSettings: settings),
    .executableTarget(
      name: "atelier",
      dependencies: [
        "Arguments", "ModelTools", "CoreML", "Vision", "Imaging", "BookLayers", "Engine", "Layers",
        "ModelFormat", "StyleTransfer", "Files",
      ],
      path: "Sources/atelier", swiftSettings: settings, linkerSettings: [visible]),

    // The texts' programs.
    example("StyleTransferBook", ["Vision", "BookLayers"]),
    example("Classification", ["Vision"]),

    // Tests.
    .target(name: "CAllocations", path: "Tests/Support/CAllocations"),
    tests("PlatformTests", ["Platform"]),
    tests("FilesTests", ["Files"]),
    tests(
      "EngineTests",
      ["Platform", "Engine", "Layers", "ModelFormat", "COneDNN", "CKernels", "CAllocations"]),
    tests("ModelFormatTests", ["Platform", "ModelFormat"]),
    tests("ClassicalModelsTests", ["ClassicalModels", "ModelFormat"]),
    tests("LayersTests", ["Platform", "Layers", "Engine", "ModelFormat"]),
    tests("KernelsTests", ["Platform", "COneDNN", "CKernels"]),
    tests("ImagingTests", ["Imaging"]),
    tests("ImageTypesTests", ["Imaging", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage"]),
    tests("ModelToolsTests", ["ModelTools", "ModelFormat"]),
    tests("TrainingTests", ["Training", "Layers", "Engine"]),
    tests(
      "StyleTransferTests", ["StyleTransfer", "CoreML", "ModelFormat", "Engine", "Imaging"]),
    tests(
      "CreateMLTests",
      [
        "Platform", "CreateML", "Combine", "CoreML", "CoreGraphics", "Imaging", "ModelFormat",
        "StyleTransfer",
      ]),
    tests("ArgumentsTests", ["Arguments"]),
    tests("CoreMLTests", ["CoreML", "BookLayers", "Engine", "Imaging", "ModelFormat"]),
    tests("UpdatingTests", ["CoreML", "ModelFormat", "Imaging"], excluding: ["Expected"]),
    tests("VisionTests", ["Vision", "CoreML", "Engine", "Imaging", "ModelFormat"]),
    .executableTarget(
      name: "MutationRunner",
      dependencies: ["CoreML", "Engine", "Imaging", "Layers", "ModelFormat"],
      path: "Tests/Support/MutationRunner",
      swiftSettings: settings),
    .testTarget(
      name: "GoldenTests",
      dependencies: [
        "CoreML", "Vision", "ModelFormat", "Imaging", "BookLayers", "atelier", "MutationRunner",
      ],
      path: "Tests/GoldenTests", exclude: ["Expected", "make_multistyle.py"],
      swiftSettings: settings),
    tests(
      "CommandLineTests",
      ["Imaging", "ModelFormat", "atelier", "StyleTransferBook", "Classification"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
