import CoreML
import Foundation
import ModelFormat
import ModelTools

extension Spec.Model {
  /// Writes a trained model to a `.mlmodel` file, with other metadata if they are given.
  func write(to url: URL, metadata: MLModelMetadata?) throws {
    var written: Spec.Model = self
    if let metadata {
      written.description?.metadata = MLImageClassifier.specification(of: metadata)
    }
    try creating { try written.write(to: url) }
  }
}

extension MLModel {
  /// Reads and opens a downloaded network that computes features for classifiers.
  static func featureExtractor(
    _ read: () throws -> Spec.Model
  ) throws -> (specification: Spec.Model, model: MLModel) {
    let specification: Spec.Model
    do {
      specification = try read()
    } catch let error as ModelToolsError {
      throw MLCreateError.io(reason: error.message)
    }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let model = try creating {
      try MLModel(specification: specification, configuration: configuration)
    }
    return (specification, model)
  }
}
