import CVips
import Foundation
import Platform

/// A picture file that is not decoded yet: on disk or in memory.
struct PictureSource {
  enum Place {
    case file(String)
    case memory(Data)
  }

  let name: String
  let place: Place
  /// The most bytes that reading may use. Nil for the free memory of the machine.
  var memoryLimit: Int?

  func header() throws -> PictureHeader {
    let plain: PictureHeader? = try withPlainJPEG { jpeg in
      let swaps: Bool = jpeg.orientation.swapsSides
      return PictureHeader(
        width: swaps ? jpeg.height : jpeg.width, height: swaps ? jpeg.width : jpeg.height,
        orientation: jpeg.orientation, hasAlpha: false, origin: jpeg.origin, format: .jpeg)
    }
    if let plain { return plain }
    return try withBMP { $0.pictureHeader } ?? headerByLibvips()
  }

  /// Reads the header of a file of any format with libvips.
  func headerByLibvips() throws -> PictureHeader {
    guard Vips.isAvailable else { return try headerWithoutLibvips() }
    return try withImage { (image: VipsImage) throws -> PictureHeader in
      let swaps: Bool = image.orientation.swapsSides
      return PictureHeader(
        width: swaps ? image.height : image.width, height: swaps ? image.width : image.height,
        orientation: image.orientation, hasAlpha: image.hasAlpha,
        origin: image.origin ?? originInContainer(image.format),
        bitsPerComponent: image.bitsPerComponent,
        pageCount: image.format == .png ? frameCountOfPNG : image.pageCount,
        format: image.format)
    }
  }

  /// The number of frames of an animated PNG. 1 for other PNGs, and for a pipe, which can only be read once.
  var frameCountOfPNG: Int {
    switch place {
    case .memory(let data): return AnimatedPNG.frameCount(in: data)
    case .file(let path):
      let file = URL(fileURLWithPath: path)
      guard !isPipe, let data = try? Data(contentsOf: file, options: .mappedIfSafe) else {
        return 1
      }
      return AnimatedPNG.frameCount(in: data)
    }
  }

  func decode(orientation handling: OrientationHandling, pixelLimit: Int) throws -> Picture {
    let plain: Picture? = try withPlainJPEG { jpeg in
      try require(width: jpeg.width, height: jpeg.height, of: pixelLimit)
      let rotates: Bool = handling == .applied && jpeg.orientation != .up
      try requireMemory(
        VipsImage.bytesToDecode(jpeg, rotates: rotates), width: jpeg.width, height: jpeg.height,
        isProgressive: jpeg.isProgressive)
      guard let stored = try jpeg.decoded() else { return nil }
      return handling == .applied ? try stored.oriented(jpeg.orientation) : stored
    }
    if let plain { return plain }
    let bitmap: Picture? = try withBMP { bitmap in
      try require(width: bitmap.width, height: bitmap.height, of: pixelLimit)
      try requireMemory(
        bitmap.width * bitmap.height * 4, width: bitmap.width, height: bitmap.height,
        isProgressive: false)
      return try bitmap.decoded()
    }
    return try bitmap ?? decodeByLibvips(orientation: handling, pixelLimit: pixelLimit)
  }

  /// Decodes a file of any format with libvips.
  func decodeByLibvips(orientation handling: OrientationHandling, pixelLimit: Int) throws -> Picture
  {
    guard Vips.isAvailable else {
      return try decodeWithoutLibvips(orientation: handling, pixelLimit: pixelLimit)
    }
    do {
      return try decodeCompletely(handling, pixelLimit)
    } catch let error as ImagingError where error.code == .notAPicture {
      guard let damage = try JPEGDamage(self) else { throw error }
      guard damage.isSlight else { throw damage.error(name) }
      defer { _ = Vips.takeError() }
      return try Self.decoding.together { try decode(handling, pixelLimit, CVIPS_LENIENT) }
    }
  }

  /// Decodes the file and ensures that no part is missing. If a tile fails, libvips paints the tile black without an
  /// error and only counts it. The count does not tell which picture is incomplete: this picture, or another one that
  /// was decoded concurrently. So if the count has changed, this picture is decoded again while no other picture is
  /// being decoded.
  private func decodeCompletely(_ handling: OrientationHandling, _ pixelLimit: Int) throws
    -> Picture
  {
    // A pipe can only be read once, so no other picture is decoded at the same time as a pipe.
    if !isPipe,
      let picture = try Self.decoding.together({ try counting(handling, pixelLimit) })
    {
      return picture
    }
    guard let picture = try Self.decoding.alone({ try counting(handling, pixelLimit) }) else {
      throw damaged("a part of it could not be computed")
    }
    return picture
  }

