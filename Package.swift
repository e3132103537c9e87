// swift-tools-version: 6.2
import PackageDescription

// CI treats warnings as errors. Users do not, because a newer compiler may warn about more.
let isStrict = Context.environment["CI"] != nil
let settings: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

/// For tests and their samples. Without optimisation, they compile in half the time; what they test is optimised.
let testSettings = settings + [.unsafeFlags(["-Onone", "-gline-tables-only"])]

/// Whether the package has its build plug-in. SwiftPM compiles the modules of the plug-in's program a second time, as
/// tools of the build. Our own builds do not use the plug-in, and leave it out.
let hasPlugin = Context.environment["ATELIER_PLUGIN"] != "no"

/// libgomp by the name of its file at run time. The name for linking exists only in the folder of one version of gcc.
let threads: LinkerSetting = .linkedLibrary(":libgomp.so.1")

/// Exports a program's symbols to the libraries that it loads. So the layers of a plug-in conform to the program's
/// `MLCustomLayer`, and not to a copy.
let visible: LinkerSetting = .unsafeFlags(["-Xlinker", "--export-dynamic"])

/// Makes undefined symbols an error. A build with a sanitizer has some: only the program defines its functions.
let leavesNothingOpen: [String] =
  Context.environment["ATELIER_SANITIZER"] == nil ? ["-Xlinker", "-z", "-Xlinker", "defs"] : []

/// Links the Swift runtime into a library that exports only the functions of its header. Lists the libraries of
/// Foundation, because Foundation's modules name only the shared runtime.
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
  _ name: String, _ dependencies: [Target.Dependency], excluding: [String] = [],
  settings: [SwiftSetting] = testSettings
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: excluding,
    swiftSettings: settings)
}

/// The build plug-in that generates the classes of models.
let plugins: [Target] = [
  .plugin(
    name: "ModelClassesPlugin", capability: .buildTool(), dependencies: ["atelier-model-class"],
    path: "Plugins/ModelClasses")
]

