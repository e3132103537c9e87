import CoreGraphics
import Foundation

/// A barcode that a request found in an image. The confidence is always 1, because zbar reports no probability.
open class VNBarcodeObservation: VNRectangleObservation {
  /// The kind of the code.
  public let symbology: VNBarcodeSymbology
  /// The content as text; nil if the content is not UTF-8.
  public let payloadStringValue: String?
  /// The content.
  public let payloadData: Data?

  init(_ symbology: VNBarcodeSymbology, _ payload: Data, corners: [CGPoint]) {
    self.symbology = symbology
    payloadStringValue = String(data: payload, encoding: .utf8)
    payloadData = payload
    super.init(
      topLeft: corners[0], topRight: corners[3], bottomLeft: corners[1], bottomRight: corners[2],
      confidence: 1)
  }

  /// The kind and the content.
  override open var description: String {
    "\(symbology.rawValue) \"\(payloadStringValue ?? "")\""
  }
}
