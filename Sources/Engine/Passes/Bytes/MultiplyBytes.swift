import Graph
import Operators

/// Products of codes of 8 bits are computed with the codes themselves, in whole numbers, and make codes again:
///
///     dequantize(x) ─ convolution ─ activation ─ quantize      convolution of bytes
///     dequantize(weights) ┘
///
/// Readers state codes in plain arithmetic, each format its own: divided by a scale, rounded, moved by a zero
/// point, kept to a range, and back. Followed through it are values that are among
/// `scale · (code − zero)` for 256 codes at most, also where they are moved to other places or the
/// largest of a window is taken. What stands for a product's codes is the same number, whichever format wrote
/// it; roundings to float16 between sums and codes go, as the type that is written is the least precision.
///
/// Runs after padding has become the convolution's own and before anything else has.
public enum MultiplyBytes: GraphPass {
  public static let name = "MultiplyBytes"
  public static let needsByteProducts = true

  public static func run(on graph: inout Graph) throws {
    let rounds: Bool = graph.nodes.contains {
      ($0.operation as? UnaryFunctionOperator)?.function == .round
    }
    guard rounds else { return }
    var rewriting = ByteRewriting(graph)
    guard try rewriting.run() else { return }
    graph = rewriting.finished()
    try RemoveDeadCode.run(on: &graph)
  }
}

/// What a value is known to be: `scale · (code − zero)`, for whole codes of a range.
struct CodedValue {
  /// The value whose elements are the codes, or stand at the codes' places.
  var base: Graph.ValueID
  var scale: Float
  var zero: Int
  /// The codes; no more than 256 numbers.
  var codes: ClosedRange<Int>

  /// Whether two values have the same meaning of codes.
  func agrees(with other: CodedValue) -> Bool {
    scale == other.scale && zero == other.zero && codes == other.codes
  }
}
