import Foundation
import ModelFormat
import Platform

extension MLModel {
  /// Same as ``init(contentsOf:)``.
  public convenience init(contentsOfURL url: URL) throws {
    try self.init(contentsOf: url)
  }

  /// Same as ``init(contentsOf:configuration:)``.
  public convenience init(contentsOfURL url: URL, configuration: MLModelConfiguration) throws {
    try self.init(contentsOf: url, configuration: configuration)
  }

  /// Loads a model without blocking the caller.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLModel {
    let copy = SendableBox(configuration.duplicate())
    return try await BackgroundWork.result {
      SendableBox(try MLModel(contentsOf: url, configuration: copy.value))
    }
  }

  /// Loads a model and calls the handler on a background thread.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping (Result<MLModel, any Error>) -> Void
  ) {
    let copy = SendableBox(configuration.duplicate())
    let handler = SendableBox(handler)
    BackgroundWork.start {
      handler.value(Result { try MLModel(contentsOf: url, configuration: copy.value) })
    }
  }

  /// The function of Objective-C that the classes call that Xcode wrote for models before Swift had `Result`.
  public class func __loadContents(
    of url: URL, configuration: MLModelConfiguration,
    completionHandler handler: @escaping (MLModel?, (any Error)?) -> Void
  ) {
    load(contentsOf: url, configuration: configuration) { result in
      switch result {
      case .success(let model): handler(model, nil)
      case .failure(let error): handler(nil, error)
      }
    }
  }

  /// Loads a model from an asset without blocking the caller.
  public class func load(
    asset: MLModelAsset, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLModel {
    let copy = SendableBox(configuration.duplicate())
    return try await BackgroundWork.result {
      SendableBox(try MLModel(asset, configuration: copy.value))
    }
  }

  /// Loads a model from an asset and calls the handler on a background thread.
  public class func load(
    _ asset: MLModelAsset, configuration: MLModelConfiguration,
    completionHandler handler: @escaping (MLModel?, (any Error)?) -> Void
  ) {
    let copy = SendableBox(configuration.duplicate())
    let handler = SendableBox(handler)
    BackgroundWork.start {
      do {
        handler.value(try MLModel(asset, configuration: copy.value), nil)
      } catch {
        handler.value(nil, error)
      }
    }
  }

  package convenience init(_ asset: MLModelAsset, configuration: MLModelConfiguration) throws {
    self.init(
      try LoadedModel(asset.file.model, configuration: configuration, file: asset.file),
      configuration: configuration)
  }

  /// Makes a model from a specification in memory.
  package convenience init(
    specification: Spec.Model, configuration: MLModelConfiguration
  ) throws {
    self.init(
      try LoadedModel(specification, configuration: configuration), configuration: configuration)
  }

  /// Compiles a `.mlmodel` or `.mlpackage` into a `.mlmodelc` folder in the temporary directory. The caller must move
  /// or remove the folder.
  ///
  /// - Returns: The URL of the folder.
  /// - Throws: ``MLModelError`` when the model cannot be read or the folder cannot be written.
  public class func compileModel(at modelURL: URL) throws -> URL {
    let folder: URL = FileManager.default.temporaryDirectory.appendingPathComponent(
      "Atelier-\(UUID().uuidString)", isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw MLModelError(
        .io, "The folder \(folder.path) for the compiled model cannot be created.", cause: error)
    }
    do {
      return try translatingErrors { try ModelFile.compile(from: modelURL, into: folder) }
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  /// Compiles a model without blocking the caller. See ``compileModel(at:)-swift.method``.
  public class func compileModel(at modelURL: URL) async throws -> URL {
    try await BackgroundWork.result {
      let compile: (URL) throws -> URL = compileModel(at:)
      return SendableBox(try compile(modelURL))
    }
  }

  /// Compiles a model and calls the handler on a background thread. See ``compileModel(at:)-swift.method``.
  public class func compileModel(
    at url: URL, completionHandler handler: @escaping (Result<URL, any Error>) -> Void
  ) {
    let handler = SendableBox(handler)
    BackgroundWork.start {
      let compile: (URL) throws -> URL = compileModel(at:)
      handler.value(Result { try compile(url) })
    }
  }
}