let package = Package(
  name: "Atelier",
  products: [
    .library(name: "CoreML", targets: ["CoreML"]),
    .library(name: "Vision", targets: ["Vision"]),
    .library(name: "Accelerate", targets: ["Accelerate"]),
    .library(name: "CreateML", targets: ["CreateML", "Combine"]),
    .library(
      name: "AppleModules",
      targets: [
        "AVFAudio", "AVFoundation", "AppleFoundation", "Combine", "CoreMedia", "CryptoKit",
        "NaturalLanguage", "OSLog", "QuartzCore", "UniformTypeIdentifiers", "VideoToolbox", "os",
      ]),
    .library(name: "TensorFlowLite", targets: ["TensorFlowLite"]),
    .library(name: "ModelFormat", targets: ["ModelFormat"]),
    .library(name: "Engine", targets: ["Engine"]),
    .library(name: "atelier-c", type: .dynamic, targets: ["CAtelier"]),
    .executable(name: "atelier", targets: ["atelier"]),
  ] + (hasPlugin ? [.plugin(name: "ModelClasses", targets: ["ModelClassesPlugin"])] : []),
  targets: [
    // C libraries, one shim each, and our own kernels.
    .target(
      name: "COneDNN", dependencies: ["CKernels"], path: "C/COneDNN",
      linkerSettings: [.linkedLibrary("dnnl"), threads]),
    .target(name: "CNormStatistics", path: "C/CNormStatistics"),
    .target(
      name: "CKernels", dependencies: ["CNormStatistics"], path: "C/CKernels",
      exclude: ["README.md"],
      cxxSettings: [.headerSearchPath(".")], linkerSettings: [threads]),
    .target(name: "CDynamicLibrary", path: "C/CDynamicLibrary"),
    .systemLibrary(
      name: "CGObject", path: "C/CGObject", pkgConfig: "gobject-2.0",
      providers: [.apt(["libvips-dev"])]),
    .target(
      name: "CVips", dependencies: ["CGObject", "CDynamicLibrary"], path: "C/CVips",
      exclude: ["README.md"],
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16"), .linkedLibrary("z")]),

    .target(
      name: "CMicrohttpd", dependencies: ["CDynamicLibrary"], path: "C/CMicrohttpd",
      exclude: ["README.md"]),
    .target(name: "CStudioPages", path: "C/CStudioPages", exclude: ["pages"]),
    .target(name: "CProcess", path: "C/CProcess"),

    // The lowest layer: locks, the memory of the system, atomic writing of files.
    module("Platform", in: "Tools"),
    .target(name: "CFiles", path: "C/CFiles"),
    module("Files", in: "Tools", ["CFiles"]),

    .target(name: "CCrypto", dependencies: ["CDynamicLibrary"], path: "C/CCrypto"),
    module("Encryption", in: "Tools", ["CCrypto", "Platform"]),

    // Models and the engine.
    module("ModelFormat", in: "Formats", ["Files", "Platform", "Tensors"]),
    module("ClassicalModels", in: "Engine", ["ModelFormat"]),
    module("Tensors", in: "Engine", ["Platform"]),
    module("Graph", in: "Engine", ["Tensors"]),
    module("NormStatistics", in: "Engine", ["CNormStatistics"]),
    module("Backends", in: "Engine", ["Platform", "Graph", "COneDNN", "CKernels"]),
    module("Operators", in: "Engine", ["Graph"]),
    module("Passes", in: "Engine", ["Graph", "Operators"]),
    module(
      "CPUBackend", in: "Engine",
      ["Platform", "Backends", "Operators", "Passes", "COneDNN", "CKernels"]),
    module("NeuralNetworkFormat", in: "Formats", ["ModelFormat", "Graph", "Operators"]),
    module("ProgramFormat", in: "Formats", ["Platform", "ModelFormat", "Graph", "Operators"]),
    module("ONNXFormat", in: "Formats", ["Platform", "ModelFormat", "Graph", "Operators"]),
    module("CaffeFormat", in: "Formats", ["ModelFormat", "Graph", "Operators"]),
    module("NCNNFormat", in: "Formats", ["ModelFormat", "Graph", "Operators"]),
    .target(name: "CDeflate", path: "C/CDeflate", linkerSettings: [.linkedLibrary("z")]),
    module(
      "KerasFormat", in: "Formats", ["CDeflate", "Platform", "ModelFormat", "Graph", "Operators"]),
    module("TensorFlowLiteFormat", in: "Formats", ["ModelFormat", "Graph", "Operators"]),
    .target(
      name: "Engine",
      dependencies: [
        "Platform", "Files", "Tensors", "Graph", "Operators", "Passes", "Backends", "CPUBackend",
        "NeuralNetworkFormat", "ProgramFormat", "COneDNN", "CKernels",
      ],
      path: "Sources/Engine/Execution", swiftSettings: settings),
    module("Training", in: "Engine", ["Engine", "Operators"]),
    // Every reader and writer of models.
    module(
      "Conversion", in: "Formats",
      [
        "ModelFormat", "Graph", "Operators", "NeuralNetworkFormat", "ProgramFormat", "ONNXFormat",
        "CaffeFormat", "KerasFormat", "NCNNFormat", "TensorFlowLiteFormat", "Files",
      ]),

    // Pictures.
    module("Imaging", in: "Tools", ["CVips", "CKernels", "Platform", "Files"]),
    module("PhotoMetadata", in: "Tools", ["Imaging"]),
    module("FFmpeg", in: "Tools", ["CProcess", "Imaging", "Platform"]),
    // Has no package access, because Swift warns if a package imports its own overlay of a toolchain module.
    .target(
      name: "CoreFoundation", dependencies: ["Combine", "TextBoundaries"],
      path: "Sources/Apple/CoreFoundation",
      packageAccess: false,
      swiftSettings: settings),
    .target(name: "CCoreVideo", path: "C/CCoreVideo"),
    module("CoreVideo", in: "Apple", ["CCoreVideo", "CoreFoundation", "Platform"]),
    module("_Testing_CoreGraphics", in: "Apple"),
    module("_Testing_CoreImage", in: "Apple"),
    .target(name: "CCairo", dependencies: ["CDynamicLibrary"], path: "C/CCairo"),
    module(
      "CoreGraphics", in: "Apple", ["CCairo", "CoreVideo", "Imaging", "_Testing_CoreGraphics"]),
    module("ImageIO", in: "Apple", ["CoreGraphics", "Imaging", "Platform"]),
    // The kernels of the filters, and the C module that makes `import CoreImage.CIFilterBuiltins` possible.
    .target(name: "CFilters", path: "C/CFilters"),
    .target(name: "CCoreImage", path: "C/CCoreImage"),
    .target(
      name: "CoreImage",
      dependencies: [
        "CCoreImage", "CFilters", "CoreGraphics", "ImageIO", "Imaging", "_Testing_CoreImage",
      ],
      path: "Sources/Apple/CoreImage", packageAccess: false, swiftSettings: settings),

    .target(name: "CVision", path: "C/CVision"),
    .target(name: "CBarcode", dependencies: ["CDynamicLibrary"], path: "C/CBarcode"),

    // Small modules of Apple's that programs import beside Core ML.
    .target(name: "COS", path: "C/COS"),
    .target(
      name: "os", dependencies: ["COS", "Platform"], path: "Sources/Apple/os", packageAccess: false,
      swiftSettings: settings),
    module("OSLog", in: "Apple", ["os"]),
    .target(name: "CMach", path: "C/CMach"),
    module(
      "AppleFoundation", in: "Apple", ["CDeflate", "CMach", "CoreFoundation", "Platform", "os"]),
    module("QuartzCore", in: "Apple", ["CoreFoundation", "CoreGraphics"]),
    module("CoreAudioTypes", in: "Apple", ["CoreFoundation"]),
    module("CoreMedia", in: "Apple", ["CoreAudioTypes", "CoreFoundation", "CoreVideo"]),
    module("UniformTypeIdentifiers", in: "Apple"),
    module("CryptoKit", in: "Apple", ["CCrypto"]),
    .target(
      name: "NaturalLanguage", dependencies: ["CoreFoundation", "TextBoundaries"],
      path: "Sources/Apple/NaturalLanguage", swiftSettings: settings,
      linkerSettings: [.linkedLibrary("_FoundationICU")]),
    module("VideoToolbox", in: "Apple", ["CoreGraphics", "CoreMedia", "CoreVideo", "Imaging"]),
    .target(name: "CAudio", dependencies: ["CDynamicLibrary"], path: "C/CAudio"),
    module("AVFAudio", in: "Apple", ["CAudio", "CoreAudioTypes"]),
    module(
      "AVFoundation", in: "Apple",
      ["AVFAudio", "CoreGraphics", "CoreMedia", "CoreVideo", "FFmpeg", "Imaging", "Platform"]),

    // Apple's facades. The C module gives `#if canImport(CoreML.MLState)` its meaning.
    .target(name: "CCoreML", path: "C/CCoreML"),
    module(
      "CoreML", in: "Apple",
      [
        "CCoreML", "Platform", "Files", "Encryption", "CoreVideo", "CoreGraphics", "ImageIO",
        "CoreImage",
        "Imaging",
        "ModelFormat", "Engine", "Operators", "CKernels", "ClassicalModels", "Training",
      ]),
    module(
      "Vision", in: "Apple",
      [
        "CoreML", "CoreMedia", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage", "CBarcode",
        "CFilm",
        "CVision",
        "Engine", "Imaging", "ModelFormat", "ModelTools", "Platform",
      ]),

    // vDSP, vForce, BLAS, LAPACK and vImage.
    .target(
      name: "CAccelerate", dependencies: ["CKernels", "CDynamicLibrary"], path: "C/CAccelerate",
      exclude: ["README.md"], cxxSettings: [.headerSearchPath(".")]),
    module("Accelerate", in: "Apple", ["CAccelerate", "CoreGraphics", "CoreVideo"]),

    // TensorFlow Lite's interface.
    module(
      "TensorFlowLite", in: "Apple",
      ["Engine", "ModelFormat", "TensorFlowLiteFormat"]),

    // The C interface: libatelier.so.
    .target(name: "CAtelierHeader", path: "C/CAtelierHeader", exclude: ["exports.map"]),
    .target(
      name: "CAtelier",
      dependencies: [
        "CAtelierHeader", "CKernels", "Compression", "CoreML", "CoreVideo", "ModelFormat",
        "Conversion", "Engine", "Graph", "StyleTransfer",
      ],
      path: "Sources/Apple/CAtelier", swiftSettings: settings, linkerSettings: selfContained),

    // Tools.
    module("Arguments", in: "Tools"),
    module("Tables", in: "Tools"),
    module("TableTraining", in: "Tools", ["ModelFormat", "Platform", "Tensors"]),
    module("Porting", in: "Tools", ["ModelClasses"]),
    // ICU is a part of Foundation, but its functions must be linked by name.
    .target(
      name: "TextBoundaries", path: "Sources/Tools/TextBoundaries", swiftSettings: settings,
      linkerSettings: [.linkedLibrary("_FoundationICU")]),
    module("Compression", in: "Tools", ["ModelFormat", "Platform", "ProgramFormat", "Tensors"]),
    module("ModelClasses", in: "Tools", ["ModelFormat"]),
    .executableTarget(
      name: "atelier-model-class", dependencies: ["ModelClasses", "ModelFormat"],
      path: "Sources/Tools/atelier-model-class", swiftSettings: settings),
    module(
      "ModelTools", in: "Tools",
      [
        "Conversion", "KerasFormat", "ModelFormat", "NeuralNetworkFormat", "Engine", "Operators",
        "Imaging", "Files", "Encryption", "Platform",
      ]),

    // Styles: losses, painting by optimisation, the gallery.
    module(
      "StyleTransfer", in: "Styles",
      [
        "CoreML", "CoreGraphics", "CoreVideo", "ModelFormat", "ModelTools", "Engine", "Operators",
        "NormStatistics", "Conversion", "Training", "Imaging", "Files", "Encryption", "Platform",
      ]),
    // Films: frames through ffmpeg, painted without flicker.
    .target(name: "CFilm", path: "C/CFilm", exclude: ["README.md"]),
    module(
      "Film", in: "Styles",
      ["CFilm", "FFmpeg", "StyleTransfer", "NormStatistics", "Imaging", "Files", "Platform"]),
    // Apple's interface for training, and the part of Combine that it uses.
    module("Combine", in: "Apple", ["Platform"]),
    module(
      "CreateML", in: "Apple",
      [
        "AVFAudio", "Combine", "CoreGraphics", "CoreML", "Vision", "Imaging", "ModelFormat",
        "ModelTools", "NeuralNetworkFormat", "Engine", "Operators", "StyleTransfer",
        "TableTraining",
        "Tables", "Tensors", "Training", "Files", "Platform",
      ]),
    // The studio: its HTTP server, and the services on it.
    module("Service", in: "Studio", ["CMicrohttpd", "Platform"]),
    module(
      "Studio", in: "Studio",
      [
        "Service", "CStudioPages", "CProcess", "CoreML", "Vision", "CreateML", "StyleTransfer",
        "Imaging", "ModelTools", "ModelFormat", "KerasFormat", "Engine", "Files", "Platform",
        "Film", "FFmpeg",
      ]),
    .target(
      name: "BookLayers", dependencies: ["CoreML"], path: "Examples/BookLayers",
      swiftSettings: settings),
    .executableTarget(
      name: "atelier",
      dependencies: [
        "Arguments", "Compression", "ModelTools", "CoreML", "CreateML", "Vision", "Imaging",
        "PhotoMetadata", "BookLayers", "Engine", "Operators", "CaffeFormat", "Conversion",
        "ModelClasses", "ModelFormat", "Porting", "StyleTransfer", "Film", "Files", "Encryption",
        "Platform", "Tables", "Service",
        "Studio",
        // The program itself does not use these modules. Plug-ins take all of Apple's modules from the program.
        "Accelerate", "TensorFlowLite", "AVFoundation", "CryptoKit", "NaturalLanguage", "OSLog",
        "QuartzCore", "UniformTypeIdentifiers", "VideoToolbox",
      ],
      path: "Sources/atelier", swiftSettings: settings, linkerSettings: [visible]),

    // The programs of the texts (Documentation/Texts).
    example("StyleTransferBook", ["Vision", "BookLayers"]),
    example("Classification", ["Vision"]),
    example("Vibes", ["CoreML"]),
    example(
      "VGGNet",
      [
        "CoreML", "CoreGraphics", "Engine", "Operators", "NeuralNetworkFormat", "ModelFormat",
        "ModelTools", "Imaging",
      ]),
    example(
      "StyleTransferLite", ["TensorFlowLite", "CoreGraphics", "CoreImage", "CoreVideo", "ImageIO"]),

    // Tests.
    .target(
      name: "OperatorSamples",
      dependencies: ["NeuralNetworkFormat", "Operators", "ModelFormat", "CPUBackend"],
      path: "Tests/Support/OperatorSamples", swiftSettings: testSettings),
    .executableTarget(
      name: "SupportTable",
      dependencies: [
        "OperatorSamples", "Operators", "Engine", "ModelTools", "ModelFormat", "Conversion",
        "ONNXFormat", "CoreML",
      ],
      path: "Tests/Support/SupportTable", swiftSettings: testSettings),
    .executableTarget(
      name: "ONNXRunner", dependencies: ["ONNXFormat", "Engine", "ModelFormat", "NetworkRuns"],
      path: "Tests/Support/ONNXRunner", swiftSettings: testSettings),
    .target(
      name: "NetworkRuns", dependencies: ["Engine"], path: "Tests/Support/NetworkRuns",
      swiftSettings: settings),
    .target(
      name: "ThreadClock", path: "Tests/Support/ThreadClock", swiftSettings: settings),
    .target(name: "CAllocations", path: "Tests/Support/CAllocations"),
    .target(name: "CFixedOrder", path: "Tests/Support/CFixedOrder"),
    tests("PlatformTests", ["Platform"]),
    tests("FilesTests", ["Files"]),
    tests("EncryptionTests", ["Encryption", "CCrypto"]),
    tests(
      "EngineTests",
      [
        "Platform", "Engine", "Operators", "OperatorSamples", "ModelFormat", "COneDNN", "CKernels",
        "CAllocations", "CFixedOrder", "NetworkRuns", "ThreadClock",
      ]),
    tests("ModelFormatTests", ["Platform", "ModelFormat", "Tensors", "ThreadClock"]),
    tests(
      "ProgramFormatTests",
      ["ProgramFormat", "Engine", "ModelFormat", "Operators", "OperatorSamples", "NetworkRuns"]),
    tests(
      "CaffeFormatTests", ["CaffeFormat", "Engine", "ModelFormat", "NetworkRuns"],
      excluding: ["Expected"]),
    tests(
      "NCNNFormatTests", ["NCNNFormat", "Engine", "ModelFormat", "NetworkRuns"],
      excluding: ["Expected"]),
    tests(
      "KerasFormatTests",
      [
        "KerasFormat", "NeuralNetworkFormat", "Conversion", "Engine", "ModelFormat", "Operators",
        "NetworkRuns",
      ],
      excluding: ["Expected"]),
    tests(
      "TensorFlowLiteTests",
      [
        "TensorFlowLiteFormat", "TensorFlowLite", "Engine", "ModelFormat", "Operators", "Imaging",
        "Conversion", "CoreGraphics",
      ],
      excluding: ["Expected"]),
    tests(
      "ConversionTests",
      [
        "Conversion", "CoreML", "Engine", "ModelFormat", "ModelTools", "NetworkRuns",
        "NeuralNetworkFormat", "Operators", "OperatorSamples", "ProgramFormat", "Imaging",
        "StyleTransfer",
      ]),
    tests(
      "ONNXFormatTests",
      [
        "ONNXFormat", "Engine", "ModelFormat", "NeuralNetworkFormat", "Operators",
        "OperatorSamples", "NetworkRuns",
      ]),
    tests("ClassicalModelsTests", ["ClassicalModels", "ModelFormat"]),
    tests(
      "LayersTests",
      [
        "Platform", "OperatorSamples", "NeuralNetworkFormat", "Operators", "Engine", "ModelFormat",
        "NetworkRuns",
      ]),
    // Without optimisation, its definitions of convolutions take five times as long.
    tests("KernelsTests", ["Platform", "COneDNN", "CKernels"], settings: settings),
    tests("ImagingTests", ["Imaging"]),
    tests("PhotoMetadataTests", ["PhotoMetadata", "Imaging"]),
    tests("ImageTypesTests", ["Imaging", "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage"]),
    tests("ModelToolsTests", ["ModelTools", "ModelFormat"]),
    tests("TrainingTests", ["Training", "Operators", "Engine"]),
    tests(
      "StyleTransferTests",
      [
        "StyleTransfer", "CoreML", "ModelFormat", "Engine", "Imaging", "NormStatistics",
        "Encryption",
      ]),
    tests(
      "CreateMLTests",
      [
        "AVFAudio", "Platform", "CreateML", "Combine", "CoreML", "CoreGraphics", "Imaging",
        "ModelFormat", "ModelTools", "StyleTransfer", "Tensors",
      ], excluding: ["Expected"]),
    tests("AccelerateTests", ["Accelerate", "Imaging"], excluding: ["Expected"]),
    tests("FilmTests", ["Film", "FFmpeg", "StyleTransfer", "NormStatistics", "Imaging", "CoreML"]),
    tests("ArgumentsTests", ["Arguments"]),
    tests("CombineTests", ["Combine", "Platform"]),
    tests(
      "SmallModulesTests",
      [
        "AVFoundation", "AppleFoundation", "CoreMedia", "CoreVideo", "CryptoKit", "Imaging",
        "NaturalLanguage", "OSLog", "QuartzCore", "UniformTypeIdentifiers", "VideoToolbox",
        "Vision", "os",
      ]),
    tests("CompressionTests", ["Compression", "ModelFormat", "CoreML"]),
    tests("PortingTests", ["Porting"]),
    tests("ModelClassesTests", ["ModelClasses", "ModelFormat"]),
    tests(
      "StudioTests",
      [
        "Service", "Studio", "StyleTransfer", "Imaging", "CoreML", "ModelFormat", "ModelTools",
        "Platform", "FFmpeg",
      ]),
    tests(
      "CoreMLTests",
      ["CoreML", "BookLayers", "Encryption", "Engine", "Imaging", "ModelFormat", "Platform"]),
    tests(
      "UpdatingTests", ["CoreML", "ModelFormat", "Imaging", "Tensors"], excluding: ["Expected"]),
    tests(
      "VisionTests",
      ["Vision", "CBarcode", "CoreML", "Engine", "Imaging", "ModelFormat", "ModelTools"],
      excluding: ["Expected"]),
    .target(
      name: "Mutants",
      dependencies: [
        "Conversion", "Graph", "KerasFormat", "ModelFormat", "NeuralNetworkFormat", "ONNXFormat",
        "Operators", "OperatorSamples", "ProgramFormat", "Tensors",
      ],
      path: "Tests/Support/Mutants", swiftSettings: testSettings),
    .executableTarget(
      name: "ReadingRunner", dependencies: ["Conversion", "Graph", "ModelFormat", "Mutants"],
      path: "Tests/Support/ReadingRunner", swiftSettings: testSettings),
    .executableTarget(
      name: "MutationRunner",
      dependencies: [
        "CoreML", "Conversion", "Engine", "Imaging", "ModelFormat", "ModelTools", "Mutants",
        "Operators", "OperatorSamples",
      ],
      path: "Tests/Support/MutationRunner", swiftSettings: testSettings),
    .testTarget(
      name: "GoldenTests",
      dependencies: [
        "CoreML", "Vision", "ModelFormat", "Imaging", "BookLayers", "atelier", "MutationRunner",
      ],
      path: "Tests/GoldenTests",
      exclude: ["Expected", "make_multistyle.py", "make_layer_samples.py"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ListingTests",
      dependencies: ["Accelerate", "CoreML", "Vision", "CoreGraphics", "CoreImage", "Imaging"],
      path: "Tests/ListingTests", swiftSettings: testSettings + [.swiftLanguageMode(.v5)]),
    tests(
      "CommandLineTests",
      [
        "Arguments", "Imaging", "ModelFormat", "ModelTools", "StyleTransfer", "atelier",
        "SupportTable",
        "StyleTransferBook", "Classification", "Vibes", "VGGNet", "StyleTransferLite", "CoreML",
      ], excluding: ["Expected"]),
  ] + (hasPlugin ? plugins : []),
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

/// Modules without loops over weights, pixels or samples. Our own builds skip the compiler's optimisation of Swift's
/// intermediate language for them, which takes two thirds of the time (CONTRIBUTING.md). In other packages' builds, all
/// modules are optimised.
let modulesWithoutLoops: Set<String> = [
  "Conversion", "ModelClasses", "NeuralNetworkFormat", "ONNXFormat", "Porting", "ProgramFormat",
  "UniformTypeIdentifiers",
]
if !hasPlugin {
  for target: Target in package.targets where modulesWithoutLoops.contains(target.name) {
    target.swiftSettings =
      settings + [.unsafeFlags(["-Osize", "-Xfrontend", "-disable-sil-perf-optzns"])]
  }
}
