import CVision
import CoreGraphics
import Foundation
import Imaging

/// The only revision of ``VNTranslationalImageRegistrationRequest``.
public let VNTranslationalImageRegistrationRequestRevision1: Int = 1

/// A request that aligns its target with the handler's image.
open class VNImageRegistrationRequest: VNTargetedImageRequest {}

/// A request that finds the translation that aligns its target with the handler's image. The result is one
/// ``VNImageTranslationAlignmentObservation``.
///
/// Images are compared by correlation, from small to large copies, so brightness may differ. A quarter of the image at
/// least must be visible in both.
open class VNTranslationalImageRegistrationRequest: VNImageRegistrationRequest {
  /// The longest side of the copies that are compared. The translation is exact to a fraction of a pixel of a copy.
  private static let longestSide = 1024

  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNImageTranslationAlignmentObservation]? {
    found?.compactMap { $0 as? VNImageTranslationAlignmentObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    var (picture, target) = try pictures(image)
    let scale: Double = min(
      1, Double(Self.longestSide) / Double(max(picture.width, picture.height)))
    let (width, height) = (picture.width, picture.height)
    if scale < 1 {
      do {
        let columns: Int = max(1, Int((Double(width) * scale).rounded()))
        let rows: Int = max(1, Int((Double(height) * scale).rounded()))
        picture = try picture.scaled(toWidth: columns, height: rows)
        target = try target.scaled(toWidth: columns, height: rows)
      } catch let error as ImagingError {
        throw VNError(.invalidImage, error.message)
      }
    }
    let from: [Float] = try target.luma().map { Float($0) }
    let to: [Float] = try picture.luma().map { Float($0) }
    var (x, y): (Double, Double) = (0, 0)
    // Safe: both lists have width × height numbers.
    let likeness: Double = cvision_shift(
      from, to, Int32(picture.width), Int32(picture.height), &x, &y)
    guard likeness > -3 else {
      throw VNError(.outOfMemory, "There is no memory to align the images. Use smaller images.")
    }
    // Core Graphics' vertical axis goes up.
    let transform = CGAffineTransform(
      translationX: CGFloat(x) * CGFloat(width) / CGFloat(picture.width),
      y: -CGFloat(y) * CGFloat(height) / CGFloat(picture.height))
    return [
      VNImageTranslationAlignmentObservation(
        transform, confidence: VNConfidence(max(0, min(1, likeness))))
    ]
  }
}

/// The alignment of two images.
open class VNImageAlignmentObservation: VNObservation {}

/// The translation that aligns a request's target with the handler's image. The confidence is their correlation.
open class VNImageTranslationAlignmentObservation: VNImageAlignmentObservation {
  /// The transform from the target to the handler's image, in pixels with the origin at the lower left.
  public let alignmentTransform: CGAffineTransform

  init(_ transform: CGAffineTransform, confidence: VNConfidence) {
    alignmentTransform = transform
    super.init(confidence: confidence)
  }
}
