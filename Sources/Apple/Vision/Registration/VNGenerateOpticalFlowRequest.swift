import CFilm
import CoreVideo
import Foundation
import Imaging

/// The first revision of ``VNGenerateOpticalFlowRequest``. Here, both revisions are equal.
public let VNGenerateOpticalFlowRequestRevision1: Int = 1
/// The second revision of ``VNGenerateOpticalFlowRequest``.
public let VNGenerateOpticalFlowRequestRevision2: Int = 2

/// A request that finds for each pixel of its target where the pixel is in the handler's image. The result is one
/// ``VNPixelBufferObservation`` with two numbers for each pixel: the distance to the right and the distance down, in
/// pixels.
///
/// The flow is computed by dense inverse search (Kroeger et al., 2016), as for films. Apple's request uses an
/// unpublished method.
open class VNGenerateOpticalFlowRequest: VNTargetedImageRequest {
  /// How much time to spend. Raw values are Apple's.
  public enum ComputationAccuracy: UInt, Sendable {
    /// The flow of pictures whose longest side has 256 pixels.
    case low = 0
    /// The flow of pictures whose longest side has 512 pixels.
    case medium = 1
    /// The flow of pictures whose longest side has 1024 pixels.
    case high = 2
    /// The flow of pictures of the full size.
    case veryHigh = 3

    var longestSide: Int {
      switch self {
      case .low: 256
      case .medium: 512
      case .high: 1024
      case .veryHigh: .max
      }
    }
  }

  /// How much time to spend.
  public var computationAccuracy: ComputationAccuracy = .medium

  /// The pixel format of the result: two components of float32 or float16.
  public var outputPixelFormat: OSType = kCVPixelFormatType_TwoComponent32Float

  /// Has no effect: the result always has the image's size.
  public var keepNetworkOutput: Bool = false

  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNPixelBufferObservation]? {
    found?.compactMap { $0 as? VNPixelBufferObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let formats: [OSType] = [
      kCVPixelFormatType_TwoComponent32Float, kCVPixelFormatType_TwoComponent16Half,
    ]
    guard formats.contains(outputPixelFormat) else {
      throw VNError(
        .invalidFormat,
        "The flow cannot have the pixel format \(outputPixelFormat). Set outputPixelFormat to"
          + " kCVPixelFormatType_TwoComponent32Float or kCVPixelFormatType_TwoComponent16Half.")
    }
    let pictures = try pictures(image)
    let longest: Int = max(pictures.image.width, pictures.image.height)
    let factor: Int = max(1, (longest - 1) / computationAccuracy.longestSide + 1)
    let reference = ReducedLuma(pictures.target, factor: factor)
    let target = ReducedLuma(pictures.image, factor: factor)
    guard reference.width >= 16, reference.height >= 16 else {
      throw VNError(
        .invalidImage,
        "The flow of \(pictures.image.width) × \(pictures.image.height) pixels cannot be computed, expected at"
          + " least 16 × 16 after reduction. Use a higher accuracy or a larger image.")
    }
    var flow = [Float](repeating: 0, count: 2 * reference.width * reference.height)
    // Safe: both pictures have width × height numbers, and the flow twice as many.
    guard
      cf_flow(
        reference.values, target.values, Int64(reference.width), Int64(reference.height), &flow,
        nil)
    else {
      throw VNError(.outOfMemory, "There is no memory for the flow. Use smaller images.")
    }
    let made: CVPixelBuffer = try pixelBuffer(
      flow, reference, width: pictures.image.width, height: pictures.image.height)
    return [VNPixelBufferObservation(pixelBuffer: made, featureName: nil)]
  }

  /// Enlarges the flow to the image's size, bilinearly.
  private func pixelBuffer(
    _ flow: [Float], _ reduced: ReducedLuma, width: Int, height: Int
  ) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    guard
      CVPixelBufferCreate(kCFAllocatorDefault, width, height, outputPixelFormat, nil, &made)
        == kCVReturnSuccess, let buffer = made, let rows = CVPixelBufferGetBaseAddress(buffer)
    else { throw VNError(.outOfMemory, "There is no memory for the flow. Use smaller images.") }
    let rowBytes: Int = CVPixelBufferGetBytesPerRow(buffer)
    let isHalf: Bool = outputPixelFormat == kCVPixelFormatType_TwoComponent16Half
    let factor = Float(reduced.factor)
    for y in 0..<height {
      let row: Float = min(Float(reduced.height - 1), max(0, (Float(y) + 0.5) / factor - 0.5))
      let (top, down) = (Int(row), row - Float(Int(row)))
      let bottom: Int = min(top + 1, reduced.height - 1)
      let line: UnsafeMutableRawPointer = rows + y * rowBytes
      for x in 0..<width {
        let column: Float = min(Float(reduced.width - 1), max(0, (Float(x) + 0.5) / factor - 0.5))
        let (left, across) = (Int(column), column - Float(Int(column)))
        let right: Int = min(left + 1, reduced.width - 1)
        for part in 0..<2 {
          func at(_ row: Int, _ column: Int) -> Float {
            flow[2 * (row * reduced.width + column) + part]
          }
          let above: Float = at(top, left) + (at(top, right) - at(top, left)) * across
          let below: Float = at(bottom, left) + (at(bottom, right) - at(bottom, left)) * across
          let value: Float = (above + (below - above) * down) * factor
          // Safe: each row has space for 2 × width numbers of the format.
          if isHalf {
            line.assumingMemoryBound(to: Float16.self)[2 * x + part] = Float16(value)
          } else {
            line.assumingMemoryBound(to: Float.self)[2 * x + part] = value
          }
        }
      }
    }
    return buffer
  }
}

/// The luma of a picture that is reduced by an integer factor.
private struct ReducedLuma {
  let values: [Float]
  let width: Int
  let height: Int
  let factor: Int

  init(_ picture: Picture, factor: Int) {
    (width, height) = (picture.width / factor, picture.height / factor)
    self.factor = factor
    var values = [Float](repeating: 0, count: width * height)
    picture.withPixels { pixels in
      guard let first = pixels.baseAddress else { return }
      // Safe: the picture has width × height pixels of 3 bytes, and the result has the reduced number.
      cf_reduced_luma(
        first, Int64(picture.width), Int64(picture.height), Int64(factor), &values)
    }
    self.values = values
  }
}
