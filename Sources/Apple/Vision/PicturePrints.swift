import CoreML
import Foundation
import ModelFormat
import ModelTools
import Platform

/// The networks behind the requests that need no model of the caller's: SqueezeNet, and its features.
///
/// Each is opened once, by the first request. Apple's own requests use networks of Apple's, whose
/// classes, numbers and distances are others.
enum PicturePrints {
  private static let opened = Locked<[String: VNCoreMLModel]>([:])

  /// SqueezeNet.
  static func classifier() throws -> VNCoreMLModel {
    try model("classifier") { try FeaturePrint.classifier() }
  }

  /// From a picture to its print.
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
