import CoreVideo
import Foundation
import Platform

/// A request that separates persons from the background. See ``VNGeneratePersonSegmentationRequest``.
public final class GeneratePersonSegmentationRequest: ImageProcessingRequest {
  /// The size of the mask.
  public enum QualityLevel: Sendable, Hashable, Codable, CaseIterable {
    /// The image's size, at most 2016 pixels on the longer side.
    case accurate
    /// At most 1024 pixels on the longer side.
    case balanced
    /// At most 256 pixels on the longer side.
    case fast

    var older: VNGeneratePersonSegmentationRequest.QualityLevel {
      switch self {
      case .accurate: .accurate
      case .balanced: .balanced
      case .fast: .fast
      }
    }
  }

  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// The only revision.
    case revision1
  }

  /// The mask: 1 is a person, 0 the background.
  public typealias Result = PixelBufferObservation

  private struct Settings {
    var region: NormalizedRect = .fullImage
    var quality: QualityLevel = .accurate
    var format: OSType = kCVPixelFormatType_OneComponent8
  }

  private let settings = Locked(Settings())

  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision1]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision1 }

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect {
    get { settings.withLock { $0.region } }
    set { settings.withLock { $0.region = newValue } }
  }

  /// The size of the mask.
  public var qualityLevel: QualityLevel {
    get { settings.withLock { $0.quality } }
    set { settings.withLock { $0.quality = newValue } }
  }

  /// The pixel format of the mask: one component of 8 bits, float16 or float32.
  public var outputPixelFormatType: OSType {
    get { settings.withLock { $0.format } }
    set { settings.withLock { $0.format = newValue } }
  }

  /// The pixel formats that ``outputPixelFormatType`` can have.
  public var supportedOutputPixelFormats: [OSType] { PersonMask.formats }

  /// Separates persons from the background.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNGeneratePersonSegmentationRequest()
    let settings: Settings = settings.withLock { $0 }
    request.regionOfInterest = settings.region.cgRect
    request.qualityLevel = settings.quality.older
    request.outputPixelFormat = settings.format
    let found: [VNObservation] = try request.observations(in: image.image)
    guard let mask = (found.first as? VNPixelBufferObservation).flatMap(Result.init) else {
      throw VNError(.internalError, "The network made no mask.")
    }
    return mask
  }

  /// Returns whether both are the same object.
  public static func == (
    left: GeneratePersonSegmentationRequest, right: GeneratePersonSegmentationRequest
  ) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
