import CVips
import Files
import Foundation

extension Picture {
  /// The default quality of lossy formats.
  public static let defaultQuality: Int = 90

  /// Encodes the picture as the bytes of a file.
  ///
  /// Writes alpha if the format has it. Writes no colour profile, because readers assume sRGB without one.
  ///
  /// - Parameters:
  ///   - quality: 1 (small) … 100 (good) for lossy formats. Ignored for other formats.
  ///   - origin: The entry that names the picture's painter, for the file's metadata. Nil for none.
  /// - Throws: `ImagingError` for a quality out of range, or a side too long for the format.
  public func encoded(
    as format: PictureFormat, quality: Int = defaultQuality, origin: PictureOrigin? = nil
  ) throws -> Data {
    var encoding = PictureEncoding(quality: quality)
    encoding.xmp = origin?.xmp
    return try encode(as: format, encoding, name: "data")
  }

  /// Encodes the picture as the bytes of a file, with metadata.
  ///
  /// - Throws: `ImagingError` for a quality out of range, a side too long for the format, or a format that this
  ///   machine's libraries cannot write.
  public func encoded(as format: PictureFormat, _ encoding: PictureEncoding) throws -> Data {
    try encode(as: format, encoding, name: "data")
  }

  /// Writes the picture to a file in the format of its name's extension.
  ///
  /// The bytes are written to a temporary file beside the path. Then this file gets the path as its name (see `Draft`).
  /// So if writing fails, an existing file stays as it is.
  ///
  /// - Parameter quality: 1 (small) … 100 (good) for lossy formats.
  /// - Throws: `ImagingError` for an unknown extension (before other work), a quality out of range, a side that is too
  ///   long for the format, or a path that cannot be written to.
  public func write(toFile path: String, quality: Int = defaultQuality) throws {
    let format = try PictureFormat(path: path)
    let bytes: Data = try encode(as: format, PictureEncoding(quality: quality), name: path)
    try AtomicFile.write(bytes, to: path)
  }

  /// Writes the bytes of a picture file atomically: a reader sees the old file or the complete new one.
  ///
  /// - Throws: `ImagingError` for a path that cannot be written to.
  public static func writeAtomically(_ bytes: Data, toFile path: String) throws {
    try AtomicFile.write(bytes, to: path)
  }

  private func encode(
    as format: PictureFormat, _ encoding: PictureEncoding, name: String
  ) throws -> Data {
    try encoding.check(name: name)
    try format.check(size, name: name)
    guard format.code != nil else { return try encodeJPEG(encoding, name: name) }
    guard Vips.isAvailable else {
      return try encodeWithoutLibvips(as: format, encoding, name: name)
    }
    return try VipsImage.over(colour, width: width, height: height, components: 3) { colours in
      let converted: VipsImage = try colours.converted(for: encoding, depth: 8)
      guard let opacity, format.holdsAlpha else {
        return try converted.encoded(as: format, encoding, name: name)
      }
      return try VipsImage.over(opacity, width: width, height: height, components: 1) { alpha in
        try converted.joined(alpha).encoded(as: format, encoding, name: name)
      }
    }
  }

  private func encodeJPEG(_ encoding: PictureEncoding, name: String) throws -> Data {
    // Without libvips, colours are not converted: the pixels still have the photo's profile.
    guard encoding.target != nil, Vips.isAvailable else {
      return try colour.withBytes {
        try jpeg($0.baseAddress, encoding, name: name)
      }
    }
    return try VipsImage.over(colour, width: width, height: height, components: 3) { colours in
      var count: Int = 0
      let converted: VipsImage = try colours.converted(for: encoding, depth: 8)
      guard let pixels = cvips_pixels(converted.handle, &count), count == width * height * 3
      else {
        throw ImagingError(
          code: .libraryFailure,
          message: "Picture '\(name)': its colours cannot be converted to its profile"
            + " (\(Vips.takeError())). Leave out the profile with --strip-metadata.")
      }
      defer { cvips_free(pixels) }
      return try jpeg(pixels.assumingMemoryBound(to: UInt8.self), encoding, name: name)
    }
  }

  private func jpeg(
    _ pixels: UnsafePointer<UInt8>?, _ encoding: PictureEncoding, name: String
  ) throws -> Data {
    var count: Int = 0
    let encoded: UnsafeMutableRawPointer? = encoding.withC {
      cvips_encode_jpeg(pixels, Int32(width), Int32(height), $0, &count)
    }
    guard let memory = encoded else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': it cannot be written as JPEG, because there is not enough"
          + " memory. Close other programs, or choose a smaller size.")
    }
    // Safe: we own the memory, and the data frees it once.
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }
}

extension PictureFormat {
  /// Throws if a side is too long for the format.
  func check(_ size: PictureSize, name: String) throws {
    guard size.longerSide <= longestSide else {
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': \(self.name) allows sides of up to \(longestSide)"
          + " pixels, but the picture is \(size). Choose PNG or TIFF, or a smaller"
          + " size.")
    }
  }
}

extension VipsImage {
  /// Converts an image of three bands in sRGB to the profile of an encoding.
  func converted(for encoding: PictureEncoding, depth: Int) throws -> VipsImage {
    guard let profile = encoding.target else { return self }
    return try profile.withUnsafeBytes {
      try VipsImage(
        cvips_from_srgb(
          handle, $0.baseAddress, $0.count, ColourProfile($0).intentOfTarget.rawValue, Int32(depth)),
        doing: "convert colours to the profile of the photo")
    }
  }

  /// Returns an image with the bands of this one, and alpha.
  func joined(_ alpha: VipsImage) throws -> VipsImage {
    try VipsImage(cvips_join_bands(handle, alpha.handle), doing: "join colours and alpha")
  }

  /// Encodes the image in any format but JPEG.
  func encoded(
    as format: PictureFormat, _ encoding: PictureEncoding, name: String,
    animation: (height: Int, delays: [Int32], loops: Int)? = nil
  ) throws -> Data {
    guard let code = format.code else { preconditionFailure("libjpeg writes JPEGs") }
    var count: Int = 0
    let encoded: UnsafeMutableRawPointer? = encoding.withC(animation: animation) {
      cvips_encode(handle, code, $0, &count)
    }
    guard let memory = encoded else {
      let hint: String =
        format == .heic
        ? " HEIC needs libheif with x265: apt-get install libheif-plugin-x265, or choose JPEG."
        : format == .avif
          ? " AVIF needs libheif with an AV1 encoder: apt-get install libheif-plugin-aomenc, or"
            + " choose JPEG." : ""
      throw ImagingError(
        code: .unwritableFile,
        message: "Picture '\(name)': it cannot be written as \(format.name)"
          + " (\(Vips.takeError())).\(hint)")
    }
    // Safe: we own the memory, and the data frees it once.
    return Data(
      bytesNoCopy: memory, count: count,
      deallocator: .custom { (bytes: UnsafeMutableRawPointer, _: Int) in cvips_free(bytes) })
  }
}

/// Writes picture files atomically.
enum AtomicFile {
  /// Writes bytes to a draft, then replaces the file with the draft.
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
      reason = "the folder '\(folder)' cannot be written to"
    }
    return ImagingError(
      code: .unwritableFile,
      message: "Picture '\(path)': it cannot be \(error.task) (\(reason)). Choose another folder.")
  }
}
