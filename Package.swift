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

/// A Swift target in one of the folders under Sources.
func module(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)",
    swiftSettings: settings)
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
    .library(name: "Engine", targets: ["Engine"]),
    .library(name: "atelier-c", type: .dynamic, targets: ["CAtelier"]),
    .executable(name: "atelier", targets: ["atelier"]),
  ],
  targets: [
    // C libraries, one shim each, and our own kernels.
    .target(
      name: "COneDNN", path: "C/COneDNN", linkerSettings: [.linkedLibrary("dnnl"), threads]),
    .target(name: "CKernels", path: "C/CKernels", linkerSettings: [threads]),
    .systemLibrary(
      name: "CGObject", path: "C/CGObject", pkgConfig: "gobject-2.0",
      providers: [.apt(["libvips-dev"])]),
    .target(
      name: "CVips", dependencies: ["CGObject"], path: "C/CVips", exclude: ["README.md"],
      linkerSettings: [.linkedLibrary("vips"), .linkedLibrary("jpeg")]),

    .target(
      name: "CMicrohttpd", path: "C/CMicrohttpd", exclude: ["README.md"],
      linkerSettings: [.linkedLibrary("microhttpd")]),
    .target(name: "CStudioPages", path: "C/CStudioPages", exclude: ["pages"]),

    // What stands below everything: locks, the system's memory, files that appear complete or not at all.
    module("Platform", in: "Tools"),
    .target(name: "CFiles", path: "C/CFiles"),
    module("Files", in: "Tools", ["CFiles"]),

    // Models and the engine.
    module("ModelFormat", in: "Formats", ["Files", "Tensors"]),
    module("ClassicalModels", in: "Engine", ["ModelFormat"]),
    module("Tensors", in: "Engine"),
    module("Graph", in: "Engine", ["Tensors"]),
    module("Backends", in: "Engine", ["Platform", "Graph", "COneDNN", "CKernels"]),
    module("Operators", in: "Engine", ["Graph"]),
    module("Passes", in: "Engine", ["Graph", "Operators"]),
    module(
      "CPUBackend", in: "Engine",
      ["Platform", "Backends", "Operators", "COneDNN", "CKernels"]),
    module("NeuralNetworkFormat", in: "Formats", ["ModelFormat", "Graph", "Operators"]),
    module("ProgramFormat", in: "Formats", ["Platform", "ModelFormat", "Graph", "Operators"]),
    .target(
      name: "Engine",
      dependencies: [
        "Platform", "Tensors", "Graph", "Operators", "Passes", "Backends", "CPUBackend",
        "NeuralNetworkFormat", "ProgramFormat", "COneDNN", "CKernels",
      ],
      path: "Sources/Engine/Execution", swiftSettings: settings),
    module("Training", in: "Engine", ["Engine", "Operators"]),
    // Every reader and writer of models.
    module(
      "Conversion", in: "Formats",
      ["ModelFormat", "Graph", "Operators", "NeuralNetworkFormat", "ProgramFormat", "Files"]),

    // Pictures.
    module("Imaging", in: "Tools", ["CVips", "CKernels", "Platform", "Files"]),
    module("CoreVideo", in: "Apple", ["Platform"]),
    module("_Testing_CoreGraphics", in: "Apple"),
    module("_Testing_CoreImage", in: "Apple"),
    module("CoreGraphics", in: "Apple", ["CoreVideo", "Imaging", "_Testing_CoreGraphics"]),
    module("ImageIO", in: "Apple", ["CoreGraphics", "Imaging", "Platform"]),
    module("CoreImage", in: "Apple", ["CoreGraphics", "ImageIO", "Imaging", "_Testing_CoreImage"]),

    // Apple's facades.
    module(
      "CoreML", in: "Apple",
      [
        "Platform", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage", "Imaging", "ModelFormat",
        "Engine", "Operators", "CKernels", "ClassicalModels", "Training",
      ]),
    module(
      "Vision", in: "Apple",
      ["CoreML", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage", "Imaging"]),

    // The C interface: libatelier.so.
    .target(name: "CAtelierHeader", path: "C/CAtelierHeader", exclude: ["exports.map"]),
    .target(
      name: "CAtelier", dependencies: ["CAtelierHeader", "CoreML", "CoreVideo", "ModelFormat"],
      path: "Sources/Apple/CAtelier", swiftSettings: settings, linkerSettings: selfContained),

    // Tools.
    module("Arguments", in: "Tools"),
    module("ModelTools", in: "Tools", ["ModelFormat", "Engine", "Operators", "Imaging"]),

    // Styles: losses, painting by optimisation, the gallery.
    module(
      "StyleTransfer", in: "Styles",
      [
        "CoreML", "CoreGraphics", "CoreVideo", "ModelFormat", "ModelTools", "Engine", "Operators",
        "Training", "Imaging", "Files", "Platform",
      ]),
    // Apple's facade over training, and what of Combine it needs.
    module("Combine", in: "Apple"),
    module(
      "CreateML", in: "Apple",
      [
        "Combine", "CoreGraphics", "CoreML", "Vision", "Imaging", "ModelFormat", "ModelTools",
        "Engine", "StyleTransfer", "Files", "Platform",
      ]),
    // The studio: a server of our own needs, and what it serves.
    module("Service", in: "Studio", ["CMicrohttpd", "Platform"]),
    module(
      "Studio", in: "Studio",
      [
        "Service", "CStudioPages", "CoreML", "Vision", "CreateML", "StyleTransfer", "Imaging",
        "ModelTools", "ModelFormat", "Engine", "Files", "Platform",
      ]),
    .target(
      name: "BookLayers", dependencies: ["CoreML"], path: "Examples/BookLayers",
      swiftSettings: settings),
    .executableTarget(
      name: "atelier",
      dependencies: [
        "Arguments", "ModelTools", "CoreML", "Vision", "Imaging", "BookLayers", "Engine",
        "Operators", "Conversion", "ModelFormat", "StyleTransfer", "Files", "Service", "Studio",
      ],
      path: "Sources/atelier", swiftSettings: settings, linkerSettings: [visible]),

    // The texts' programs.
    example("StyleTransferBook", ["Vision", "BookLayers"]),
    example("Classification", ["Vision"]),

    // Tests.
    .target(
      name: "OperatorSamples", dependencies: ["NeuralNetworkFormat", "Operators", "ModelFormat"],
      path: "Tests/Support/OperatorSamples", swiftSettings: settings),
    .executableTarget(
      name: "SupportTable",
      dependencies: ["OperatorSamples", "Operators", "Engine", "ModelTools", "ModelFormat"],
      path: "Tests/Support/SupportTable", swiftSettings: settings),
    .target(name: "CAllocations", path: "Tests/Support/CAllocations"),
    tests("PlatformTests", ["Platform"]),
    tests("FilesTests", ["Files"]),
    tests(
      "EngineTests",
      [
        "Platform", "Engine", "Operators", "OperatorSamples", "ModelFormat", "COneDNN", "CKernels",
        "CAllocations",
      ]),
    tests("ModelFormatTests", ["Platform", "ModelFormat"]),
    tests(
      "ProgramFormatTests",
      ["ProgramFormat", "Engine", "ModelFormat", "Operators", "OperatorSamples"]),
    tests(
      "ConversionTests",
      ["Conversion", "CoreML", "Engine", "ModelFormat", "OperatorSamples", "Imaging"]),
    tests("ClassicalModelsTests", ["ClassicalModels", "ModelFormat"]),
    tests(
      "LayersTests",
      ["Platform", "OperatorSamples", "NeuralNetworkFormat", "Operators", "Engine", "ModelFormat"]),
    tests("KernelsTests", ["Platform", "COneDNN", "CKernels"]),
    tests("ImagingTests", ["Imaging"]),
    tests("ImageTypesTests", ["Imaging", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage"]),
    tests("ModelToolsTests", ["ModelTools", "ModelFormat"]),
    tests("TrainingTests", ["Training", "Operators", "Engine"]),
    tests(
      "StyleTransferTests", ["StyleTransfer", "CoreML", "ModelFormat", "Engine", "Imaging"]),
    tests(
      "CreateMLTests",
      [
        "Platform", "CreateML", "Combine", "CoreML", "CoreGraphics", "Imaging", "ModelFormat",
        "StyleTransfer",
      ]),
    tests("ArgumentsTests", ["Arguments"]),
    tests("StudioTests", ["Service", "Studio", "Imaging", "CoreML", "ModelFormat", "Platform"]),
    tests("CoreMLTests", ["CoreML", "BookLayers", "Engine", "Imaging", "ModelFormat"]),
    tests("UpdatingTests", ["CoreML", "ModelFormat", "Imaging"], excluding: ["Expected"]),
    tests("VisionTests", ["Vision", "CoreML", "Engine", "Imaging", "ModelFormat"]),
    .executableTarget(
      name: "MutationRunner",
      dependencies: ["CoreML", "Engine", "Imaging", "Operators", "OperatorSamples", "ModelFormat"],
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
      [
        "Imaging", "ModelFormat", "atelier", "SupportTable", "StyleTransferBook", "Classification",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
