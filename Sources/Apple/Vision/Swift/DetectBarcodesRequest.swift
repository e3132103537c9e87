import CoreGraphics
import Foundation

/// A kind of barcode that zbar reads.
public enum BarcodeSymbology: String, Sendable, Hashable, Codable, CaseIterable {
  /// Codabar.
  case codabar
  /// Code 39.
  case code39
  /// Code 93.
  case code93
  /// Code 128.
  case code128
  /// EAN-8.
  case ean8
  /// EAN-13. UPC-A codes are EAN-13 codes that begin with 0.
  case ean13
  /// GS1 DataBar.
  case gs1DataBar
  /// GS1 DataBar Expanded.
  case gs1DataBarExpanded
  /// Interleaved 2 of 5.
  case i2of5
  /// QR code.
  case qr
  /// UPC-E.
  case upce

  var older: VNBarcodeSymbology {
    switch self {
    case .codabar: .codabar
    case .code39: .code39
    case .code93: .code93
    case .code128: .code128
    case .ean8: .ean8
    case .ean13: .ean13
    case .gs1DataBar: .gs1DataBar
    case .gs1DataBarExpanded: .gs1DataBarExpanded
    case .i2of5: .i2of5
    case .qr: .qr
    case .upce: .upce
    }
  }
}

/// A barcode that a request found in an image.
public struct BarcodeObservation: VisionObservation, BoundingBoxProviding {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, always 1.
  public let confidence: Float
  /// The box around the code, normalised to the region of interest.
  public let boundingBox: NormalizedRect
  /// The upper left corner.
  public let topLeft: NormalizedPoint
  /// The upper right corner.
  public let topRight: NormalizedPoint
  /// The lower left corner.
  public let bottomLeft: NormalizedPoint
  /// The lower right corner.
  public let bottomRight: NormalizedPoint
  /// The kind of the code.
  public let symbology: BarcodeSymbology
  /// The content as text; nil if the content is not UTF-8.
  public let payloadString: String?
  /// The content.
  public let payloadData: Data?

  /// Copies an observation of the older interface, whose names begin with `VN`.
  public init(_ observation: VNBarcodeObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    topLeft = NormalizedPoint(normalizedPoint: observation.topLeft)
    topRight = NormalizedPoint(normalizedPoint: observation.topRight)
    bottomLeft = NormalizedPoint(normalizedPoint: observation.bottomLeft)
    bottomRight = NormalizedPoint(normalizedPoint: observation.bottomRight)
    symbology = BarcodeSymbology.allCases.first { $0.older == observation.symbology } ?? .qr
    payloadString = observation.payloadStringValue
    payloadData = observation.payloadData
  }

  /// The kind and the content.
  public var description: String { "\(symbology.rawValue) \"\(payloadString ?? "")\"" }
}

/// A request that reads barcodes and QR codes. See ``VNDetectBarcodesRequest``.
public struct DetectBarcodesRequest: ImageProcessingRequest {
  /// The revisions of the request's algorithm.
  public enum Revision: Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Apple's revision 4.
    case revision4
  }

  /// The results.
  public typealias Result = [BarcodeObservation]

  /// The part of the image to analyse.
  public var regionOfInterest: NormalizedRect = .fullImage
  /// The kinds of codes to read.
  public var symbologies: [BarcodeSymbology] = BarcodeSymbology.allCases
  /// The revision of the algorithm.
  public let revision: Revision
  /// The supported revisions.
  public static let supportedRevisions: [Revision] = [.revision4]

  /// Makes a request.
  public init(_ revision: Revision? = nil) { self.revision = revision ?? .revision4 }

  /// The kinds of codes that can be read.
  public var supportedSymbologies: [BarcodeSymbology] { BarcodeSymbology.allCases }

  /// Reads codes in an image.
  public func result(in image: VisionImage) throws -> Result {
    let request = VNDetectBarcodesRequest()
    request.regionOfInterest = regionOfInterest.cgRect
    request.symbologies = symbologies.map(\.older)
    return try request.observations(in: image.image)
      .compactMap { $0 as? VNBarcodeObservation }.map(BarcodeObservation.init)
  }
}
