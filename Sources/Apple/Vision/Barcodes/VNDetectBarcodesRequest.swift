import CBarcode
import CoreGraphics
import Foundation
import Imaging

/// The first revision of ``VNDetectBarcodesRequest``.
public let VNDetectBarcodesRequestRevision1: Int = 1
/// The second revision of ``VNDetectBarcodesRequest``. Here, all revisions are equal.
public let VNDetectBarcodesRequestRevision2: Int = 2
/// The third revision of ``VNDetectBarcodesRequest``. Here, all revisions are equal.
public let VNDetectBarcodesRequestRevision3: Int = 3
/// The fourth revision of ``VNDetectBarcodesRequest``. Here, all revisions are equal.
public let VNDetectBarcodesRequestRevision4: Int = 4

/// A request that reads barcodes and QR codes. Results are ``VNBarcodeObservation``s.
///
/// The library zbar (Debian's package `libzbar0`) reads the codes. The first request loads the library.
open class VNDetectBarcodesRequest: VNImageBasedRequest {
  /// The kinds of codes to read.
  public var symbologies: [VNBarcodeSymbology] = VNBarcodeSymbology.numbers.map(\.symbology)

  /// The kinds of codes that can be read.
  open class var supportedSymbologies: [VNBarcodeSymbology] {
    VNBarcodeSymbology.numbers.map(\.symbology)
  }

  /// Returns the kinds of codes that can be read.
  open func supportedSymbologies() throws -> [VNBarcodeSymbology] { Self.supportedSymbologies }

  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNBarcodeObservation]? {
    found?.compactMap { $0 as? VNBarcodeObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    let picture: Picture = try image.upright(self)
    let frame = PictureFrame(picture)
    var codes: [VNBarcodeObservation] = []
    for code in try FoundCodes.codes(in: picture) {
      guard
        let symbology = VNBarcodeSymbology.numbers.first(where: { $0.number == code.kind })?
          .symbology, symbologies.contains(symbology)
      else { continue }
      codes.append(
        VNBarcodeObservation(
          symbology, code.payload, corners: code.corners.map(frame.normalized)))
    }
    return codes
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...4) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 4 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 4 }
}

/// The codes that zbar finds in a picture.
private final class FoundCodes {
  struct Code {
    let kind: Int32
    let payload: Data
    /// The upper left, lower left, lower right and upper right corner, in pixels from the top left.
    let corners: [CGPoint]
  }

  private var codes: [Code] = []

  /// Finds all codes in a picture.
  ///
  /// - Throws: ``VNError`` when zbar is not installed.
  static func codes(in picture: Picture) throws -> [Code] {
    guard cbarcode_is_available() else {
      throw VNError(
        .dataUnavailable,
        "The library zbar, which reads barcodes, is not installed. Install it: sudo apt-get install"
          + " libzbar0")
    }
    let (width, height) = (picture.width, picture.height)
    var grey = [UInt8](repeating: 0, count: width * height)
    let found = FoundCodes()
    let isDone: Bool = try grey.withUnsafeMutableBytes { rows in
      guard let memory = rows.baseAddress else { return true }
      // Safe: there are `height` rows of `width` bytes.
      try picture.write(to: memory, bytesPerRow: width, layout: .grey8)
      // Safe: the call uses the pixels and the object `found` only until it returns, and both live at least as long.
      return cbarcode_scan(
        memory.assumingMemoryBound(to: UInt8.self), UInt32(width), UInt32(height),
        Unmanaged.passUnretained(found).toOpaque()
      ) { context, symbol in
        guard let context, let symbol = symbol?.pointee else { return }
        let numbers = symbol.corners
        Unmanaged<FoundCodes>.fromOpaque(context).takeUnretainedValue().codes.append(
          Code(
            kind: symbol.kind,
            payload: symbol.data.map { Data(bytes: $0, count: symbol.count) } ?? Data(),
            corners: [
              CGPoint(x: Int(numbers.0), y: Int(numbers.1)),
              CGPoint(x: Int(numbers.2), y: Int(numbers.3)),
              CGPoint(x: Int(numbers.4), y: Int(numbers.5)),
              CGPoint(x: Int(numbers.6), y: Int(numbers.7)),
            ]))
      }
    }
    guard isDone else {
      throw VNError(.outOfMemory, "There is no memory to read barcodes. Use a smaller picture.")
    }
    return found.codes
  }
}
