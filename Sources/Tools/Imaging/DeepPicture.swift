import CVips
import Foundation

/// A picture in memory with 16 bits for each component: red, green and blue in sRGB, and a separate alpha plane.
///
/// Pixels are interleaved (R, G, B, R, G, B …). Rows follow each other without gaps, and the top row is first. Each
/// component is 0…65535, gamma-encoded as in sRGB. Colours are not multiplied by alpha.
///
/// A deep picture is immutable. Copies share their pixels.
public struct DeepPicture: Sendable {
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int

  private let colour: PixelBytes
  private let opacity: PixelBytes?

  private init(width: Int, height: Int, colour: PixelBytes, opacity: PixelBytes?) {
    precondition(colour.count == width * height * 6)
    precondition(opacity.map { $0.count == width * height * 2 } ?? true)
    self.width = width
    self.height = height
    self.colour = colour
    self.opacity = opacity
  }

  /// Creates an opaque picture whose components `fill` writes.
  ///
  /// - Parameter fill: Gets `width * height * 3` components and writes all of them, R, G, B.
  public init(
    width: Int, height: Int, fill: (UnsafeMutableBufferPointer<UInt16>) throws -> Void
  ) throws {
    let area: Int = try Picture.checkedArea(width: width, height: height)
    self.init(
      width: width, height: height,
      colour: try PixelBytes(count: area * 6) { bytes in
        // Safe: the memory is aligned for every type, and has two bytes for each component.
        try bytes.withMemoryRebound(to: UInt16.self) { try fill($0) }
      }, opacity: nil)
  }

  /// Widens a picture of 8 bits: component · 257.
  public init(_ picture: Picture) throws {
    func widened(_ plane: PixelBytes) throws -> PixelBytes {
      try PixelBytes(count: plane.count * 2) { bytes in
        plane.withBytes { source in
          bytes.withMemoryRebound(to: UInt16.self) { target in
            for index in 0..<source.count { target[index] = UInt16(source[index]) &* 257 }
          }
        }
      }
    }
    self.init(
      width: picture.width, height: picture.height, colour: try widened(picture.colour),
      opacity: try picture.opacity.map { try widened($0) })
  }

  /// Reads a picture file with all bits of its components. Files of 8 bits are widened. See
  /// `Picture.init(contentsOfFile:orientation:pixelLimit:)`.
  ///
  /// - Throws: `ImagingError`.
  public init(contentsOfFile path: String) throws {
    let source = PictureSource(name: path, place: .file(path))
    guard try source.header().bitsPerComponent > 8 else {
      self = try DeepPicture(Picture(contentsOfFile: path))
      return
    }
    self = try source.decodeDeep()
  }

  /// The width and height in pixels.
  public var size: PictureSize { PictureSize(width: width, height: height) }

  /// Whether there is an alpha plane.
  public var hasAlpha: Bool { opacity != nil }

  /// Calls the closure with the colours: `width * height * 3` components.
  public func withComponents<Result>(
    _ body: (UnsafeBufferPointer<UInt16>) throws -> Result
  ) rethrows -> Result {
    try colour.withBytes { try $0.withMemoryRebound(to: UInt16.self) { try body($0) } }
  }

  /// Returns this picture with the alpha of another picture of the same size.
  public func withAlpha(of other: DeepPicture) -> DeepPicture {
    precondition(other.size == size)
    return DeepPicture(width: width, height: height, colour: colour, opacity: other.opacity)
  }

  /// The picture with 8 bits for each component, rounded.
  public func rounded() throws -> Picture {
    func narrowed(_ plane: PixelBytes) throws -> PixelBytes {
      try PixelBytes(count: plane.count / 2) { target in
        plane.withBytes { bytes in
          bytes.withMemoryRebound(to: UInt16.self) { source in
            for index in 0..<source.count {
              target[index] = UInt8((UInt32(source[index]) &+ 128) / 257)
            }
          }
        }
      }
    }
    return Picture(
      width: width, height: height, colour: try narrowed(colour),
      opacity: try opacity.map { try narrowed($0) })
  }

