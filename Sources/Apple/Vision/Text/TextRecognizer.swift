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
  /// The least columns of the network's input.
  private static let leastColumns = 320
  /// Columns of the network's input are a multiple of this, so that lines of similar length share a plan.
  private static let columnStep = 64
  /// The longest line in columns of the network's input. Longer lines are squeezed.
  private static let mostColumns = 6400

  /// Reads a line. Returns nil if it has no characters.
  static func read(_ line: TextPage) throws -> ReadText? {
    let network: TextNetwork = try .opened(.textRecognition)
    let ratio = Double(line.width) / Double(line.height)
    let used = Int(min(Double(mostColumns), max(1, (Double(rows) * ratio).rounded(.up))))
    let columns: Int = max(leastColumns, (used + columnStep - 1) / columnStep * columnStep)
    let input: TextPage = line.scaled(width: used, height: rows)
    let (shape, values) = try network.run(rows: rows, columns: columns) {
      input.write(to: $0, columns: columns)
    }
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
      columns: Double(shape[1]) * Double(used) / Double(columns))
  }
}
