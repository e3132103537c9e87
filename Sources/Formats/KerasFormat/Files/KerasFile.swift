import Foundation
import Graph
import ModelFormat

/// The content of a model's files: the architecture, the weights, and the version of Keras that wrote the files.
struct KerasFile {
  /// The settings of the whole model: `class_name` and `config`.
  let model: KerasSettings
  /// The weights. Nil if no file holds weights.
  let weights: KerasWeights?
  /// The major version of Keras that wrote the files.
  let version: Int

  /// Opens a file and its companion files. If `companions` is empty and the file lacks the architecture or the weights,
  /// also opens the files that `beside` finds.
  ///
  /// - Throws: ``EngineError`` that names the file.
  init(_ url: URL, companions: [URL]) throws {
    var parts = Parts()
    for file in [url] + companions {
      do {
        try parts.read(file)
      } catch let error as EngineError {
        throw EngineError(error.code, "'\(file.lastPathComponent)': \(error.message)")
      } catch let error as ModelFormatError {
        throw EngineError(.invalidModel, error.message)
      }
    }
    if parts.model == nil || parts.weights == nil, companions.isEmpty {
      for file in Self.beside(url) { try? parts.read(file) }
    }
    guard let model = parts.model else {
      throw EngineError(
        .invalidModel,
        "'\(url.lastPathComponent)' holds weights but no architecture. Give a file with the text of `model.to_json()`, too: --with FILE.json."
      )
    }
    self.model = model
    weights = parts.weights
    version = parts.version ?? Self.version(model)
  }

  /// Returns the existing files beside `url` whose names differ only in the ending: weights for an architecture, or an
  /// architecture for weights.
  private static func beside(_ url: URL) -> [URL] {
    let stem: URL = url.deletingPathExtension()
    let names: [String] =
      url.pathExtension.lowercased() == "json"
      ? [".weights.h5", ".h5", ".hdf5", "_weights.h5"] : [".json"]
    return names.map { URL(fileURLWithPath: stem.path + $0) }.filter {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }

  private static func version(_ model: KerasSettings) -> Int {
    let stated: String? = (try? model.text("keras_version")) ?? nil
    return stated?.first?.wholeNumberValue ?? (model.has("module") ? 3 : 2)
  }

  private struct Parts {
    var model: KerasSettings?
    var weights: KerasWeights?
    var version: Int?

    mutating func read(_ url: URL) throws {
      let bytes: ByteValues = try MappedFile(path: url.path).bytes
      if bytes.starts(with: HDF5File.signature) {
        try read(HDF5File(bytes))
      } else if bytes.starts(with: [0x50, 0x4B]) {
        let archive = try ZipArchive(bytes)
        guard let config = try archive.file("config.json") else {
          throw EngineError(
            .invalidModel, "the archive holds no 'config.json', so it is not a Keras model.")
        }
        model = try KerasSettings(json: config.array(), "'config.json'")
        version = 3
        if let weights = try archive.file("model.weights.h5") {
          self.weights = try KerasWeights(try HDF5File(weights))
        }
      } else {
        model = try KerasSettings(json: bytes.array(), "the architecture")
      }
    }

    private mutating func read(_ file: HDF5File) throws {
      if let text = try file.text("model_config", of: file.root) {
        model = try KerasSettings(json: Array(text.utf8), "'model_config'")
      }
      let group: HDF5Object = try file.object("model_weights", in: file.root) ?? file.root
      let stated: String? =
        try file.text("keras_version", of: file.root) ?? file.text("keras_version", of: group)
      if let number = stated?.first?.wholeNumberValue { version = number }
      weights = try KerasWeights(file)
    }
  }
}
