import CVips
import Foundation

extension Picture {
  /// The quality of lossy formats where none is asked for.
  public static let defaultQuality: Int = 90

  /// The picture as the bytes of a file.
  ///
  /// Alpha is written where the format holds it and left out where it does not. Files carry no
  /// profile: readers take them for sRGB, which they are.
  ///
  /// - Parameter quality: 1 (small) … 100 (good) for JPEG and WebP; no matter for the others.
  /// - Throws: `ImagingError` for a quality out of range, or a side too long for the format.
  public func encoded(as format: PictureFormat, quality: Int = defaultQuality) throws -> Data {
    try encode(as: format, quality: quality, name: "data")
  }

  /// Writes the picture to a file in the format of its name's extension.
  ///
  /// The file appears complete or not at all: a file of that name stays as it was when writing fails.
  /// It is written beside its place under a temporary name, then renamed.
  ///
  /// - Parameter quality: 1 (small) … 100 (good) for JPEG and WebP; no matter for the others.
  /// - Throws: `ImagingError` for an unknown extension (before anything is done), a quality out of
  ///   range, a side too long for the format, or a place that cannot be written to.
  public func write(toFile path: String, quality: Int = defaultQuality) throws {
    let format = try PictureFormat(path: path)
    let bytes: Data = try encode(as: format, quality: quality, name: path)
    try AtomicFile.write(bytes, to: path)
  }

  /// Writes the bytes of a picture file so that the file appears complete or not at all.
  ///
  /// - Throws: `ImagingError` for a place that cannot be written to.
  public static func writeAtomically(_ bytes: Data, toFile path: String) throws {
    try AtomicFile.write(bytes, to: path)
  }

  private func encode(as format: PictureFormat, quality: Int, name: String) throws -> Data {
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
    return try VipsImage.over(colour, width: width, height: height, components: 3) { colours in
      guard let opacity, format.holdsAlpha else {
        return try encode(colours, as: format, quality: quality, name: name)
      }
      return try VipsImage.over(opacity, width: width, height: height, components: 1) { alpha in
        let joined = try VipsImage(
          cvips_join_bands(colours.handle, alpha.handle), doing: "put colours and alpha together")
        return try encode(joined, as: format, quality: quality, name: name)
      }
    }
  }

  private func encode(
    _ image: VipsImage, as format: PictureFormat, quality: Int, name: String
  ) throws -> Data {
    var count: Int = 0
    guard let memory = cvips_encode(image.handle, format.code, Int32(quality), &count) else {
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

/// Files that appear complete or not at all.
enum AtomicFile {
  /// Writes bytes beside the place under a temporary name, then renames the file into its place.
  static func write(_ bytes: Data, to path: String) throws {
    let place = URL(fileURLWithPath: path)
    let folder: URL = place.deletingLastPathComponent()
    let suffix: String = UUID().uuidString.prefix(8).lowercased()
    let temporary: URL = folder.appendingPathComponent(
      ".\(place.lastPathComponent.prefix(100)).\(suffix).partial")
    do {
      try bytes.write(to: temporary)
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw failure(path, error)
    }
    guard rename(temporary.path, place.path) == 0 else {
      let reason: String = String(cString: strerror(errno))
      try? FileManager.default.removeItem(at: temporary)
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(path)': it cannot be put in its place (\(reason)).")
    }
  }

  private static func failure(_ path: String, _ error: any Error) -> ImagingError {
    let folder: String = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var reason: String = "writing failed: \((error as NSError).localizedDescription)"
    if !FileManager.default.fileExists(atPath: folder) {
      reason = "there is no folder '\(folder)'"
    } else if !FileManager.default.isWritableFile(atPath: folder) {
      reason = "the folder '\(folder)' may not be written to"
    }
    return ImagingError(
      code: .unwritableFile,
      message: "Picture '\(path)': it cannot be written (\(reason)). Choose another place.")
  }
}
