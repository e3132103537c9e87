import Foundation

/// A picture in memory: red, green and blue with 8 bits each in sRGB, and a separate alpha plane.
///
/// Pixels are interleaved (R, G, B, R, G, B …). Rows follow each other without gaps, and the top row is first. Each
/// component is 0…255, gamma-encoded as in sRGB. If there is alpha, it is a separate plane, 0 (transparent) … 255
/// (opaque). Colours are not multiplied by alpha.
///
/// A picture is immutable. Copies share their pixels.
public struct Picture: Sendable {
  /// The number of columns.
  public let width: Int

  /// The number of rows.
  public let height: Int

  let colour: PixelBytes
  let opacity: PixelBytes?

  /// Creates a picture from planes. The sizes of the planes must match `width` and `height`.
  init(width: Int, height: Int, colour: PixelBytes, opacity: PixelBytes?) {
    precondition(colour.count == width * height * 3)
    precondition(opacity.map { $0.count == width * height } ?? true)
    self.width = width
    self.height = height
    self.colour = colour
    self.opacity = opacity
  }

  /// Creates a picture from arrays.
  ///
  /// - Parameters:
  ///   - pixels: `width * height * 3` bytes: R, G, B from the top left, row by row.
  ///   - alpha: `width * height` bytes, or `nil` for an opaque picture.
  /// - Throws: `ImagingError` if a side is not positive or an array has another length.
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

  /// Creates an opaque picture whose pixels `fill` writes.
  ///
  /// - Parameter fill: Gets `width * height * 3` bytes, which are all zero, and writes R, G, B into them.
  /// - Throws: `ImagingError` if a side is not positive, or the errors of `fill`.
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

  /// Calls the closure with the colours: `width * height * 3` bytes.
  public func withPixels<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try colour.withBytes(body)
  }

  /// Calls the closure with the alpha plane, `width * height` bytes, or `nil` if the picture is opaque.
  public func withAlpha<Result>(
    _ body: (UnsafeBufferPointer<UInt8>?) throws -> Result
  ) rethrows -> Result {
    guard let opacity else { return try body(nil) }
    return try opacity.withBytes { try body($0) }
  }

  /// A copy of the colours as an array.
  public var pixels: [UInt8] { withPixels { Array($0) } }

  /// A copy of the alpha plane as an array. Nil if the picture is opaque.
  public var alpha: [UInt8]? { withAlpha { $0.map { Array($0) } } }

  /// The picture with the same colours and without alpha.
  public var withoutAlpha: Picture {
    Picture(width: width, height: height, colour: colour, opacity: nil)
  }

  /// Returns this picture with the alpha of another picture of the same size. If the other picture is opaque, the
  /// result has no alpha.
  ///
  /// - Throws: `ImagingError` if the sizes differ.
  public func withAlpha(of other: Picture) throws -> Picture {
    guard other.width == width, other.height == height else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "Alpha of \(other.width) × \(other.height) does not fit a picture of"
          + " \(width) × \(height). Scale one to the size of the other first.")
    }
    return Picture(width: width, height: height, colour: colour, opacity: other.opacity)
  }

  /// Returns the memory that a picture of the given size takes, in bytes.
  public static func estimatedBytes(width: Int, height: Int, hasAlpha: Bool = false) -> Int {
    width * height * (hasAlpha ? 4 : 3)
  }

  /// The memory that this picture takes, in bytes.
  public var estimatedBytes: Int {
    Picture.estimatedBytes(width: width, height: height, hasAlpha: hasAlpha)
  }

  /// Returns the number of pixels of a picture of the given size. Throws if a side is not between 1 and 2²⁰.
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
  /// Returns whether the sizes, colours and alpha of two pictures are equal.
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
