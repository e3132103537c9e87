import Foundation

/// Reads and writes animated PNGs. libvips and libpng read only their first picture.
///
/// A frame of a file may cover a part of the picture, and may be blended with what earlier frames left. Reading composes
/// whole pictures. Writing makes a frame of each whole picture.
///
/// **Source:** Portable Network Graphics (PNG) Specification (Third Edition), W3C 2025, 11.3.6 (`acTL`, `fcTL`, `fdAT`).
struct AnimatedPNG {
  /// What becomes of the area of a frame before the next one is drawn.
  private enum Disposal: UInt8 {
    case none, background, previous
  }

  /// A frame: its `fcTL` chunk, and its compressed rows.
  private struct Frame {
    let width: Int
    let height: Int
    let x: Int
    let y: Int
    let delay: Animation.Fraction
    let disposal: Disposal
    /// Whether the frame is drawn over the canvas. If not, it replaces the canvas with its alpha.
    let isBlended: Bool
    var rows = Data()

    /// Reads the control chunk of a frame. Nil if it contradicts itself or the size of the picture.
    init?(_ content: Data, width fullWidth: Int, height fullHeight: Int) {
      guard content.count == 26 else { return nil }
      let bytes = [UInt8](content)
      func number(_ offset: Int, _ count: Int = 4) -> Int {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
      }
      (width, height, x, y) = (number(4), number(8), number(12), number(16))
      guard width > 0, height > 0, x <= fullWidth - width, y <= fullHeight - height,
        let disposal = Disposal(rawValue: bytes[24]), bytes[25] <= 1
      else { return nil }
      delay = Animation.Fraction(
        numerator: UInt16(number(20, 2)), denominator: UInt16(number(22, 2)))
      self.disposal = disposal
      isBlended = bytes[25] == 1
    }
  }

  private let source: PictureSource
  private var width = 0
  private var height = 0
  private var header = Data()
  /// The chunks that every frame shares: palette, transparency and colour space.
  private var shared = Data()
  private var frames: [Frame] = []
  private var playCount = 0

  /// Returns the number of frames that a PNG file states. 1 for a PNG that is not animated.
  static func frameCount(in data: Data) -> Int {
    var count = 1
    PNGChunks.forEach(in: data) { type, content in
      if type == "acTL", content.count == 8 {
        count = max(1, content.prefix(4).reduce(0) { $0 << 8 | Int($1) })
      }
      return type != "acTL" && type != "IDAT"
    }
    return count
  }