  /// Encodes the picture as the bytes of a PNG or TIFF of 16 bits. Other formats get 8 bits.
  ///
  /// - Throws: `ImagingError`.
  public func encoded(as format: PictureFormat, _ encoding: PictureEncoding) throws -> Data {
    guard format.holdsDeepPictures else {
      return try rounded().encoded(as: format, encoding)
    }
    try encoding.check(name: "data")
    try format.check(size, name: "data")
    return try VipsImage.over(
      colour, width: width, height: height, components: 3, depth: 16
    ) { colours in
      let converted: VipsImage = try colours.converted(for: encoding, depth: 16)
      guard let opacity else { return try converted.encoded(as: format, encoding, name: "data") }
      return try VipsImage.over(
        opacity, width: width, height: height, components: 1, depth: 16
      ) { alpha in
        try converted.joined(alpha).encoded(as: format, encoding, name: "data")
      }
    }
  }

  /// Mirrors and rotates the picture to how it is shown. `orientation` is the orientation of the stored pixels.
  func oriented(_ orientation: Orientation) throws -> DeepPicture {
    if orientation == .up { return self }
    return DeepPicture(
      width: orientation.swapsSides ? height : width,
      height: orientation.swapsSides ? width : height,
      colour: try colour.oriented(orientation, width: width, height: height, pixelSize: 6),
      opacity: try opacity?.oriented(orientation, width: width, height: height, pixelSize: 2))
  }

  /// Creates a picture from libvips' pixels, 3 or 4 components of 16 bits each.
  fileprivate init(width: Int, height: Int, interleaved plane: PixelBytes, bands: Int) throws {
    guard bands == 4 else {
      self.init(width: width, height: height, colour: plane, opacity: nil)
      return
    }
    let area: Int = width * height
    var opacity: PixelBytes?
    let colour = try PixelBytes(count: area * 6) { colours in
      opacity = try PixelBytes(count: area * 2) { alpha in
        plane.withBytes { source in
          // Safe: the source has 8 bytes for each pixel. The first 6 are colours.
          for pixel in 0..<area {
            for byte in 0..<6 { colours[pixel * 6 + byte] = source[pixel * 8 + byte] }
            alpha[pixel * 2] = source[pixel * 8 + 6]
            alpha[pixel * 2 + 1] = source[pixel * 8 + 7]
          }
        }
      }
    }
    self.init(width: width, height: height, colour: colour, opacity: opacity)
  }
}

extension PictureSource {
  /// Decodes the file with 16 bits for each component, as it is shown.
  fileprivate func decodeDeep() throws -> DeepPicture {
    let before: Int = cvips_black_tiles()
    let picture: DeepPicture = try Self.decoding.alone {
      try withImage { image in
        try require(width: image.width, height: image.height, of: Picture.defaultPixelLimit)
        try requireMemory(
          image.bytesToDecode(rotates: image.orientation != .up) * 2, width: image.width,
          height: image.height, isProgressive: image.isProgressive)
        let converted: VipsImage = try inSRGB(image, depth: 16)
        var count: Int = 0
        guard let memory = cvips_pixels(converted.handle, &count) else {
          throw damaged(Vips.takeError())
        }
        let plane = PixelBytes(takingOver: memory, count: count, release: { cvips_free($0) })
        guard converted.bands == 3 || converted.bands == 4,
          count == converted.width * converted.height * converted.bands * 2
        else { throw damaged("\(converted.bands) colour components, expected 3 or 4") }
        return try DeepPicture(
          width: converted.width, height: converted.height, interleaved: plane,
          bands: converted.bands
        ).oriented(image.orientation)
      }
    }
    guard cvips_black_tiles() == before else {
      throw damaged("a part of it could not be computed")
    }
    return picture
  }
}
