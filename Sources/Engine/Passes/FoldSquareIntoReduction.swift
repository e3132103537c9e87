import Graph
import Operators

/// Replaces an operator that multiplies a value by itself, and the operator that sums these squares, by a single
/// operator that computes a sum of squares. The new operator reads the value once and stores no squares. Networks that
/// decompose instance norms contain one such sum per norm.
///
///     x ═ multiply ─ reduce(sum)            x ─ reduce(sum of squares)
public enum FoldSquareIntoReduction: GraphPass {
  public static let name = "FoldSquareIntoReduction"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      var node = graph[position]
      guard let reduction = node.operation as? ReduceOperator, reduction.mode == .sum,
        let producer = graph.soleProducer(of: node.inputs[0]),
        let squared = graph[producer].squaredValue, graph.isFloat32(graph[producer])
      else { return false }
      node.operation = ReduceOperator(.sumOfSquares, axes: reduction.axes)
      node.inputs = [squared]
      graph.remove(producer)
      graph.replace(position, with: node)
      return true
    }
  }
}

extension Graph.Node {
  /// The value that this node squares. Nil if the node computes something else.
  package var squaredValue: Graph.ValueID? {
    if let product = operation as? MultiplyOperator, product.inputCount == 2, inputs[0] == inputs[1]
    {
      return inputs[0]
    }
    if let product = operation as? BinaryFunctionOperator, product.function == .multiply,
      inputs.count == 2, inputs[0] == inputs[1]
    {
      return inputs[0]
    }
    if let power = operation as? UnaryOperator, power.function == .power(alpha: 2),
      power.scale == 1,
      power.shift == 0
    {
      return inputs[0]
    }
    return nil
  }
}
