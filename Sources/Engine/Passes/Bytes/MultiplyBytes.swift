import Graph
import Operators

/// Computes matrix products and convolutions of 8-bit quantised values with integer arithmetic:
///
///     dequantize(x) ─ convolution ─ activation ─ quantize      convolution of bytes
///     dequantize(weights) ┘
///
/// A graph from any file format expresses quantisation as plain arithmetic: division by a scale, rounding, addition of
/// a zero point, clipping to a range, and the inverse of these steps. The operators of this arithmetic differ between
/// formats. The pass follows a value through this arithmetic while its elements have the form `scale · (q − zero)`,
/// where `q` is an integer from a range of at most 256 integers. It also follows values through operators that move
/// elements, through maximum pooling and through nearest-neighbour upsampling. So the pass makes the same operators for
/// all formats.
///
/// A network may round a sum to float16 before it quantises the sum. The pass drops such a rounding, because a float16
/// type in the file states only the minimum precision.
///
/// The pass runs after the passes that fold padding and upsampling into convolutions, and before the passes that fuse
/// other operators into convolutions.
public enum MultiplyBytes: GraphPass {
  public static let name = "MultiplyBytes"
  public static let needsInt8DotProduct = true

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

/// The description of a quantised value. Each element is `scale · (q − zero)` for an integer `q` in a range.
struct QuantizedValue {
  /// The base value. Its elements have the same bytes as the elements of this value. The base value is the output of a
  /// clip, which holds the integers `q`, or of a node that moves quantised elements.
  var base: Graph.ValueID
  /// The scale: the difference between the real numbers that `q` and `q + 1` represent.
  var scale: Float
  /// The zero point: the integer `q` that represents the real number 0.
  var zero: Int
  /// The range of `q`. It has at most 256 integers.
  var range: ClosedRange<Int>

  /// Returns whether this value and `other` have the same scale, zero point and range.
  func agrees(with other: QuantizedValue) -> Bool {
    scale == other.scale && zero == other.zero && range == other.range
  }
}
