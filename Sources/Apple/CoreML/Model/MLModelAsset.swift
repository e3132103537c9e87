import Foundation
import ModelFormat

/// A model in memory or on disk that is not loaded yet.
public final class MLModelAsset: NSObject, Sendable {
  let file: ModelFile

  private init(file: ModelFile) {
    self.file = file
  }

  /// Makes an asset from the bytes of a `.mlmodel` file.
  public convenience init(specification specificationData: Data) throws {
    try self.init(specification: specificationData, blobMapping: [:])
  }

  /// Makes an asset from the bytes of a model and of its weight files.
  ///
  /// - Parameter blobMapping: The bytes of each weight file. The key is the path of the file in the model package.
  public convenience init(
    specification specificationData: Data, blobMapping: [URL: Data]
  ) throws {
    self.init(
      file: try translatingErrors {
        try ModelFile(data: specificationData, blobMapping: blobMapping)
      })
  }

  /// Makes an asset from a `.mlmodelc`, `.mlmodel` or `.mlpackage`.
  public convenience init(url compiledModelURL: URL) throws {
    self.init(file: try translatingErrors { try ModelFile.open(compiledModelURL) })
  }

  /// The names of the model's functions; empty for a model that has a single function without a name.
  public var functionNames: [String] {
    get async throws { file.model.description?.functions.map(\.name) ?? [] }
  }

  /// Calls the handler with the names of the model's functions.
  public func functionNames(completionHandler handler: @escaping ([String]?, (any Error)?) -> Void)
  {
    handler(file.model.description?.functions.map(\.name) ?? [], nil)
  }

  /// The description of the model. If the model has several functions, this is the description of the default function.
  public var modelDescription: MLModelDescription {
    get async throws { try MLModelDescription(file.model) }
  }

  /// Calls the handler with the description of the model.
  public func modelDescription(
    completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void
  ) {
    describe(functionName: nil, handler)
  }

  /// Returns the description of one function of the model.
  public func modelDescription(of functionName: String) async throws -> MLModelDescription {
    try MLModelDescription(file.model, functionName: functionName)
  }

  /// Calls the handler with the description of one function of the model.
  public func modelDescription(
    ofFunctionNamed functionName: String,
    completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void
  ) {
    describe(functionName: functionName, handler)
  }

  private func describe(
    functionName: String?, _ handler: (MLModelDescription?, (any Error)?) -> Void
  ) {
    do {
      handler(try MLModelDescription(file.model, functionName: functionName), nil)
    } catch {
      handler(nil, error)
    }
  }
}
