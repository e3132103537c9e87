import CVision
import CoreML
import Foundation
import Imaging
import ModelTools
import Platform

/// One of MediaPipe's networks, ready to run on parts of pictures.
///
/// The first request that needs a network opens it. The network computes in float32.
struct LandmarkNetwork: Sendable {
  private static let opened = Locked<[VisionNetwork: LandmarkNetwork]>([:])

  private let model: MLModel
  private let input: String
  private let outputs: [String]
  /// The number of columns, and also of rows, of the network's square input.
  let side: Int

  /// Returns a network. Opens it at the first call.
  ///
  /// - Throws: ``VNError`` when nobody has downloaded the networks with `atelier fetch vision`.
  static func opened(_ network: VisionNetwork) throws -> LandmarkNetwork {
    try opened.withLock { known in
      if let open = known[network] { return open }
      let open = try LandmarkNetwork(network)
      known[network] = open
      return open
    }
  }

  private init(_ network: VisionNetwork) throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    do {
      model = try MLModel(graph: network.read(), configuration: configuration)
    } catch let error as ModelToolsError {
      throw VNError(.dataUnavailable, error.message)
    }
    let description: MLModelDescription = model.modelDescription
    guard let name = description.inputNames.first,
      let shape = description.inputDescriptionsByName[name]?.multiArrayConstraint?.shape,
      shape.count == 4, shape[1] == shape[2], shape[3] == 3
    else {
      throw VNError(
        .invalidModel,
        "The network '\(network.fileName)' takes no picture. Fetch it again: `atelier fetch vision"
          + " --force`.")
    }
    (input, outputs, side) = (name, description.outputNames, shape[1].intValue)
  }

  /// The colour of pixels outside the picture: black, or the colour of the nearest pixel.
  enum Border: Int32 {
    case black = 0
    case nearest = 1
  }

  /// Runs the network on a region of a picture. Returns the outputs in the order in which the network lists them, each
  /// as a flat list.
  ///
  /// - Parameter range: The values of black and of white in the network's input.
  func run(
    _ picture: Picture, _ region: SampledRegion, range: ClosedRange<Float>, border: Border
  ) throws -> [[Float]] {
    let array = try MLMultiArray(
      shape: [1, NSNumber(value: side), NSNumber(value: side), 3], dataType: .float32)
    let transform: [Double] = region.transform(columns: side, rows: side)
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { numbers, _ in
      picture.withPixels { pixels in
        guard let from = pixels.baseAddress, let to = numbers.baseAddress else { return }
        // Safe: the picture has width × height pixels of 3 bytes, and the new array has side × side × 3 numbers.
        cvision_sample(
          from, Int32(picture.width), Int32(picture.height), transform, Int32(side), Int32(side),
          border.rawValue, (range.upperBound - range.lowerBound) / 255, range.lowerBound, to)
      }
    }
    let made: any MLFeatureProvider = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [input: MLFeatureValue(multiArray: array)]))
    return try outputs.map { name in
      guard let array = made.featureValue(for: name)?.multiArrayValue else {
        throw VNError(.internalError, "The network made no output '\(name)'.")
      }
      return MLShapedArray<Float>(converting: array).scalars
    }
  }
}

/// The sigmoid function.
func sigmoid(_ value: Float) -> Float { 1 / (1 + exp(-value)) }
