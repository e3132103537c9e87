import CVips
import Foundation

extension VipsImage {
  /// Whether the file is a JPEG whose scans each cover the whole picture.
  var isProgressive: Bool {
    isLoaded(by: "Jpeg")
      && (cvips_number(handle, "jpeg-multiscan") != 0 || cvips_number(handle, "interlaced") != 0)
  }

  /// About how many bytes decoding takes at its peak, by what the header says: the pixels as they come
  /// and as they stay, and what the decoder itself keeps of the whole picture.
  ///
  /// - Parameter turns: whether the pixels are then copied to lie otherwise.
  func bytesToDecode(turns: Bool) -> Int {
    let area: Int = width * height
    // With alpha, four bytes for each pixel are taken apart into new planes.
    let result: Int = hasAlpha ? 8 : turns ? 6 : 3
    return area * result + Int(Double(area) * decoderBytesPerPixel)
  }

  /// What a decoder keeps for each pixel of the whole picture; 0 where it goes row by row.
  private var decoderBytesPerPixel: Double {
    if isLoaded(by: "Jpeg") {
      guard isProgressive else { return 0 }
      let isSubsampled: Bool =
        cvips_text(handle, "jpeg-chroma-subsample").map { String(cString: $0) } == "4:2:0"
      return Self.progressiveBytesPerPixel(bands: bands, isSubsampled: isSubsampled)
    }
    if isLoaded(by: "Heif") { return 6 }
    if isLoaded(by: "Webp") { return 4 }
    if isLoaded(by: "Gif") { return 8 }
    if isLoaded(by: "Png"), cvips_number(handle, "interlaced") != 0 { return Double(bands) * 2 }
    return 0
  }

  /// Coefficients of two bytes for every sample; of 4:2:0 there are one and a half for each pixel.
  private static func progressiveBytesPerPixel(bands: Int, isSubsampled: Bool) -> Double {
    2 * (bands == 3 && isSubsampled ? 1.5 : Double(bands))
  }

  /// The same of a JPEG that libjpeg decodes alone.
  static func bytesToDecode(_ jpeg: PlainJPEG, turns: Bool) -> Int {
    let decoder: Double =
      jpeg.isProgressive
      ? progressiveBytesPerPixel(bands: 3, isSubsampled: jpeg.isSubsampled) : 0
    let area: Int = jpeg.width * jpeg.height
    return area * (turns ? 6 : 3) + Int(Double(area) * decoder)
  }

  private func isLoaded(by format: String) -> Bool {
    guard let loader = cvips_loader(handle) else { return false }
    return String(cString: loader).lowercased().hasPrefix(format.lowercased())
  }
}