  static let decoding = SharedLock()

  var isPipe: Bool {
    guard case .file(let path) = place else { return false }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Decodes the picture. Returns nil if libvips painted a tile of any picture black during the decoding.
  private func counting(_ handling: OrientationHandling, _ pixelLimit: Int) throws -> Picture? {
    let before: Int = cvips_black_tiles()
    let picture: Picture = try decode(handling, pixelLimit, CVIPS_STRICT)
    return cvips_black_tiles() == before ? picture : nil
  }

  private func decode(
    _ handling: OrientationHandling, _ pixelLimit: Int, _ strictness: CVipsStrictness
  ) throws -> Picture {
    let (stored, orientation) = try withImage(strictness) { (image: VipsImage) throws in
      try require(width: image.width, height: image.height, of: pixelLimit)
      let rotates: Bool = handling == .applied && image.orientation != .up
      try requireMemory(
        image.bytesToDecode(rotates: rotates), width: image.width, height: image.height,
        isProgressive: image.isProgressive)
      return (try pixels(of: image), image.orientation)
    }
    return handling == .applied ? try stored.oriented(orientation) : stored
  }

  func require(width: Int, height: Int, of pixelLimit: Int) throws {
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, area <= pixelLimit else {
      throw ImagingError(
        code: .tooLarge,
        message: "Picture '\(name)': it has \(width) × \(height) pixels, more than"
          + " the limit of \(pixelLimit). Scale it down first.")
    }
  }

  func requireMemory(_ bytes: Int, width: Int, height: Int, isProgressive: Bool) throws {
    let kind: String = isProgressive ? " in a progressive JPEG" : ""
    try AvailableMemory.require(
      bytes, of: memoryLimit,
      for: "Picture '\(name)', \(width) × \(height) pixels\(kind),")
  }

  /// Opens the file as a JPEG that libjpeg alone can decode, and calls the closure. Most JPEG files can be decoded this
  /// way. Returns nil if the file cannot be decoded this way, or if the closure returns nil.
  private func withPlainJPEG<Result>(_ body: (PlainJPEG) throws -> Result?) throws -> Result? {
    switch place {
    case .file(let path):
      try checkFile(path)
      // A pipe can only be read once, so libvips reads it.
      guard !isPipe, let jpeg = PlainJPEG(path: path) else { return nil }
      return try body(jpeg)
    case .memory(let data):
      return try data.withUnsafeBytes { bytes in
        try PlainJPEG(bytes: bytes).flatMap { try body($0) }
      }
    }
  }

  func pixels(of image: VipsImage) throws -> Picture {
    let converted: VipsImage = try inSRGB(image)
    var count: Int = 0
    guard let memory = cvips_pixels(converted.handle, &count) else {
      throw damaged(Vips.takeError())
    }
    let plane = PixelBytes(takingOver: memory, count: count, release: { cvips_free($0) })
    let area: Int = converted.width * converted.height
    switch converted.bands {
    case 3:
      return Picture(
        width: converted.width, height: converted.height, colour: plane, opacity: nil)
    case 4:
      // Safe: libvips wrote four bytes for each pixel, without gaps between rows.
      return try plane.withBytes { (bytes: UnsafeBufferPointer<UInt8>) throws -> Picture in
        guard let start = bytes.baseAddress, bytes.count == area * 4 else {
          throw damaged("libvips returned \(bytes.count) bytes")
        }
        return try Picture(
          width: converted.width, height: converted.height, layout: .rgba(.straight),
          rows: UnsafeRawPointer(start), bytesPerRow: converted.width * 4)
      }
    default:
      throw damaged("\(converted.bands) colour components, expected 3 or 4")
    }
  }

  /// Converts the image to sRGB with 8 or 16 bits. Ignores a profile that libvips cannot use.
  func inSRGB(_ image: VipsImage, depth: Int = 8) throws -> VipsImage {
    var profileBytes: Int = 0
    let start: UnsafeRawPointer? = cvips_profile(image.handle, &profileBytes)
    let isPlain: Bool = depth == 8 && cvips_is_srgb8(image.handle) != 0
    if let start {
      let profile = ColourProfile(UnsafeRawBufferPointer(start: start, count: profileBytes))
      if !(isPlain && profile.isSRGB) {
        let intent: Int32 = profile.intentOfSource.rawValue
        if let converted = cvips_to_srgb(image.handle, intent, Int32(depth)) {
          return try VipsImage(converted, doing: "convert colours")
        }
        _ = Vips.takeError()
      }
    }
    guard let converted = cvips_to_srgb(image.handle, -1, Int32(depth)) else {
      throw damaged(Vips.takeError())
    }
    return try VipsImage(converted, doing: "convert colours")
  }

  /// Finds the entry of Atelier in the XMP packet of a HEIC or AVIF file, because libvips 8.14 does not read this
  /// packet. Nil for other formats, and for files without the entry in their first mebibyte.
  private func originInContainer(_ format: PictureFormat?) -> PictureOrigin? {
    guard format == .heic || format == .avif else { return nil }
    let limit: Int = 1 << 20
    let bytes: Data?
    switch place {
    case .file(let path):
      guard !isPipe, let file = FileHandle(forReadingAtPath: path) else { return nil }
      defer { try? file.close() }
      bytes = try? file.read(upToCount: limit)
    case .memory(let data): bytes = data.prefix(limit)
    }
    return bytes?.withUnsafeBytes { PictureOrigin(xmp: $0) }
  }

  /// Opens the file with libvips, calls the closure with the image, and closes the file.
  func withImage<Result>(
    _ strictness: CVipsStrictness = CVIPS_STRICT, _ body: (VipsImage) throws -> Result
  ) throws -> Result {
    try Vips.start()
    switch place {
    case .file(let path):
      try checkFile(path)
      var handle: OpaquePointer?
      let outcome: CVipsOpening = cvips_open_file(path, strictness, &handle)
      return try body(try opened(handle, outcome))
    case .memory(let data):
      guard !data.isEmpty else { throw empty() }
      return try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Result in
        var handle: OpaquePointer?
        let outcome: CVipsOpening = cvips_open_memory(
          bytes.baseAddress, bytes.count, strictness, &handle)
        return try body(try opened(handle, outcome))
      }
    }
  }

