import Foundation
import Imaging
import NormStatistics

extension Painter {
  /// How a painting of a large photo is divided.
  public struct Tiling: Sendable {
    /// The largest side of a tile in pixels, without its margin.
    public let side: Int

    /// The smallest side of a tile.
    public static let smallestSide = 128
    /// How far a tile is painted beyond its sides. Pixels farther away do not change the painting of a style network of
    /// ours, and hardly that of another one.
    static let margin = 64
    /// Over how many pixels on each side of their border two neighbouring tiles are blended.
    static let ramp = 8
    /// Tiles begin at multiples of this number, so that layers with strides see the same rows and columns as in the
    /// whole photo.
    static let step = 16
    /// How often statistics are measured at most, and how far they may move in the last measurement. In the first
    /// measurement, each tile uses its own statistics. Each further one makes at least one more norm exact.
    static let mostMeasurements = 24
    static let tolerance = 0.02

    /// Creates a tiling.
    public init(side: Int) {
      self.side = max(Self.smallestSide, (side + Self.step - 1) / Self.step * Self.step)
    }

    /// A span of rows or columns of a tile.
    struct Span: Equatable {
      /// The part that only this tile paints, apart from blending.
      let core: Range<Int>
      /// The part that goes into the network.
      let painted: Range<Int>

      /// Divides a side into parts of the same length. Only the last one may be smaller.
      ///
      /// - Parameters:
      ///   - each: The length of the part that only one tile paints.
      ///   - painted: The length of the part that goes into the network, the same for all tiles.
      ///   - margin: The length that goes into the network before the first part.
      static func dividing(_ length: Int, by each: Int, painted: Int, margin: Int) -> [Span] {
        stride(from: 0, to: length, by: each).map { begin in
          let first: Int = min(max(0, begin - margin), length - painted)
          return Span(core: begin..<min(begin + each, length), painted: first..<first + painted)
        }
      }

      /// The rows or columns that are mixed with those of the tile before. Rows and columns before them are not used.
      var blended: Range<Int> {
        core.lowerBound == 0
          ? 0..<0 : core.lowerBound - Tiling.ramp..<core.lowerBound + Tiling.ramp
      }

      /// The core, in pixels of the part that goes into the network.
      var measured: Range<Int> {
        core.lowerBound - painted.lowerBound..<core.upperBound - painted.lowerBound
      }

      /// The weight of this tile in a mixed row or column, in parts of `2 · ramp`.
      func weight(_ position: Int) -> Int { position - blended.lowerBound }
    }

    /// Divides a side of the photo into equal tiles. Only the last one may be smaller.
    ///
    /// All tiles go into the network with the same length, so that one plan paints them. The length divided by `step`
    /// leaves the same rest as that of the photo, because layers with strides pad even and odd lengths differently.
    func spans(_ length: Int) -> [Span] {
      let wanted: Int = max(1, (length + side - 1) / side)
      let each: Int = (length + wanted * Self.step - 1) / (wanted * Self.step) * Self.step
      let painted: Int = min(length, each + 2 * Self.margin + length % Self.step)
      return Span.dividing(length, by: each, painted: painted, margin: Self.margin)
    }
  }

