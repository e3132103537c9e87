import CoreML
import Foundation
import Imaging
import Platform
import StyleTransfer

/// Paints photos of 8 bits, of 16 bits, and animations with one style.
struct PhotoPainters {
  /// Returns the painter for a picture of 8 bits.
  let painter: (Picture) throws -> Painter
  /// Opens the painter for pictures of 16 bits. Nil if there is none; such pictures are then painted with 8 bits.
  let makeDeepPainter: (() throws -> Painter?)?
  /// The size of paintings. Nil for that of each photo.
  let size: PaintingSize?
  /// How large photos are divided. Nil to paint each at once.
  let tiling: Painter.Tiling?
  /// How photos are fitted to the size that the model declares. Nil to paint whole photos.
  let mode: CropAndScale?
  /// The colours that paintings get. Nil for the network's own.
  let palette: Palette?
  let subject: StylizedSubject?
  /// How paintings are enlarged. Nil to paint at their own size.
  let enlargement: Enlargement?

  /// The share of the time in which the network paints, if the painting is enlarged afterwards.
  private static let painted = 0.2

  private let deepPainter: Locked<Painter??> = Locked(nil)

  init(
    painter: @escaping (Picture) throws -> Painter, makeDeepPainter: (() throws -> Painter?)?,
    size: PaintingSize?, tiling: Painter.Tiling?, mode: CropAndScale?, palette: Palette?,
    subject: StylizedSubject?, enlargement: Enlargement?
  ) {
    self.painter = painter
    self.makeDeepPainter = makeDeepPainter
    self.size = size
    self.tiling = tiling
    self.mode = mode
    self.palette = palette
    self.subject = subject
    self.enlargement = enlargement
  }

  /// Whether pictures of 16 bits are painted with 16 bits.
  var keepsDepth: Bool { mode == nil && tiling == nil && enlargement == nil }

  /// Paints a photo.
  ///
  /// - Parameter report: Called with the share that is painted, 0 to 1. Nil for no reports.
  /// - Returns: The painting, and the size at which the network painted.
  func paint(
    _ photo: SourcePhoto, _ report: (@Sendable (Double) -> Void)?
  ) throws -> (SourcePhoto, PictureSize) {
    switch photo {
    case .picture(let picture):
      let (painting, size) = try paint(picture, report)
      return (.picture(painting), size)
    case .deep(let picture):
      let (painting, size) = try paint(picture)
      return (.deep(painting), size)
    case .animated(var animation):
      var painted: PictureSize = photo.size
      let count: Int = animation.pictures.count
      for index in animation.pictures.indices {
        var part: (@Sendable (Double) -> Void)?
        if let report {
          part = { @Sendable in report((Double(index) + $0) / Double(count)) }
        }
        (animation.pictures[index], painted) = try paint(animation.pictures[index], part)
      }
      return (.animated(animation), painted)
    }
  }

  private func paint(
    _ photo: Picture, _ report: (@Sendable (Double) -> Void)?
  ) throws -> (Picture, PictureSize) {
    var side: Int? = size?.longerSide(of: photo.size)
    let final: PictureSize = photo.size.scaled(toLongerSide: side ?? photo.size.longerSide)
    var whilePainting = report
    if let enlargement {
      side = enlargement.paintedSide(of: final.longerSide)
      if let report { whilePainting = { @Sendable in report($0 * Self.painted) } }
    }
    let painting: Painter.Painting = try painting(of: photo, longerSide: side, whilePainting)
    // The tiles of a large photo were given the colours in place.
    var colored: Picture =
      try tiling == nil
      ? palette?.applied(to: painting.picture) ?? painting.picture
      : painting.picture
    if let enlargement {
      colored = try enlargement.upscaler.enlarged(colored, to: final) {
        report?(Self.painted + $0 * (1 - Self.painted))
      }
    }
    let picture: Picture =
      try subject?.mask(of: photo).composed(photo.scaled(to: colored.size), over: colored)
      ?? colored
    return (picture, painting.paintedSize)
  }

  private func painting(
    of photo: Picture, longerSide side: Int?, _ report: (@Sendable (Double) -> Void)?
  ) throws -> Painter.Painting {
    let painter: Painter = try painter(photo)
    if let tiling {
      return try painter.paint(
        photo, longerSide: side, tiling: tiling, palette: palette, report: report)
    }
    let fitting: Painter.Fitting = mode.map { .declared($0) } ?? .wholePhoto(longerSide: side)
    let options = MLPredictionOptions()
    options.progress = report
    return try painter.paint(photo, fitting, options: options)
  }

  private func paint(_ photo: DeepPicture) throws -> (DeepPicture, PictureSize) {
    let rounded: Picture = try photo.rounded()
    let painting: Painter.DeepPainting = try painter(rounded).paint(
      photo, longerSide: size?.longerSide(of: photo.size), by: deep())
    let colored: DeepPicture = try palette?.applied(to: painting.picture) ?? painting.picture
    guard let subject else { return (colored, painting.paintedSize) }
    let scaled: DeepPicture =
      try photo.size == colored.size ? photo : DeepPicture(rounded.scaled(to: colored.size))
    return (
      try subject.mask(of: rounded).composed(scaled, over: colored), painting.paintedSize
    )
  }

  /// Returns the painter for pictures of 16 bits. Opens it on the first call.
  private func deep() throws -> Painter? {
    try deepPainter.withLock { opened in
      if let opened { return opened }
      let painter: Painter? = try makeDeepPainter?()
      opened = .some(painter)
      return painter
    }
  }
}