  private func opened(_ handle: OpaquePointer?, _ outcome: CVipsOpening) throws -> VipsImage {
    if outcome == CVIPS_OPENED { return try VipsImage(handle, doing: "open a picture") }
    let reason: String = Vips.takeError()
    let why: String =
      outcome == CVIPS_UNKNOWN_FORMAT ? "its first bytes are of no known format" : reason
    throw ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': not a picture that libvips can read (\(why))."
        + " Expected JPEG, PNG, WebP, TIFF, GIF, HEIC, AVIF or BMP; convert it to one of these.")
  }

  func checkFile(_ path: String) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ImagingError(
        code: .unreadableFile,
        message: "Picture '\(name)': there is no such file. Check the path.")
    }
    guard !isDirectory.boolValue else {
      throw ImagingError(
        code: .unreadableFile,
        message: "Picture '\(name)': expected a file, found a folder. Name a file in it.")
    }
    try checkKind(path)
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw ImagingError(
        code: .unreadableFile,
        message: "Picture '\(name)': the file cannot be read. Check its permissions.")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let size = attributes?[.size] as? NSNumber, size.intValue == 0 { throw empty() }
  }

  /// Throws for pipes, sockets and devices, because reading them could block. Allows a pipe that is open already, such
  /// as `/dev/stdin`.
  private func checkKind(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    let isOpen: Bool = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
    let kind: mode_t = status.st_mode & S_IFMT
    guard kind != S_IFREG, !(isOpen && kind == S_IFIFO) else { return }
    let found: String =
      kind == S_IFIFO ? "a pipe" : kind == S_IFSOCK ? "a socket" : "a device"
    throw ImagingError(
      code: .unreadableFile,
      message: "Picture '\(name)': expected a file, found \(found). Write the picture to a file"
        + " first.")
  }

  private func empty() -> ImagingError {
    ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': not a picture that libvips can read (the file is empty). Copy it"
        + " again from its source.")
  }

  func damaged(_ reason: String) -> ImagingError {
    ImagingError(
      code: .notAPicture,
      message: "Picture '\(name)': its pixels cannot be decoded (\(reason)). The file may be"
        + " truncated; copy it again from its source.")
  }
}
