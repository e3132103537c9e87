import Foundation

/// How an image is scaled to the size of a network's input.
public enum ImageCropAndScaleAction: Sendable, Hashable, Codable {
  /// Keeps proportions. The shorter side fits the input, and the longer side is cropped equally at both ends.
  case centerCrop
  /// Keeps proportions. The longer side fits the input, and the shorter side is padded with black.
  case scaleToFit
  /// Stretches or shrinks each side to the size of the input.
  case scaleToFill
  /// Rotates the image by 90° counter-clockwise, then scales as `scaleToFit`.
  case scaleToFitPlus90CCWRotation
  /// Rotates the image by 90° counter-clockwise, then scales as `scaleToFill`.
  case scaleToFillPlus90CCWRotation

  var option: VNImageCropAndScaleOption {
    switch self {
    case .centerCrop: .centerCrop
    case .scaleToFit: .scaleFit
    case .scaleToFill: .scaleFill
    case .scaleToFitPlus90CCWRotation: .scaleFitRotate90CCW
    case .scaleToFillPlus90CCWRotation: .scaleFillRotate90CCW
    }
  }
}

/// A request that computes the feature print of an image. See ``VNGenerateImageFeaturePrintRequest``.
public struct GenerateImageFeaturePrintRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable {
    /// Apple's first revision.
    case revision1
    /// Apple's second revision. Here, it equals the first revision.
    case revision2
  }

  /// The feature print.
  public typealias Result = FeaturePrintObservation

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// How the image is scaled to the size of the network's input.
  public var cropAndScaleAction: ImageCropAndScaleAction = .scaleToFill
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1, .revision2]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// Computes the feature print of an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNGenerateImageFeaturePrintRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.imageCropAndScaleOption = cropAndScaleAction.option
    let found: [VNObservation] = try request.observations(in: image.image)
    guard let print = found.first as? VNFeaturePrintObservation else {
      throw VNError(.internalError, "The network computed no feature print.")
    }
    return FeaturePrintObservation(print)
  }
}

/// A feature print: a vector that describes the content of an image.
public struct FeaturePrintObservation: VisionObservation {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, always 1.
  public let confidence: Float
  private let print: [Float]

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNFeaturePrintObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    print = observation.print
  }

  /// The type of the elements.
  public enum ElementType: Sendable, Hashable {
    /// 32-bit floating point.
    case float
    /// 64-bit floating point.
    case double
  }

  /// The type of the elements.
  public var elementType: ElementType { .float }
  /// The number of elements.
  public var elementCount: Int { print.count }
  /// The bytes of the elements.
  public var data: Data { print.withUnsafeBytes { Data($0) } }

  /// Computes the Euclidean distance to another feature print. The distance is 0 for equal prints and at most 2.
  ///
  /// - Throws: ``VNError`` when the prints have different numbers of elements.
  public func distance(to other: FeaturePrintObservation) throws -> Double {
    try VNFeaturePrintObservation(print: print)
      .distance(to: VNFeaturePrintObservation(print: other.print))
  }

  /// The number of elements as text.
  public var description: String { "feature print of \(print.count) numbers" }
}
