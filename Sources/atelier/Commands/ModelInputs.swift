import Arguments
import CoreGraphics
import CoreML
import CoreVideo
import Engine
import Foundation
import Imaging

extension MLModel {
  /// Predicts once. If the model has a state, the state starts at zero and is discarded after the prediction.
  func predictionFromZero(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) throws -> any MLFeatureProvider {
    let state: MLState = makeState()
    return state.stateNames.isEmpty
      ? try prediction(from: input, options: options)
      : try prediction(from: input, using: state, options: options)
  }
}

/// Makes test inputs for models from noise or files.
enum ModelInputs {
  /// Fills pictures and arrays with noise, the same in every call. Inputs that are a single number get a fixed value.
  /// Also returns the size of the first picture.
  static func noise(
    for description: MLModelDescription, size: PictureSize?
  ) throws -> (MLDictionaryFeatureProvider, PictureSize?) {
    var generator = SplitMix64(seed: 7)
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
        // All numbers are first made as `Double`, with 8 bytes each. Then they become elements of the array.
        guard Shape(shape).isMeasurable, count > 0, count <= MemoryBudget.available() / 16 else {
          throw CommandError(
            "The input '\(input.name)' declares the shape \(Shape(shape)). Noise needs extents of"
              + " at least 1 and an array that fits into memory.")
        }
        let numbers: [Double] = (0..<count).map { _ in generator.uniform(0...1) }
        values[input.name] = MLFeatureValue(
          multiArray: try NumberBlock(shape: shape, values: numbers)
            .multiArray(type: constraint.dataType))
      case .int64: values[input.name] = MLFeatureValue(int64: 1)
      case .double: values[input.name] = MLFeatureValue(double: 0.5)
      default:
        throw CommandError(
          "The input '\(input.name)' is not a picture, an array or a number; noise can only be made"
            + " for these.")
      }
    }
    return (try MLDictionaryFeatureProvider(dictionary: values), picture)
  }

  /// The extensions of files that may contain the value of an input.
  private static let endings = ["npy", "json", "png", "jpg", "jpeg", "webp", "tiff"]

  /// Reads the inputs from a folder. For each input, the folder contains a file with the input's name, such as
  /// `image.png` or `tokens.npy`.
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