  /// Paints a photo tile by tile, so that the memory depends on the size of a tile.
  ///
  /// The instance norms of a style network use the statistics of the whole picture. So the tiles are painted several
  /// times: first to measure the statistics, until they hardly move, and then with the measured ones. Therefore no tile
  /// is brighter or darker than its neighbours.
  ///
  /// - Parameters:
  ///   - longerSide: The longer side of the painting. Nil for the photo's.
  ///   - palette: The colours that the painting gets. Nil for the network's own.
  ///   - report: Called with the share of the work that is done, 0 to 1.
  public func paint(
    _ photo: Picture, longerSide: Int? = nil, tiling: Tiling, palette: Palette? = nil,
    report: ((Double) -> Void)? = nil
  ) throws -> Painting {
    let size: PictureSize = longerSide.map { photo.size.scaled(toLongerSide: $0) } ?? photo.size
    let scaled: Picture = try photo.scaled(to: size)
    let (rows, columns) = (tiling.spans(size.height), tiling.spans(size.width))
    guard rows.count * columns.count > 1 else {
      let painting: Painting = try paint(photo, .wholePhoto(longerSide: longerSide))
      guard let palette else { return painting }
      return Painting(
        picture: try palette.applied(to: painting.picture), paintedSize: painting.paintedSize)
    }
    let opaque: Picture = scaled.withoutAlpha
    func tile(_ row: Tiling.Span, _ column: Tiling.Span) throws -> Picture {
      try opaque.cropped(
        x: column.painted.lowerBound, y: row.painted.lowerBound, width: column.painted.count,
        height: row.painted.count)
    }
    let painted = PictureSize(width: columns[0].painted.count, height: rows[0].painted.count)
    guard paintingSize(for: painted) == painted else {
      throw StyleTransferError(
        .network,
        "The network paints only \(declaredSize), not tiles of \(painted). Paint the whole photo.")
    }
    let statistics = NormStatistics()
    try survey(statistics)
    let count: Int = rows.count * columns.count
    var movement = Double.infinity
    var passes: Int = 0
    while movement > Tiling.tolerance, passes < Tiling.mostMeasurements {
      for (index, (row, column)) in Self.pairs(rows, columns).enumerated() {
        // Only the core, because margins would count parts of the photo twice.
        try measure(
          tile(row, column), rows: row.measured, columns: column.measured, statistics)
        report?(0.6 * (1 - pow(0.5, Double(passes) + Double(index) / Double(count))))
      }
      movement = statistics.adopt()
      passes += 1
    }
    let begin: Double = 0.6 * (1 - pow(0.5, Double(passes)))
    let whole = try Picture(width: size.width, height: size.height) { pixels in
      var done: Int = 0
      for row in rows {
        var strip = [UInt8](repeating: 0, count: row.painted.count * size.width * 3)
        for column in columns {
          let painted: Picture = try paint(
            tile(row, column), statistics: statistics, rate: 0
          ).picture
          Self.join(painted, column, to: &strip, width: size.width)
          done += 1
          report?(begin + (1 - begin) * Double(done) / Double(count))
        }
        Self.join(strip, row, to: pixels, width: size.width)
      }
      palette?.apply(to: pixels)
    }
    return Painting(picture: try whole.withAlpha(of: scaled), paintedSize: size)
  }

  private static func pairs(_ rows: [Tiling.Span], _ columns: [Tiling.Span]) -> [(
    Tiling.Span, Tiling.Span
  )] {
    rows.flatMap { row in columns.map { (row, $0) } }
  }

  /// Copies a tile to the right of the tiles of a strip, and blends it over the last of them.
  private static func join(
    _ tile: Picture, _ column: Tiling.Span, to strip: inout [UInt8], width: Int
  ) {
    let first: Int = column.painted.lowerBound
    tile.withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      for y in 0..<tile.height {
        let (source, target) = (y * tile.width * 3, (y * width + first) * 3)
        for x in column.blended {
          for part in (x - first) * 3..<(x - first) * 3 + 3 {
            strip[target + part] = Self.mix(
              strip[target + part], pixels[source + part], column.weight(x))
          }
        }
        let rest: Range<Int> = (column.blended.upperBound - first) * 3..<tile.width * 3
        strip.replaceSubrange(
          target + rest.lowerBound..<target + rest.upperBound,
          with: pixels[source + rest.lowerBound..<source + rest.upperBound])
      }
    }
  }

  /// Copies a strip below the strips of a painting, and blends it over the last of them.
  private static func join(
    _ strip: [UInt8], _ row: Tiling.Span, to pixels: UnsafeMutableBufferPointer<UInt8>, width: Int
  ) {
    let first: Int = row.painted.lowerBound
    for y in row.blended {
      for part in 0..<width * 3 {
        let place: Int = y * width * 3 + part
        pixels[place] = mix(pixels[place], strip[(y - first) * width * 3 + part], row.weight(y))
      }
    }
    let rest: Range<Int> = (row.blended.upperBound - first) * width * 3..<strip.count
    let target: Int = row.blended.upperBound * width * 3
    _ = UnsafeMutableBufferPointer(rebasing: pixels[target..<target + rest.count])
      .update(fromContentsOf: strip[rest])
  }

  private static func mix(_ old: UInt8, _ new: UInt8, _ weight: Int) -> UInt8 {
    let whole: Int = 2 * Tiling.ramp
    return UInt8((Int(old) * (whole - weight) + Int(new) * weight + whole / 2) / whole)
  }
}
