import Arguments
import CoreML
import Encryption
import Engine
import Foundation
import ModelTools

/// The options that all commands that run a model have in common.
struct ModelOptions {
  /// The declarations of these options.
  static let declarations: [CommandSyntax.Option] = [
    computeUnits, threads, noTuning, quantize, function, plugin, companion, custom, key, verbose,
  ].grouped("For developers")

  /// The declarations for commands that choose the network themselves.
  static let execution: [CommandSyntax.Option] = [
    computeUnits, threads, noTuning, verbose,
  ].grouped("For developers")

  static let computeUnits = CommandSyntax.Option(
    "compute-units", value: "UNITS",
    choices: ["cpuOnly", "cpuAndGPU", "cpuAndNeuralEngine", "all"],
    help: "cpuOnly computes in float32, all (default) in the fastest type\n"
      + "of this processor. cpuAndGPU and cpuAndNeuralEngine are the same\n"
      + "as all.")
  static let key = CommandSyntax.Option(
    "key", value: "FILE", help: "The key of an encrypted model.")
  static let verbose = CommandSyntax.Option(
    "verbose", help: "Prints on standard error which device computes the model.")
  static let threads = CommandSyntax.Option(
    "threads", value: "N", help: "The number of threads (default: the number of cores).")
  static let noTuning = CommandSyntax.Option(
    "no-tuning",
    help: "Chooses kernels in a fixed order, not by their times on this\n"
      + "machine (the same as ATELIER_TUNING=off in the environment).")
  static let quantize = CommandSyntax.Option(
    "quantize", value: "WHEN", choices: ["dynamic"],
    help: "dynamic quantises the inputs of linear layers to int8 while the\n"
      + "model runs: faster, less precise.")
  static let function = CommandSyntax.Option(
    "function", value: "NAME", help: "The function to run, if an ML Program has several.")
  static let plugin = CommandSyntax.Option(
    "plugin", value: "LIB.so", repeats: true,
    help: "A shared library with Swift classes of custom layers.")

  static let companion = CommandSyntax.Option(
    "with", value: "FILE", repeats: true,
    help: "A second file of a model of another format: the weights of a\n"
      + "network's description, or the description.")

  static let custom = CommandSyntax.Option(
    "custom", value: "NAME=CLASS[:TEXT]", repeats: true,
    help: "The class of a custom layer that replaces a layer of another\n"
      + "format that is code. NAME is the layer's, its function's or its\n"
      + "type's. NAME.parameters.KEY=VALUE sets a parameter of the class,\n"
      + "NAME.shape=C,H,W the shape of its output.")

  /// The configuration with which a Core ML model is loaded.
  let configuration = MLModelConfiguration()
  /// The options with which a file of another format is read.
  private(set) var reading = ReadingOptions()
  /// The key of an encrypted model. Nil if none is given.
  private(set) var decryptionKey: EncryptionKey?

  /// Reads the options, and loads the plug-ins that they name.
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
    configuration.usesDynamicQuantization =
      try arguments.choice("quantize", of: ["dynamic"]) == "dynamic"
    if let path = arguments.value("key") {
      let key = try EncryptionKey(contentsOfFile: path)
      decryptionKey = key
      configuration.decryptionKey = { _ in key }
    }
    if arguments.has("verbose") {
      Output.note(
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
  /// Reads the options for files of other formats from the command line.
  init(_ arguments: ParsedArguments) throws {
    self.init()
    companions = arguments.values("with").map { URL(fileURLWithPath: $0) }
    function = arguments.value("function")
    for words in arguments.values("custom") { try addCustomLayer(words) }
  }
}

/// Checks the compute units that the user chose.
enum Device {
  /// Returns a message if the user chose compute units that this machine lacks, or nil if the machine has the chosen
  /// units.
  static func sentence(_ units: MLComputeUnits) -> String? {
    let asked: (name: String, device: String)? =
      switch units {
      case .cpuAndGPU: ("cpuAndGPU", "GPU")
      case .cpuAndNeuralEngine: ("cpuAndNeuralEngine", "Neural Engine")
      default: nil
      }
    return asked.map {
      "\($0.name): this machine has no \($0.device) for models; the model runs on"
        + " \(MLModel.computeDeviceText)."
    }
  }
}

/// Finds the models that a command line names.
enum ModelLocation {
  /// Returns the location of a file by its path, or of a fetched model by its name.
  static func resolve(_ name: String) throws -> URL {
    if FileManager.default.fileExists(atPath: name) { return URL(fileURLWithPath: name) }
    if let known = FetchableModel(rawValue: name), known.isOneModel {
      guard known.isFetched() else {
        throw CommandError(
          "Model '\(name)' is not fetched yet. Run `atelier fetch \(name)` first.")
      }
      return known.file()
    }
    let known: [FetchableModel] = FetchableModel.allCases.filter(\.isOneModel)
    throw CommandError(
      "Model '\(name)': there is no such file. Check the path, or name a fetched model"
        + " (\(known.map(\.rawValue).joined(separator: ", "))).")
  }
}

/// Loads shared libraries with custom layers.
enum Plugin {
  /// Loads a library, which stays loaded until the program ends. Models find the library's classes by the names of the
  /// classes.
  static func load(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandError("Plug-in '\(path)': there is no such file. Check the path.")
    }
    // The path must be absolute, because dlopen searches the system's folders for a name without a slash.
    let file: String = URL(fileURLWithPath: path).path
    guard dlopen(file, RTLD_NOW | RTLD_GLOBAL) != nil else {
      let reason: String = dlerror().map { String(cString: $0) } ?? "the system gives no reason"
      throw CommandError("Plug-in '\(path)' cannot be loaded: \(reason).")
    }
  }
}
