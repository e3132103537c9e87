import Foundation
import ModelFormat

/// A model that has learned; it predicts, and can be written.
final class UpdatedModel: MLModel, MLWritable, @unchecked Sendable {
  // `@unchecked Sendable`: the specification is a constant.

  private let specification: Spec.Model

  /// - Parameter configuration: That of the update. Weights that it sets were the start of the
  ///   training and are not those of the model.
  init(_ specification: Spec.Model, configuration: MLModelConfiguration) {
    self.specification = specification
    let own: MLModelConfiguration = configuration.duplicate()
    own.parameters = own.parameters?.filter { !$0.key.isLayerParameter }
    super.init(LoadedModel(updated: specification, configuration: own), configuration: own)
  }

  /// Writes the model: as one file where the name ends with `.mlmodel`, else as a `.mlmodelc` folder.
  ///
  /// The folder of Apple's framework is private; Apple's framework compiles the `.mlmodel` inside
  /// ours. A model or an empty folder at the same place is replaced, nothing else is.
  func write(to url: URL) throws {
    guard url.isFileURL else {
      throw MLModelError(
        .io, "A model can only be written into a file, not to \(url.absoluteString).")
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
