import CoreML
import Foundation
import ModelFormat
import ModelTools
import Platform

/// The networks for requests that do not use a model of the caller: SqueezeNet, and the part of SqueezeNet that
/// computes the features.
///
/// The first request that needs a network opens it. Apple's requests use other networks, so the classes, features and
/// distances of Apple's requests differ from those here.
enum PicturePrints {
  private static let opened = Locked<[String: VNCoreMLModel]>([:])

  /// Returns the classifier, which is SqueezeNet. Opens it at the first call.
  static func classifier() throws -> VNCoreMLModel {
    try model("classifier") { try FeaturePrint.classifier() }
  }

  /// Returns the network that computes the feature print of an image. Opens it at the first call.
  static func extractor() throws -> VNCoreMLModel {
    try model("extractor") { try FeaturePrint.extractor() }
  }

  private static func model(
    _ name: String, _ make: () throws -> Spec.Model
  ) throws -> VNCoreMLModel {
    try opened.withLock { known in
      if let model = known[name] { return model }
      let specification: Spec.Model
      do {
        specification = try make()
      } catch let error as ModelToolsError {
        throw VNError(.dataUnavailable, error.message)
      }
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      let model = try VNCoreMLModel(
        for: MLModel(specification: specification, configuration: configuration))
      known[name] = model
      return model
    }
  }
}
