/// A kind of barcode that zbar reads.
public struct VNBarcodeSymbology: RawRepresentable, Hashable, Sendable {
  /// The symbology's text.
  public let rawValue: String
  /// Makes a symbology from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  private init(_ name: String) { rawValue = "VNBarcodeSymbology\(name)" }

  /// Codabar.
  public static let codabar = VNBarcodeSymbology("Codabar")
  /// Code 39.
  public static let code39 = VNBarcodeSymbology("Code39")
  /// Code 93.
  public static let code93 = VNBarcodeSymbology("Code93")
  /// Code 128.
  public static let code128 = VNBarcodeSymbology("Code128")
  /// EAN-8.
  public static let ean8 = VNBarcodeSymbology("EAN8")
  /// EAN-13. UPC-A codes are EAN-13 codes that begin with 0.
  public static let ean13 = VNBarcodeSymbology("EAN13")
  /// GS1 DataBar.
  public static let gs1DataBar = VNBarcodeSymbology("GS1DataBar")
  /// GS1 DataBar Expanded.
  public static let gs1DataBarExpanded = VNBarcodeSymbology("GS1DataBarExpanded")
  /// Interleaved 2 of 5.
  public static let i2of5 = VNBarcodeSymbology("I2of5")
  /// QR code.
  public static let qr = VNBarcodeSymbology("QR")
  /// UPC-E.
  public static let upce = VNBarcodeSymbology("UPCE")

  /// All symbologies, with zbar's numbers.
  ///
  /// **Source:** `zbar_symbol_type_t` in zbar.h.
  static let numbers: [(number: Int32, symbology: VNBarcodeSymbology)] = [
    (8, .ean8), (9, .upce), (13, .ean13), (25, .i2of5), (34, .gs1DataBar),
    (35, .gs1DataBarExpanded), (38, .codabar), (39, .code39), (64, .qr), (93, .code93),
    (128, .code128),
  ]
}
