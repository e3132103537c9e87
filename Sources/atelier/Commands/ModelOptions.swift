import Arguments
import CoreML
import Encryption
import Engine
import Foundation
import ModelTools

/// The options that all commands share which run a model.
struct ModelOptions {
  /// Their declarations.
  static let declarations: [CommandSyntax.Option] = [
    computeUnits, threads, noTuning, function, plugin, companion, custom, key, verbose,
  ]

  static let computeUnits = CommandSyntax.Option(
    "compute-units", value: "UNITS",
    help: "cpuOnly computes in float32, all (the default) in the fastest\n"
      + "type that the machine has; cpuAndGPU and cpuAndNeuralEngine as\nall, on the processor.")
  static let key = CommandSyntax.Option(
    "key", value: "FILE", help: "The key of an encrypted model.")
  static let verbose = CommandSyntax.Option(
    "verbose", help: "Says on standard error what the model is computed on.")
  static let threads = CommandSyntax.Option(
    "threads", value: "N", help: "The number of threads; all cores unless told otherwise.")
  static let noTuning = CommandSyntax.Option(
    "no-tuning",
    help: "Chooses kernels in a fixed order, not by their times on this\n"
      + "machine (as ATELIER_TUNING=off in the environment does).")
  static let function = CommandSyntax.Option(
    "function", value: "NAME", help: "The function of a program with several.")
  static let plugin = CommandSyntax.Option(
    "plugin", value: "LIB.so", repeats: true,
    help: "A shared library with Swift classes of custom layers.")

  static let companion = CommandSyntax.Option(
    "with", value: "FILE", repeats: true,
    help: "A file that belongs to a model of another format: weights\n"
      + "beside a network's description, or the description.")

  static let custom = CommandSyntax.Option(
    "custom", value: "NAME=CLASS[:TEXT]", repeats: true,
    help: "The class of a custom layer that stands for a layer of\n"
      + "another format which is code: its name, its function's or\n"
      + "its type's. NAME.parameters.KEY=VALUE and NAME.shape=C,H,W\n"
      + "say what it is made with and what it makes.")

  /// How the model is to be loaded.
  let configuration = MLModelConfiguration()
  /// How a file of another format is to be read.
  private(set) var reading = ReadingOptions()
  /// The key of an encrypted model, where it is given.
  private(set) var decryptionKey: EncryptionKey?

  /// Reads the options, and loads the plug-ins.
  init(_ arguments: ParsedArguments) throws {
    let units: [String: MLComputeUnits] = [
      "cpuOnly": .cpuOnly, "cpuAndGPU": .cpuAndGPU, "cpuAndNeuralEngine": .cpuAndNeuralEngine,
      "all": .all,
    ]
    let words: [String] = ["cpuOnly", "cpuAndGPU", "cpuAndNeuralEngine", "all"]
    let choice: String? = try arguments.choice("compute-units", of: words)
    configuration.computeUnits = choice.flatMap { units[$0] } ?? .all
    configuration.threadCount = try arguments.integer("threads", in: 1...1024)
    configuration.measuresKernels = !arguments.has("no-tuning")
    if let path = arguments.value("key") {
      let key = try EncryptionKey(contentsOfFile: path)
      decryptionKey = key
      configuration.decryptionKey = { _ in key }
    }
    if arguments.has("verbose") {
      Output.errorLine(
        Device.sentence(configuration.computeUnits)
          ?? "The model runs on \(MLModel.computeDeviceText).")
    }
    configuration.functionName = arguments.value("function")
    for path in arguments.values("plugin") { try Plugin.load(path) }
    reading = try ReadingOptions(arguments)
    reading.makeCustomLayer = MLCustomLayerRegistry.engineFactory
  }
}

extension ReadingOptions {
  /// What the command line says of the file.
  init(_ arguments: ParsedArguments) throws {
    self.init()
    companions = arguments.values("with").map { URL(fileURLWithPath: $0) }
    function = arguments.value("function")
    for words in arguments.values("custom") { try addCustomLayer(words) }
  }
}

/// What models are computed on.
enum Device {
  /// Says where compute units of the user's choice run that are not here; nil where they are.
  static func sentence(_ units: MLComputeUnits) -> String? {
    let asked: (name: String, device: String)? =
      switch units {
      case .cpuAndGPU: ("cpuAndGPU", "GPU")
      case .cpuAndNeuralEngine: ("cpuAndNeuralEngine", "Neural Engine")
      default: nil
      }
    return asked.map {
      "\($0.name): models use no \($0.device) on this machine; the model runs on \(MLModel.computeDeviceText)."
    }
  }
}

/// Where a model lies that a command line names.
enum ModelLocation {
  /// The file at a path, or a fetched model by its name.
  static func resolve(_ name: String) throws -> URL {
    if FileManager.default.fileExists(atPath: name) { return URL(fileURLWithPath: name) }
    if let known = FetchableModel(rawValue: name) {
      guard known.isFetched() else {
        throw CommandError(
          "Model '\(name)' is not fetched yet. Run `atelier fetch \(name)` first.")
      }
      return known.file()
    }
    throw CommandError(
      "Model '\(name)': there is no such file. Check the path, or name a fetched model"
        + " (\(FetchableModel.allCases.map(\.rawValue).joined(separator: ", "))).")
  }
}

/// Shared libraries with custom layers.
enum Plugin {
  /// Loads a library for the life of the program; its classes are found by their names.
  static func load(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandError("Plug-in '\(path)': there is no such file. Check the path.")
    }
    // A name without a slash would be searched for in the system's folders.
    let file: String = URL(fileURLWithPath: path).path
    guard dlopen(file, RTLD_NOW | RTLD_GLOBAL) != nil else {
      let reason: String = dlerror().map { String(cString: $0) } ?? "no reason is known"
      throw CommandError("Plug-in '\(path)' cannot be loaded: \(reason).")
    }
  }
}
