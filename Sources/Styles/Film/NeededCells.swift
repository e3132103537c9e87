import CFilm
import Imaging

/// The square cells of a frame that the network must paint.
struct NeededCells: Sendable {
  /// The side of a cell in samples of the motion.
  private static let samples = 8
  /// How often rectangles are divided. Eight parts are enough for edges and a few moving objects.
  private static let mostDivisions = 3

  /// 1 for each cell that the network must paint, and 0 for the others, row by row.
  let cells: [UInt8]
  /// The side of a cell in pixels.
  let side: Int
  private let across, down: Int
  private let size: PictureSize

  /// A rectangle of cells.
  private struct Box {
    var columns, rows: Range<Int>
  }

  /// Finds the cells.
  ///
  /// - Parameter keyOnly: Whether the network must paint all that the key painting does not show. Otherwise only what the
  ///   last painting does not show either.
  init(_ motion: ShotMotion, size: PictureSize, keyOnly: Bool) {
    self.size = size
    side = Self.samples * motion.key.factor
    (across, down) = ((size.width + side - 1) / side, (size.height + side - 1) / side)
    let foundAcross: Int = (motion.key.width + Self.samples - 1) / Self.samples
    let foundDown: Int = (motion.key.height + Self.samples - 1) / Self.samples
    var found = [UInt8](repeating: 0, count: foundAcross * foundDown)
    motion.step.withMotion { step in
      motion.key.withMotion { cf_find_needed(step, $0, Int64(Self.samples), &found) }
    }
    let least: UInt8 = keyOnly ? 1 : 2
    var cells = [UInt8](repeating: 0, count: across * down)
    for row in 0..<down {
      for column in 0..<across {
        // Pixels that make no sample are in the last cells.
        let index: Int = min(row, foundDown - 1) * foundAcross + min(column, foundAcross - 1)
        if found[index] >= least { cells[row * across + column] = 1 }
      }
    }
    self.cells = cells
  }

  /// Returns parts of the frame that contain all cells, and that cost little. If they cost about as much as the complete
  /// frame, returns that.
  ///
  /// - Parameter margin: How far the painting of a pixel depends on other pixels.
  func parts(margin: Int) -> [FramePart] {
    let whole = FramePart(whole: size)
    let parts: [FramePart] = cheapestParts(
      of: Box(columns: 0..<across, rows: 0..<down), margin: margin, divisions: Self.mostDivisions)
    return Double(Self.cost(parts)) > 0.85 * Double(whole.cost) ? [whole] : parts
  }

  private static func cost(_ parts: [FramePart]) -> Int { parts.reduce(0) { $0 + $1.cost } }

  private func cheapestParts(of box: Box, margin: Int, divisions: Int) -> [FramePart] {
    let (columns, rows) = counts(in: box)
    guard let across = Self.span(columns), let down = Self.span(rows) else { return [] }
    // The smallest rectangle with all needed cells of the box.
    let (left, top) = (box.columns.lowerBound, box.rows.lowerBound)
    let tight = Box(
      columns: left + across.lowerBound..<left + across.upperBound,
      rows: top + down.lowerBound..<top + down.upperBound)
    var best: [FramePart] = [
      FramePart(
        columns: pixels(tight.columns, of: size.width), rows: pixels(tight.rows, of: size.height),
        of: size, margin: margin)
    ]
    guard divisions > 0 else { return best }
    for (one, other) in Self.halves(of: tight, Array(columns[across]), Array(rows[down])) {
      let both: [FramePart] =
        cheapestParts(of: one, margin: margin, divisions: divisions - 1)
        + cheapestParts(of: other, margin: margin, divisions: divisions - 1)
      if Self.cost(both) < Self.cost(best) { best = both }
    }
    return best
  }

  /// The pixels of cells, and those beside them to which the painting is blended.
  private func pixels(_ cells: Range<Int>, of length: Int) -> Range<Int> {
    max(0, cells.lowerBound * side - side / 2)..<min(length, cells.upperBound * side + side / 2)
  }

  /// From the first to the last index whose count is not zero. Nil if all are.
  private static func span(_ counts: [Int]) -> Range<Int>? {
    guard let first = counts.firstIndex(where: { $0 > 0 }),
      let last = counts.lastIndex(where: { $0 > 0 })
    else { return nil }
    return first..<last + 1
  }

  /// The numbers of needed cells in each column and in each row of a rectangle.
  private func counts(in box: Box) -> (columns: [Int], rows: [Int]) {
    var columns = [Int](repeating: 0, count: box.columns.count)
    var rows = [Int](repeating: 0, count: box.rows.count)
    for row in box.rows {
      for column in box.columns where cells[row * across + column] != 0 {
        columns[column - box.columns.lowerBound] += 1
        rows[row - box.rows.lowerBound] += 1
      }
    }
    return (columns, rows)
  }

  /// The divisions of a rectangle where the number of needed cells changes most: two between columns, two between rows.
  private static func halves(of box: Box, _ columns: [Int], _ rows: [Int]) -> [(Box, Box)] {
    func places(_ range: Range<Int>, _ counts: [Int]) -> [Int] {
      // The first of several equal changes.
      let jumps: [(place: Int, change: Int)] = range.dropFirst().map {
        let index: Int = $0 - range.lowerBound
        return ($0, abs(counts[index] - counts[index - 1]))
      }.sorted { $0.change != $1.change ? $0.change > $1.change : $0.place < $1.place }
      return jumps.prefix(2).map(\.place)
    }
    return places(box.columns, columns).map {
      (
        Box(columns: box.columns.lowerBound..<$0, rows: box.rows),
        Box(columns: $0..<box.columns.upperBound, rows: box.rows)
      )
    }
      + places(box.rows, rows).map {
        (
          Box(columns: box.columns, rows: box.rows.lowerBound..<$0),
          Box(columns: box.columns, rows: $0..<box.rows.upperBound)
        )
      }
  }
}