  /// Reads the chunks of an animated PNG.
  ///
  /// - Throws: `ImagingError` for a damaged file.
  init(_ data: Data, source: PictureSource) throws {
    self.source = source
    let colours: Set<String> = ["PLTE", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP"]
    var stated = 0
    var isComplete = false
    var control: Frame?
    try PNGChunks.forEach(in: data) { type, content in
      switch type {
      case "IHDR":
        guard content.count == 13 else { throw source.damaged("its header is damaged") }
        header = Data(content)
        (width, height) = (Self.number(header, 0), Self.number(header, 4))
      case "acTL":
        guard content.count == 8 else { throw source.damaged("its frames are not counted") }
        (stated, playCount) = (Self.number(Data(content), 0), Self.number(Data(content), 4))
      case "fcTL":
        if let control { frames.append(control) }
        control = Frame(Data(content), width: width, height: height)
        guard control != nil else {
          throw source.damaged("frame \(frames.count + 1) has an impossible size or place")
        }
      // The first picture is a frame only if a control chunk comes before it.
      case "IDAT": control?.rows.append(content)
      case "fdAT": control?.rows.append(content.dropFirst(4))
      case "IEND": isComplete = true
      default: if colours.contains(type) { shared.append(PNGChunks.chunk(type, Data(content))) }
      }
      return !isComplete
    }
    if let control { frames.append(control) }
    guard isComplete, !frames.isEmpty, frames.count == stated else {
      throw source.damaged("it has \(frames.count) of its \(stated) frames")
    }
  }

  private static func number(_ bytes: Data, _ offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: Reading

  /// Composes the frames.
  ///
  /// - Throws: `ImagingError` for a damaged frame, or if the pictures have more than `pixelLimit` pixels together.
  func animation(pixelLimit: Int) throws -> Animation {
    try source.require(width: width, height: height * frames.count, of: pixelLimit)
    let area: Int = width * height
    try source.requireMemory(
      area * 4 * (frames.count + 4), width: width, height: height * frames.count,
      isProgressive: false)
    var canvas = [UInt8](repeating: 0, count: area * 4)
    var pictures: [Picture] = []
    for (index, frame) in frames.enumerated() {
      // What a first frame would restore is an empty picture.
      let before: [UInt8]? = frame.disposal == .previous && index > 0 ? canvas : nil
      try draw(frame, onto: &canvas)
      pictures.append(try picture(canvas))
      if let before {
        canvas = before
      } else if frame.disposal != .none {
        for row in frame.y..<frame.y + frame.height {
          let start: Int = (row * width + frame.x) * 4
          for place in start..<start + frame.width * 4 { canvas[place] = 0 }
        }
      }
    }
    var animation = Animation(
      pictures: pictures, delays: frames.map(\.delay.milliseconds), loopCount: playCount)
    animation.fractions = frames.map(\.delay)
    return animation
  }

  /// Decodes a frame and draws it on the canvas of red, green, blue and alpha.
  private func draw(_ frame: Frame, onto canvas: inout [UInt8]) throws {
    var file = Data(PNGChunks.signature)
    file += PNGChunks.chunk(
      "IHDR",
      PNGChunks.bigEndian(UInt32(frame.width)) + PNGChunks.bigEndian(UInt32(frame.height))
        + header.dropFirst(8))
    file += shared + PNGChunks.chunk("IDAT", frame.rows) + PNGChunks.chunk("IEND", Data())
    let picture = try Picture(data: file, name: source.name)
    picture.withPixels { colours in
      picture.withAlpha { alpha in
        for row in 0..<frame.height {
          for column in 0..<frame.width {
            let pixel: Int = row * frame.width + column
            let target: Int = ((frame.y + row) * width + frame.x + column) * 4
            let opacity = Int(alpha?[pixel] ?? 255)
            guard frame.isBlended, opacity < 255 else {
              for band in 0..<3 { canvas[target + band] = colours[pixel * 3 + band] }
              canvas[target + 3] = UInt8(opacity)
              continue
            }
            guard opacity > 0 else { continue }
            // Both shares of the colour, and their sum, are multiplied by 255.
            let share: Int = opacity * 255
            let rest: Int = Int(canvas[target + 3]) * (255 - opacity)
            for band in 0..<3 {
              let sum: Int =
                Int(colours[pixel * 3 + band]) * share + Int(canvas[target + band]) * rest
              canvas[target + band] = UInt8((sum + (share + rest) / 2) / (share + rest))
            }
            canvas[target + 3] = UInt8((share + rest + 127) / 255)
          }
        }
      }
    }
  }

  private func picture(_ canvas: [UInt8]) throws -> Picture {
    let picture = try canvas.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { throw source.damaged("it has no pixels") }
      // Safe: the canvas has four bytes for each pixel, without gaps between rows.
      return try Picture(
        width: width, height: height, layout: .rgba(.straight), rows: start,
        bytesPerRow: width * 4)
    }
    let isOpaque: Bool = picture.withAlpha { $0?.allSatisfy { $0 == 255 } ?? true }
    return isOpaque ? picture.withoutAlpha : picture
  }

  // MARK: Writing

  /// Encodes an animation. The first frame is also the picture that viewers without animations show.
  static func encoded(_ animation: Animation, _ encoding: PictureEncoding) throws -> Data {
    let isTransparent: Bool = animation.pictures.contains(where: \.hasAlpha)
    var plain: PictureEncoding = encoding
    (plain.xmp, plain.resolution) = (nil, nil)
    var file = Data()
    var ending = Data()
    var header = Data()
    var sequence: UInt32 = 0
    func numbered(_ content: Data = Data()) -> Data {
      defer { sequence += 1 }
      return PNGChunks.bigEndian(sequence) + content
    }
    for (index, picture) in animation.pictures.enumerated() {
      let whole: Picture =
        isTransparent && !picture.hasAlpha
        ? Picture(
          width: picture.width, height: picture.height, colour: picture.colour,
          opacity: try PixelBytes(count: picture.width * picture.height) {
            $0.initialize(repeating: 255)
          }) : picture
      let still: Data = try whole.encoded(as: .png, index == 0 ? encoding : plain)
      let control: Data = PNGChunks.chunk(
        "fcTL", numbered(Self.control(of: picture, delay: animation.fraction(index))))
      var hasRows = false
      PNGChunks.forEach(in: still) { type, content in
        let isNew: Bool = type == "IDAT" && !hasRows
        if type == "IDAT" { hasRows = true }
        switch (type, index) {
        case ("IHDR", 0):
          header = Data(content)
          let count: Data = PNGChunks.bigEndian(UInt32(animation.pictures.count))
          let plays: Data = PNGChunks.bigEndian(UInt32(clamping: animation.loopCount))
          file += Data(PNGChunks.signature) + PNGChunks.chunk(type, header)
          file += PNGChunks.chunk("acTL", count + plays)
        case ("IHDR", _):
          precondition(content.elementsEqual(header), "all pictures are encoded in the same way")
        case ("IDAT", 0):
          file += (isNew ? control : Data()) + PNGChunks.chunk(type, Data(content))
        case ("IDAT", _):
          file +=
            (isNew ? control : Data()) + PNGChunks.chunk("fdAT", numbered(Data(content)))
        case ("IEND", _): break
        case (_, 0):
          // Chunks that come after the rows belong to the end of the file.
          if hasRows {
            ending += PNGChunks.chunk(type, Data(content))
          } else {
            file += PNGChunks.chunk(type, Data(content))
          }
        default: break
        }
        return true
      }
    }
    return file + ending + PNGChunks.chunk("IEND", Data())
  }

  /// Returns the content of the control chunk of a frame that covers the whole picture, without its sequence number.
  private static func control(of picture: Picture, delay: Animation.Fraction) -> Data {
    var content = Data()
    for number in [UInt32(picture.width), UInt32(picture.height), 0, 0] {
      content += PNGChunks.bigEndian(number)
    }
    content += PNGChunks.bigEndian(delay.numerator) + PNGChunks.bigEndian(delay.denominator)
    return content + Data([Disposal.none.rawValue, 0])
  }
}
