import CVips
import Files
import Foundation

extension Picture {
  /// The quality of lossy formats where none is asked for.
  public static let defaultQuality: Int = 90

  /// The picture as the bytes of a file.
  ///
  /// Alpha is written where the format holds it and left out where it does not. Files carry no
  /// profile: readers take them for sRGB, which they are.
  ///
  /// - Parameters:
  ///   - quality: 1 (small) … 100 (good) for JPEG and WebP; no matter for the others.
  ///   - origin: who painted the picture, to be noted in the file.
  /// - Throws: `ImagingError` for a quality out of range, or a side too long for the format.
  public func encoded(
    as format: PictureFormat, quality: Int = defaultQuality, origin: PictureOrigin? = nil
  ) throws -> Data {
    try encode(as: format, quality: quality, origin: origin, name: "data")
  }

  /// Writes the picture to a file in the format of its name's extension.
  ///
  /// The file appears complete or not at all: a file of that name stays as it was when writing fails.
  /// It is written beside its place under a temporary name, then renamed; see `Draft`.
  ///
  /// - Parameter quality: 1 (small) … 100 (good) for JPEG and WebP; no matter for the others.
  /// - Throws: `ImagingError` for an unknown extension (before anything is done), a quality out of
  ///   range, a side too long for the format, or a place that cannot be written to.
  public func write(toFile path: String, quality: Int = defaultQuality) throws {
    let format = try PictureFormat(path: path)
    let bytes: Data = try encode(as: format, quality: quality, origin: nil, name: path)
    try AtomicFile.write(bytes, to: path)
  }

  /// Writes the bytes of a picture file so that the file appears complete or not at all.
  ///
  /// - Throws: `ImagingError` for a place that cannot be written to.
  public static func writeAtomically(_ bytes: Data, toFile path: String) throws {
    try AtomicFile.write(bytes, to: path)
  }

  private func encode(
    as format: PictureFormat, quality: Int, origin: PictureOrigin?, name: String
  ) throws -> Data {
    guard (1...100).contains(quality) else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': the quality must be between 1 and 100, but is \(quality).")
    }
    guard max(width, height) <= format.longestSide else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': \(format.name) holds sides of up to \(format.longestSide)"
          + " pixels, but the picture is \(width) × \(height). Choose PNG or TIFF,"
          + " or a smaller size.")
    }
    guard let code = format.code else {
      return try encodeJPEG(quality: quality, origin: origin, name: name)
    }
    return try VipsImage.over(colour, width: width, height: height, components: 3) { colours in
      guard let opacity, format.holdsAlpha else {
        return try encode(
          colours, as: format, code, quality: quality, origin: origin, name: name)
      }
      return try VipsImage.over(opacity, width: width, height: height, components: 1) { alpha in
        let joined = try VipsImage(
          cvips_join_bands(colours.handle, alpha.handle), doing: "put colours and alpha together")
        return try encode(
          joined, as: format, code, quality: quality, origin: origin, name: name)
      }
    }
  }

  private func encodeJPEG(quality: Int, origin: PictureOrigin?, name: String) throws -> Data {
    var count: Int = 0
    let packet: Data = origin?.xmp ?? Data()
    let encoded: UnsafeMutableRawPointer? = packet.withUnsafeBytes { xmp in
      colour.withBytes { pixels in
        cvips_encode_jpeg(
          pixels.baseAddress, Int32(width), Int32(height), Int32(quality),
          origin == nil ? nil : xmp.baseAddress, xmp.count, &count)
      }
    }
    guard let memory = encoded else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': it cannot be written as JPEG, as memory is short. Close other"
          + " programs, or choose a smaller size.")
    }
    // Safe: the memory is ours, and is freed once, by the data.
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }

  private func encode(
    _ image: VipsImage, as format: PictureFormat, _ code: CVipsFormat, quality: Int,
    origin: PictureOrigin?, name: String
  ) throws -> Data {
    var count: Int = 0
    let packet: Data = origin?.xmp ?? Data()
    let encoded: UnsafeMutableRawPointer? = packet.withUnsafeBytes { xmp in
      cvips_encode(
        image.handle, code, Int32(quality), origin == nil ? nil : xmp.baseAddress, xmp.count,
        &count)
    }
    guard let memory = encoded else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': it cannot be written as \(format.name)"
          + " (\(Vips.takeError())).")
    }
    // Safe: the memory is ours, and is freed once, by the data.
    return Data(
      bytesNoCopy: memory, count: count,
      deallocator: .custom { (bytes: UnsafeMutableRawPointer, _: Int) in cvips_free(bytes) })
  }
}

/// Picture files that appear complete or not at all.
enum AtomicFile {
  /// Writes bytes as a draft that takes the file's place.
  static func write(_ bytes: Data, to path: String) throws {
    do {
      try WholeFile.write(bytes, to: path)
    } catch let error as FileError {
      throw failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: FileError) -> ImagingError {
    let folder: String = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var reason: String = error.reason
    if !FileManager.default.fileExists(atPath: folder) {
      reason = "there is no folder '\(folder)'"
    } else if !FileManager.default.isWritableFile(atPath: folder) {
      reason = "the folder '\(folder)' may not be written to"
    }
    return ImagingError(
      code: .unwritableFile,
      message: "Picture '\(path)': it cannot be \(error.task) (\(reason)). Choose another place.")
  }
}
