import CVision
import ModelTools

/// The text of a line.
struct ReadText {
  /// The characters, each with the column of the network's output at which it was read.
  let characters: [(text: String, column: Int)]
  /// The mean probability of the characters, 0 to 1.
  let confidence: Float
  /// The number of the output's columns that lie in the line.
  let columns: Double
  /// The direction in which the line is read in the picture.
  let direction: TextDirection

  /// The characters together.
  var string: String { characters.map(\.text).joined() }
}

/// Reads lines of text with PaddleOCR's recogniser: for each column of the picture, the network gives the probability
/// of each character, or of none.
///
/// **Source:** Graves et al., “Connectionist temporal classification”, 2006; Du et al., “SVTR”, arXiv:2205.00159.
enum TextRecognizer {
  /// The rows of the network's input.
  private static let rows = 48
  /// The width of the network's input divided by its height, at least.
  private static let leastRatio: Double = 320.0 / 48
  /// The longest line in columns of the network's input. Longer lines are squeezed.
  private static let mostColumns = 6400
  /// The number of lines with the same width of the network's input.
  private static let groupSize = 6

  /// Reads lines. The result is nil for lines without characters.
  ///
  /// The network sees the empty columns after a line, and reads spaces and some characters differently if there are more.
  /// So lines get RapidOCR's widths: six lines of similar ratios of width and height have the width of the longest one.
  ///
  /// - Parameter progress: Called before each line. It may throw to end the reading.
  static func read(_ lines: [TextCut], progress: () throws -> Void) throws -> [ReadText?] {
    var lines: [TextCut] = lines
    for index in lines.indices {
      try progress()
      if try UpsideDownText.isReversed(lines[index]) { lines[index] = lines[index].reversed() }
    }
    let order: [Int] = lines.indices.sorted {
      (lines[$0].ratio, $0) < (lines[$1].ratio, $1)
    }
    var texts = [ReadText?](repeating: nil, count: lines.count)
    for start in stride(from: 0, to: order.count, by: groupSize) {
      let group: ArraySlice<Int> = order[start..<min(start + groupSize, order.count)]
      let ratio: Double = group.reduce(leastRatio) { max($0, lines[$1].ratio) }
      let columns = Int(min(Double(mostColumns), Double(rows) * ratio))
      for index in group {
        try progress()
        texts[index] = try read(lines[index], columns: columns)
      }
    }
    return texts
  }

  /// Reads a line at the left of an input with `columns` columns.
  private static func read(_ line: TextCut, columns: Int) throws -> ReadText? {
    let network: TextNetwork = try .opened(.textRecognition)
    let (used, shape, values) = try network.run(line, rows: rows, columns: columns)
    let classes: Int = network.characters.count + 2
    guard shape.count == 3, shape[2] == classes, values.count == shape[1] * classes else {
      throw TextNetwork.unexpected(.textRecognition)
    }
    var indices = [Int32](repeating: 0, count: shape[1])
    var largest = [Float](repeating: 0, count: shape[1])
    // Safe: there are shape[1] rows of `classes` numbers.
    cvision_largest(values, shape[1], classes, &indices, &largest)
    var characters: [(text: String, column: Int)] = []
    var sum: Float = 0
    for column in indices.indices where indices[column] != 0 {
      // A character that continues is one character.
      if column > 0, indices[column] == indices[column - 1] { continue }
      let index = Int(indices[column]) - 1
      characters.append(
        (index < network.characters.count ? network.characters[index] : " ", column))
      sum += largest[column]
    }
    guard !characters.isEmpty else { return nil }
    return ReadText(
      characters: characters, confidence: sum / Float(characters.count),
      columns: Double(shape[1]) * Double(used) / Double(columns), direction: line.direction)
  }
}

/// Finds lines that are upside down with PaddleOCR's classifier.
enum UpsideDownText {
  /// The rows of the network's input.
  private static let rows = 48
  /// The columns of the network's input. Longer lines are squeezed.
  private static let columns = 192
  /// The probability from which a line is upside down.
  private static let threshold: Float = 0.9

  /// Returns whether a line that runs to the right or to the left is upside down.
  static func isReversed(_ line: TextCut) throws -> Bool {
    let values: [Float] = try TextNetwork.opened(.textDirection)
      .run(line, rows: rows, columns: columns).values
    guard values.count == 2 else { throw TextNetwork.unexpected(.textDirection) }
    return values[1] > threshold
  }
}
