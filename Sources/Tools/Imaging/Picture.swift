import Foundation

/// A picture in memory: red, green and blue with 8 bits each in sRGB, and alpha kept apart.
///
/// Pixels are interleaved (R, G, B, R, G, B …), rows follow each other without gaps, the top row
/// first; each component is 0…255, gamma-encoded as sRGB says. Alpha, where there is any, is a
/// plane of its own, 0 (clear) … 255 (opaque), and colours are not multiplied by it.
///
/// A picture never changes. Copies share their pixels.
public struct Picture: Sendable {
  /// Columns of pixels.
  public let width: Int

  /// Rows of pixels.
  public let height: Int

  let colour: PixelBytes
  let opacity: PixelBytes?

  /// Makes a picture out of finished planes. They have the sizes that width and height ask for.
  init(width: Int, height: Int, colour: PixelBytes, opacity: PixelBytes?) {
    precondition(colour.count == width * height * 3)
    precondition(opacity.map { $0.count == width * height } ?? true)
    self.width = width
    self.height = height
    self.colour = colour
    self.opacity = opacity
  }

  /// Makes a picture from arrays.
  ///
  /// - Parameters:
  ///   - pixels: `width * height * 3` bytes: R, G, B from the top left, row by row.
  ///   - alpha: `width * height` bytes, or `nil` for an opaque picture.
  /// - Throws: `ImagingError` where a side is not positive or an array has another length.
  public init(width: Int, height: Int, pixels: [UInt8], alpha: [UInt8]? = nil) throws {
    let area: Int = try Picture.checkedArea(width: width, height: height)
    guard pixels.count == area * 3 else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "A picture of \(width) × \(height) needs \(area * 3) bytes of colour"
          + " (3 for each pixel), but \(pixels.count) were given.")
    }
    if let alpha, alpha.count != area {
      throw ImagingError(
        code: .invalidGeometry,
        message: "A picture of \(width) × \(height) needs \(area) bytes of alpha,"
          + " but \(alpha.count) were given.")
    }
    let colour = try PixelBytes(count: area * 3) { _ = $0.initialize(from: pixels) }
    let opacity: PixelBytes? = try alpha.map { (plane: [UInt8]) throws -> PixelBytes in
      try PixelBytes(count: area) { _ = $0.initialize(from: plane) }
    }
    self.init(width: width, height: height, colour: colour, opacity: opacity)
  }

  /// Makes an opaque picture whose pixels `fill` writes.
  ///
  /// - Parameter fill: Gets `width * height * 3` bytes, all zero, to write R, G, B into.
  /// - Throws: `ImagingError` where a side is not positive, or what `fill` throws.
  public init(
    width: Int, height: Int, fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) throws {
    let area: Int = try Picture.checkedArea(width: width, height: height)
    let colour = try PixelBytes(count: area * 3) { (bytes: UnsafeMutableBufferPointer<UInt8>) in
      bytes.initialize(repeating: 0)
      try fill(bytes)
    }
    self.init(width: width, height: height, colour: colour, opacity: nil)
  }

  /// Whether there is an alpha plane.
  public var hasAlpha: Bool { opacity != nil }

  /// Lends the colours: `width * height * 3` bytes.
  public func withPixels<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try colour.withBytes(body)
  }

  /// Lends the alpha plane, `width * height` bytes, or `nil` where the picture is opaque.
  public func withAlpha<Result>(
    _ body: (UnsafeBufferPointer<UInt8>?) throws -> Result
  ) rethrows -> Result {
    guard let opacity else { return try body(nil) }
    return try opacity.withBytes { try body($0) }
  }

  /// The colours as an array, copied.
  public var pixels: [UInt8] { withPixels { Array($0) } }

  /// The alpha plane as an array, copied.
  public var alpha: [UInt8]? { withAlpha { $0.map { Array($0) } } }

  /// The same colours without alpha.
  public var withoutAlpha: Picture {
    Picture(width: width, height: height, colour: colour, opacity: nil)
  }

  /// The same colours with the alpha of another picture of the same size, or with none where that
  /// one is opaque.
  ///
  /// - Throws: `ImagingError` where the sizes differ.
  public func withAlpha(of other: Picture) throws -> Picture {
    guard other.width == width, other.height == height else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "Alpha of \(other.width) × \(other.height) does not fit a picture of"
          + " \(width) × \(height). Scale one to the size of the other first.")
    }
    return Picture(width: width, height: height, colour: colour, opacity: other.opacity)
  }

  /// The memory that a picture takes, in bytes.
  public static func estimatedBytes(width: Int, height: Int, hasAlpha: Bool = false) -> Int {
    width * height * (hasAlpha ? 4 : 3)
  }

  /// The memory that this picture takes, in bytes.
  public var estimatedBytes: Int {
    Picture.estimatedBytes(width: width, height: height, hasAlpha: hasAlpha)
  }

  /// The pixels of a size that memory can be had for.
  static func checkedArea(width: Int, height: Int) throws -> Int {
    guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20 else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "A picture of \(width) × \(height) cannot be made:"
          + " both sides must be between 1 and 1048576.")
    }
    return width * height
  }
}

extension Picture: Equatable {
  /// Pictures are equal when their sizes, colours and alpha are.
  public static func == (left: Picture, right: Picture) -> Bool {
    guard left.width == right.width, left.height == right.height,
      left.hasAlpha == right.hasAlpha
    else { return false }
    let coloursAgree: Bool = left.withPixels { (one: UnsafeBufferPointer<UInt8>) -> Bool in
      right.withPixels { one.elementsEqual($0) }
    }
    return coloursAgree && left.alpha == right.alpha
  }
}
