import CVips
import Foundation

/// The pictures of an animated GIF, WebP or PNG, with their timing.
public struct Animation: Sendable {
  /// A time as animated PNGs state it, in fractions of a second.
  struct Fraction: Sendable, Hashable {
    let numerator: UInt16
    /// 0 means 100.
    let denominator: UInt16

    /// The time in milliseconds, rounded.
    var milliseconds: Int {
      let parts: Int = denominator == 0 ? 100 : Int(denominator)
      return (Int(numerator) * 1000 + parts / 2) / parts
    }
  }

  /// The pictures in the order in which they are shown. All have the same size.
  public var pictures: [Picture]
  /// How long each picture is shown, in milliseconds.
  public var delays: [Int]
  /// The number of times that the animation plays, as in libvips: 0 for an endless loop.
  public var loopCount: Int
  /// The delays as an animated PNG states them. Nil for animations of other formats.
  var fractions: [Fraction]?

  /// Creates an animation. There must be a delay for each picture.
  public init(pictures: [Picture], delays: [Int], loopCount: Int) {
    precondition(pictures.count == delays.count && !pictures.isEmpty)
    self.pictures = pictures
    self.delays = delays
    self.loopCount = loopCount
  }

  /// The delay of a picture for an animated PNG.
  func fraction(_ index: Int) -> Fraction {
    if let fractions, fractions.count == delays.count { return fractions[index] }
    return Fraction(numerator: UInt16(clamping: delays[index]), denominator: 1000)
  }

  /// Reads all pictures of an animated GIF, WebP or PNG.
  ///
  /// - Throws: `ImagingError` for a file that is no animation, is damaged, or has more than `pixelLimit` pixels.
  public init(contentsOfFile path: String, pixelLimit: Int = Picture.defaultPixelLimit) throws {
    let source = PictureSource(name: path, place: .file(path))
    try source.checkFile(path)
    let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    if data.starts(with: PNGChunks.signature) {
      self = try AnimatedPNG(data, source: source).animation(pixelLimit: pixelLimit)
      return
    }
    try Vips.start()
    self = try PictureSource.decoding.alone {
      try data.withUnsafeBytes { bytes in
        var handle: OpaquePointer?
        guard cvips_open_animation(bytes.baseAddress, bytes.count, &handle) == CVIPS_OPENED else {
          throw source.damaged(Vips.takeError())
        }
        return try source.animation(VipsImage(handle, doing: "open an animation"), pixelLimit)
      }
    }
  }

  /// Encodes the animation as the bytes of a GIF, WebP or PNG.
  ///
  /// - Throws: `ImagingError` if the format cannot hold animations, or cannot hold this number of pictures.
  public func encoded(as format: PictureFormat, _ encoding: PictureEncoding) throws -> Data {
    guard format.holdsAnimations else {
      throw ImagingError(
        code: .unwritableFile,
        message: "An animation cannot be written as \(format.name). Choose GIF, WebP or PNG.")
    }
    let (width, height) = (pictures[0].width, pictures[0].height)
    try format.check(PictureSize(width: width, height: height), name: "data")
    guard format != .png else { return try AnimatedPNG.encoded(self, encoding) }
    let isTransparent: Bool = pictures.contains(where: \.hasAlpha)
    let bands: Int = isTransparent ? 4 : 3
    let size: Int = width * height * bands
    let plane = try PixelBytes(count: size * pictures.count) { bytes in
      for (index, picture) in pictures.enumerated() {
        precondition(picture.width == width && picture.height == height)
        let target = UnsafeMutableBufferPointer(rebasing: bytes[index * size..<(index + 1) * size])
        picture.withPixels { colours in
          picture.withAlpha { alpha in
            for pixel in 0..<width * height {
              for band in 0..<3 { target[pixel * bands + band] = colours[pixel * 3 + band] }
              if isTransparent { target[pixel * bands + 3] = alpha?[pixel] ?? 255 }
            }
          }
        }
      }
    }
    return try VipsImage.over(
      plane, width: width, height: height * pictures.count, components: bands
    ) { image in
      try image.encoded(
        as: format, encoding, name: "data",
        animation: (height, delays.map { Int32(clamping: $0) }, loopCount))
    }
  }
}

extension PictureSource {
  fileprivate func animation(_ image: VipsImage, _ pixelLimit: Int) throws -> Animation {
    try require(width: image.width, height: image.height, of: pixelLimit)
    try requireMemory(
      image.width * image.height * 12, width: image.width, height: image.height,
      isProgressive: false)
    let height: Int = Int(cvips_number(image.handle, "page-height"))
    let count: Int = height > 0 ? image.height / height : 0
    guard count > 0, count * height == image.height else {
      throw damaged("its pictures have different sizes")
    }
    var delayCount: Int32 = 0
    let stated: UnsafePointer<Int32>? = cvips_delays(image.handle, &delayCount)
    let delays: [Int] = (0..<count).map { index in
      guard let stated, index < Int(delayCount) else { return 100 }
      return Int(stated[index])
    }
    let loops = Int(cvips_number(image.handle, "loop"))
    let all: Picture = try pixels(of: image)
    let pictures: [Picture] = try (0..<count).map {
      try all.cropped(x: 0, y: $0 * height, width: all.width, height: height)
    }
    return Animation(pictures: pictures, delays: delays, loopCount: loops)
  }
}
