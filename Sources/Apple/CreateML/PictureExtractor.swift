import CoreGraphics
import CoreML
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// The network that computes features of photos for classifiers.
struct PictureExtractor {
  /// The specification of the network.
  let specification: Spec.Model
  private let model: MLModel

  /// Opens the network that `atelier fetch squeezenet` downloaded.
  init() throws {
    (specification, model) = try MLModel.featureExtractor { try FeaturePrint.extractor() }
  }

  /// Crops the photo to the square at its centre and scales that square to the size of the network's input.
  static func input(_ photo: Picture) throws -> MLFeatureValue {
    MLFeatureValue(
      pixelBuffer: try photo.withoutAlpha.pixelBuffer(
        format: kCVPixelFormatType_32BGRA, fittedToWidth: 227, height: 227, mode: .centerCrop))
  }

  /// Computes the feature print of each photo. Returns the prints with the photos' labels, sorted by label.
  func prints(of files: [String: [URL]]) throws -> [(label: String, print: [Float])] {
    try files.sorted { $0.key < $1.key }.flatMap { label, files in
      try files.map { file in (label, try creating { try print(of: Picture(contentsOf: file)) }) }
    }
  }

  private func print(of photo: Picture) throws -> [Float] {
    let features = try model.prediction(
      from: MLDictionaryFeatureProvider(
        dictionary: [FeaturePrint.inputName: Self.input(photo)]))
    guard let array = features.featureValue(for: FeaturePrint.outputName)?.multiArrayValue else {
      preconditionFailure("the network was made with this output")
    }
    return (0..<array.count).map { array[$0].floatValue }
  }
}
