import Arguments
import CoreGraphics
import CoreML
import CoreVideo
import Engine
import Foundation
import Imaging

extension MLModel {
  /// Predicts; what a model keeps between predictions is zero at first, and dropped.
  func predictionFromZero(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) throws -> any MLFeatureProvider {
    let state: MLState = makeState()
    return state.stateNames.isEmpty
      ? try prediction(from: input, options: options)
      : try prediction(from: input, using: state, options: options)
  }
}

/// Inputs for models that are tried out: noise, or files.
enum ModelInputs {
  /// Inputs of noise, the same each time, and the size of the picture among them.
  static func noise(
    for description: MLModelDescription, size: PictureSize?
  ) throws -> (MLDictionaryFeatureProvider, PictureSize?) {
    var generator = SampleGenerator(seed: 7)
    var values: [String: MLFeatureValue] = [:]
    var picture: PictureSize?
    for input in description.inputDescriptionsByName.values.sorted(by: { $0.name < $1.name }) {
      switch input.type {
      case .image:
        guard let constraint = input.imageConstraint else { continue }
        let area =
          size ?? PictureSize(width: constraint.pixelsWide, height: constraint.pixelsHigh)
        try Picture.requireMemory(forInputOf: area.width, height: area.height)
        let pixels = try Picture(width: area.width, height: area.height) { bytes in
          for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
        }
        values[input.name] = MLFeatureValue(
          pixelBuffer: try pixels.pixelBuffer(format: constraint.pixelFormatType))
        picture = picture ?? area
      case .multiArray:
        guard let constraint = input.multiArrayConstraint else { continue }
        let shape: [Int] = constraint.shape.map(\.intValue)
        let count: Int = Shape(shape).count
        // Eight bytes for each number, before they become an array.
        guard Shape(shape).isMeasurable, count > 0, count <= MemoryBudget.available() / 16 else {
          throw CommandError(
            "The input '\(input.name)' declares the shape \(Shape(shape)), of which no noise can be"
              + " made here: each side must be 1 or more, and all together must fit the memory.")
        }
        let numbers: [Double] = (0..<count).map { _ in generator.uniform(0...1) }
        values[input.name] = MLFeatureValue(
          multiArray: try NumberBlock(shape: shape, values: numbers)
            .multiArray(type: constraint.dataType))
      case .int64: values[input.name] = MLFeatureValue(int64: 1)
      case .double: values[input.name] = MLFeatureValue(double: 0.5)
      default:
        throw CommandError(
          "The input '\(input.name)' is neither a picture, an array nor a number; only of such can"
            + " noise be made.")
      }
    }
    return (try MLDictionaryFeatureProvider(dictionary: values), picture)
  }

  /// The files that may hold an input, by their endings.
  private static let endings = ["npy", "json", "png", "jpg", "jpeg", "webp", "tiff"]

  /// Inputs from a folder: for each one a file of its name, such as `image.png` or `tokens.npy`.
  static func files(
    in folder: URL, for description: MLModelDescription, _ mode: CropAndScale
  ) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    for input in description.inputDescriptionsByName.values.sorted(by: { $0.name < $1.name }) {
      let candidates: [String] = endings.map {
        folder.appendingPathComponent("\(input.name).\($0)").path
      }
      guard let file = candidates.first(where: { FileManager.default.fileExists(atPath: $0) })
      else {
        if input.isOptional { continue }
        throw CommandError(
          "The folder '\(folder.path)' holds no file for the input '\(input.name)'; expected"
            + " \(input.name).npy, .json, .png or .jpg.")
      }
      values[input.name] = try InputValue.make(
        file, input, cropAndScale: mode, source: "the input '\(input.name)'")
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }
}
