import Engine
import Imaging

/// A photo, the paintings that give the style, and the settings, prepared for one of the methods of painting.
struct PaintingTask {
  /// The photo without alpha.
  let photo: Picture
  /// The original, whose alpha the painting gets.
  private let original: Picture
  /// The paintings, without frames, and recoloured if the settings ask for it.
  let styles: [PaintingStyle]
  let settings: PaintingSettings
  let network: FeatureNetwork
  /// The colours that the picture gets. Nil if it keeps those of the optimisation.
  private let palette: Palette?

  /// The smallest side of a picture while it is painted, in pixels.
  private static let leastSide = 16

  init(
    _ photo: Picture, styles: [PaintingStyle], settings: PaintingSettings, network: FeatureNetwork
  ) throws {
    original = photo
    self.photo = photo.withoutAlpha
    self.settings = settings
    self.network = network
    self.styles = try styles.filter { $0.weight > 0 }.map { style in
      var prepared: PaintingStyle = style
      prepared.painting = try style.painting.withoutAlpha.withoutFrame()
      if settings.colors == .match {
        prepared.painting = try prepared.painting.matchingColors(of: photo)
      }
      return prepared
    }
    let isWhole: Bool = self.styles.allSatisfy { $0.mask == nil } && !self.styles.isEmpty
    palette =
      settings.matchesColors && isWhole
      ? Palette(
        mixing: try self.styles.map { style in (try Palette(style.painting), style.weight) })
      : nil
  }

  /// The size of the finished painting.
  var size: PictureSize { size(at: settings.size ?? photo.size.longerSide) }

  /// Returns the size of the picture at the scale with the given longer side.
  func size(at longerSide: Int) -> PictureSize {
    photo.size.scaled(toLongerSide: longerSide, least: Self.leastSide)
  }

  /// Returns the photo at the scale with the given longer side.
  func photo(at longerSide: Int) throws -> Picture { try photo.scaled(to: size(at: longerSide)) }

  /// Scales a painting to the given longer side. Then crops it at the right and the bottom to multiples of `alignment`.
  func picture(of painting: Picture, longerSide: Int, alignment: Int) throws -> Picture {
    let scaled: Picture = try painting.scaled(
      to: painting.size.scaled(toLongerSide: longerSide, least: max(Self.leastSide, alignment)))
    let (width, height) = (
      scaled.width / alignment * alignment, scaled.height / alignment * alignment
    )
    return try scaled.cropped(x: 0, y: 0, width: width, height: height)
  }

  /// The parts of the picture, and the paintings for each part. Each painting with a mask has its own part. The
  /// paintings without a mask share the rest.
  var groups: [(styles: [PaintingStyle], mask: StyleMask?)] {
    let masked: [PaintingStyle] = styles.filter { $0.mask != nil }
    let others: [PaintingStyle] = styles.filter { $0.mask == nil }
    var result: [(styles: [PaintingStyle], mask: StyleMask?)] = masked.map { ([$0], $0.mask) }
    guard !others.isEmpty else { return result }
    let masks: [StyleMask] = masked.compactMap(\.mask)
    let rest: StyleMask? = masks.first.map { first in
      masks.dropFirst().reduce(first) { $0.joined(with: $1) }.inverted
    }
    result.append((others, rest))
    return result
  }

  /// Gives a picture the paintings' colours. Below the strength 1, only a share of them. Returns the picture unchanged if
  /// the settings leave the colours of the optimisation.
  func colored(_ picture: Picture) throws -> Picture {
    guard let palette else { return picture }
    return try picture.mixed(
      with: palette.applied(to: picture, limits: .optimization), share: min(1, settings.strength))
  }

  /// Scales the picture to its full size, and gives it the paintings' colours, the photo's alpha and, if the settings
  /// ask for it, the photo's colours.
  func finished(_ canvas: Picture) throws -> Picture {
    let scaled: Picture = try canvas.scaled(to: size)
    let whole: Picture = try original.scaled(to: size)
    var colored: Picture = try colored(scaled)
    if settings.colors == .luminance { colored = try colored.withColors(of: whole) }
    return try colored.withAlpha(of: whole)
  }
}

/// A method of painting a picture by optimisation.
protocol PaintingProcess {
  /// Creates the process. Computes nothing yet.
  init(_ task: PaintingTask) throws
  /// The memory of the largest scale in bytes, estimated.
  func estimatedBytes() throws -> Int
  /// Paints. Ends early if the report of a step returns false.
  func paint(_ report: PicturePainter.Report) throws -> Picture
}

extension Picture {
  /// Returns `(1 − share) · self + share · other` for pictures of the same size without alpha.
  fileprivate func mixed(with other: Picture, share: Double) throws -> Picture {
    guard share < 1 else { return other }
    let part = Float(share)
    return try Picture(
      width: width, height: height,
      planes: zip(planes, other.planes).map { $0 + part * ($1 - $0) })
  }
}
