import Foundation

/// How a picture is brought to the size of a network's input.
public enum ImageCropAndScaleAction: Sendable, Hashable, Codable {
  /// The middle, cut to the input's proportions.
  case centerCrop
  /// All of it, with bars.
  case scaleToFit
  /// All of it, squeezed.
  case scaleToFill
  /// All of it, turned by 90° counter-clockwise, with bars.
  case scaleToFitPlus90CCWRotation
  /// All of it, turned by 90° counter-clockwise, squeezed.
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

/// A request that describes what a picture shows by numbers; see
/// ``VNGenerateImageFeaturePrintRequest``.
public struct GenerateImageFeaturePrintRequest: ImageProcessingRequest {
  /// The versions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable {
    /// The first of Apple's.
    case revision1
    /// The second of Apple's, which is the first here.
    case revision2
  }

  /// The print.
  public typealias Result = FeaturePrintObservation

  /// The part to look at.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// How the picture is brought to the size of the network's input.
  public var cropAndScaleAction: ImageCropAndScaleAction = .scaleToFill
  /// The version of the algorithm.
  public let revision: Revision
  /// The versions that there are.
  public static let supportedRevisions: [Revision] = [.revision1, .revision2]

  /// A request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision2 }

  /// The print of a picture.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNGenerateImageFeaturePrintRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.imageCropAndScaleOption = cropAndScaleAction.option
    let found: [VNObservation] = try request.observations(in: image.image)
    guard let print = found.first as? VNFeaturePrintObservation else {
      throw VNError(.internalError, "The network gave no print.")
    }
    return FeaturePrintObservation(print)
  }
}

/// What a picture shows, as numbers.
public struct FeaturePrintObservation: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The observation's own identifier.
  public let uuid: UUID
  /// 1.
  public let confidence: Float
  private let print: [Float]

  /// The same as the older observation.
  public init(_ observation: VNFeaturePrintObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    print = observation.print
  }

  /// The type of the numbers.
  public enum ElementType: Sendable, Hashable {
    /// 32 bits.
    case float
    /// 64 bits.
    case double
  }

  /// The type of the numbers.
  public var elementType: ElementType { .float }
  /// How many numbers there are.
  public var elementCount: Int { print.count }
  /// The numbers, one after another.
  public var data: Data { print.withUnsafeBytes { Data($0) } }

  /// The distance to another print, 0 to 2.
  public func distance(to other: FeaturePrintObservation) throws -> Double {
    try VNFeaturePrintObservation(print: print)
      .distance(to: VNFeaturePrintObservation(print: other.print))
  }

  /// The number of elements.
  public var description: String { "feature print of \(print.count) numbers" }
}
