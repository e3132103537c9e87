import Foundation
import ModelFormat

/// The result of an update: a model that can predict and that a caller can write to a file.
final class UpdatedModel: MLModel, MLWritable, @unchecked Sendable {
  // `@unchecked Sendable`: the specification is a constant.

  private let specification: Spec.Model

  /// - Parameter configuration: The configuration of the update. The initialiser ignores weights and biases in the
  ///   configuration, because they were only the initial values of the training.
  init(_ specification: Spec.Model, configuration: MLModelConfiguration) {
    self.specification = specification
    let own: MLModelConfiguration = configuration.duplicate()
    own.parameters = own.parameters?.filter { !$0.key.isLayerParameter }
    super.init(LoadedModel(updated: specification, configuration: own), configuration: own)
  }

  /// Writes the model. If the name ends with `.mlmodel`, writes one file. Otherwise, writes a `.mlmodelc` folder.
  ///
  /// The format of Apple's `.mlmodelc` folders is not public, so Apple's framework cannot load this folder. Apple's
  /// framework can compile the `.mlmodel` file inside this folder. The method replaces an existing model or an empty
  /// folder at the same path, but no other file or folder.
  ///
  /// - Throws: ``MLModelError`` if the model cannot be written.
  func write(to url: URL) throws {
    guard url.isFileURL else {
      throw MLModelError(
        .io, "A model can only be written to a file, not to \(url.absoluteString).")
    }
    try translatingErrors {
      if url.pathExtension.lowercased() == "mlmodel" {
        try specification.write(to: url)
      } else {
        try specification.writeCompiled(to: url)
      }
    }
  }
}
