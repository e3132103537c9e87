import CVips
import Foundation

extension VipsImage {
  /// Whether the file is a progressive JPEG.
  var isProgressive: Bool {
    isLoaded(by: "Jpeg")
      && (cvips_number(handle, "jpeg-multiscan") != 0 || cvips_number(handle, "interlaced") != 0)
  }

  /// Estimates, from the file's header, how many bytes of memory decoding takes at its peak. The memory consists of the
  /// decoded pixels, the resulting planes, and the decoder's memory for the complete picture.
  ///
  /// - Parameter rotates: Whether the pixels are copied to another orientation after decoding.
  func bytesToDecode(rotates: Bool) -> Int {
    let area: Int = width * height
    // With alpha, the 4 decoded bytes per pixel are split into new planes, which take another 4 bytes per pixel.
    let result: Int = hasAlpha ? 8 : rotates ? 6 : 3
    return area * result + Int(Double(area) * decoderBytesPerPixel)
  }

  /// The decoder's memory per pixel of the picture, in bytes. It is 0 if the decoder works row by row.
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

  /// Returns the bytes per pixel of a progressive JPEG's coefficients: two per sample. Subsampled colours (4:2:0) have
  /// 1.5 samples per pixel.
  private static func progressiveBytesPerPixel(bands: Int, isSubsampled: Bool) -> Double {
    2 * (bands == 3 && isSubsampled ? 1.5 : Double(bands))
  }

  /// Returns the approximate peak memory of decoding a JPEG with libjpeg alone, in bytes.
  static func bytesToDecode(_ jpeg: PlainJPEG, rotates: Bool) -> Int {
    let decoder: Double =
      jpeg.isProgressive
      ? progressiveBytesPerPixel(bands: 3, isSubsampled: jpeg.isSubsampled) : 0
    let area: Int = jpeg.width * jpeg.height
    return area * (rotates ? 6 : 3) + Int(Double(area) * decoder)
  }

  /// The format of the file. Nil for a format that Atelier does not write.
  var format: PictureFormat? {
    let loaders: [(String, PictureFormat)] = [
      ("Jpeg", .jpeg), ("Png", .png), ("Webp", .webp), ("Tiff", .tiff), ("Gif", .gif),
    ]
    if let found = loaders.first(where: { isLoaded(by: $0.0) }) { return found.1 }
    guard isLoaded(by: "Heif") else { return nil }
    let compression: String? = cvips_text(handle, "heif-compression").map { String(cString: $0) }
    return compression == "av1" ? .avif : .heic
  }

  /// The number of pictures of an animated GIF or WebP. 1 for other files.
  var pageCount: Int {
    guard isLoaded(by: "Gif") || isLoaded(by: "Webp") else { return 1 }
    return max(1, Int(cvips_number(handle, "n-pages")))
  }

  private func isLoaded(by format: String) -> Bool {
    guard let loader = cvips_loader(handle) else { return false }
    return String(cString: loader).lowercased().hasPrefix(format.lowercased())
  }
}
