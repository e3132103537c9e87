import Imaging

/// A rectangle of a frame that the network paints on its own.
struct FramePart: Sendable, Equatable {
  /// The pixels whose painting is used.
  let columns, rows: Range<Int>
  /// The pixels that go into the network. They include a margin, because the network paints pixels near the edge of its
  /// picture as if nothing was beyond.
  let inputColumns, inputRows: Range<Int>

  /// Parts begin at multiples of this number, so that layers with strides see the same rows and columns as in the frame.
  private static let step = 16
  /// The sides of what goes into the network, besides those of the frame. There are few, so that few plans paint all parts.
  private static let sides = [64, 96, 128, 192, 256, 384, 512, 768]

  /// Creates a part.
  ///
  /// - Parameter margin: How far the painting of a pixel depends on other pixels.
  init(columns: Range<Int>, rows: Range<Int>, of size: PictureSize, margin: Int) {
    self.columns = columns
    self.rows = rows
    inputColumns = Self.input(for: columns, of: size.width, margin: margin)
    inputRows = Self.input(for: rows, of: size.height, margin: margin)
  }

  /// Creates the part that is the complete frame.
  init(whole size: PictureSize) {
    (columns, rows) = (0..<size.width, 0..<size.height)
    (inputColumns, inputRows) = (columns, rows)
  }

  /// The length divided by `step` leaves the same rest as that of the frame, because layers with strides pad even and odd
  /// lengths differently.
  private static func input(for used: Range<Int>, of length: Int, margin: Int) -> Range<Int> {
    let first: Int = max(0, used.lowerBound - margin) / step * step
    let wanted: Int = min(length, used.upperBound + margin) - first
    guard let side = sides.first(where: { $0 + length % step >= wanted }),
      side + length % step < length
    else { return 0..<length }
    let count: Int = side + length % step
    let begin: Int = min(first, length - count)
    return begin..<begin + count
  }

  /// About how long the network takes for the part, in pixels. Networks add a margin of their own, and each run has a cost.
  var cost: Int { (inputColumns.count + 48) * (inputRows.count + 48) + 4096 }
}
