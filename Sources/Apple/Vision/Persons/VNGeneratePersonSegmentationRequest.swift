import CoreVideo
import Foundation
import Imaging

/// The only revision of ``VNGeneratePersonSegmentationRequest``.
public let VNGeneratePersonSegmentationRequestRevision1: Int = 1

/// A request that separates persons from the background. The result is one ``VNPixelBufferObservation`` with a mask:
/// 255 (or 1.0) is a person, 0 the background.
///
/// The network is MediaPipe's selfie segmentation, which `atelier fetch vision` downloads once. Its input has 256 × 256
/// pixels, and it was trained for persons near the camera. The quality level only determines the size of the mask.
open class VNGeneratePersonSegmentationRequest: VNImageBasedRequest {
  /// The size of the mask. Raw values are Apple's.
  public enum QualityLevel: UInt, Sendable {
    /// The image's size, at most 2016 pixels on the longer side.
    case accurate = 0
    /// At most 1024 pixels on the longer side.
    case balanced = 1
    /// At most 256 pixels on the longer side.
    case fast = 2

    var longestSide: Int {
      switch self {
      case .accurate: 2016
      case .balanced: 1024
      case .fast: 256
      }
    }
  }

  /// The size of the mask.
  public var qualityLevel: QualityLevel = .accurate

  /// The pixel format of the mask: one component of 8 bits, float16 or float32.
  public var outputPixelFormat: OSType = kCVPixelFormatType_OneComponent8

  /// Makes a request.
  override public init(completionHandler: VNRequestCompletionHandler? = nil) {
    super.init(completionHandler: completionHandler)
  }

  /// Makes a request without a completion handler.
  public convenience init() { self.init(completionHandler: nil) }

  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNPixelBufferObservation]? {
    found?.compactMap { $0 as? VNPixelBufferObservation }
  }

  /// The pixel formats that ``outputPixelFormat`` can have.
  open func supportedOutputPixelFormats() throws -> [NSNumber] {
    PersonMask.formats.map { NSNumber(value: $0) }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let scale: Double = min(
      1, Double(qualityLevel.longestSide) / Double(max(picture.width, picture.height)))
    let mask: CVPixelBuffer = try PersonMask(picture).pixelBuffer(
      width: max(1, Int((Double(picture.width) * scale).rounded())),
      height: max(1, Int((Double(picture.height) * scale).rounded())), format: outputPixelFormat)
    return [VNPixelBufferObservation(pixelBuffer: mask, featureName: nil)]
  }
}
