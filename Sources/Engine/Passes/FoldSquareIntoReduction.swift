import Graph
import Operators

/// A sum over products of a value with itself becomes a sum of squares, which reads the value once
/// and writes no squares. Networks that spell out instance norm hold one of these a norm.
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
  /// The value whose square this node computes, and nothing else.
  package var squaredValue: Graph.ValueID? {
    if let product = operation as? MultiplyOperator, product.inputCount == 2, inputs[0] == inputs[1]
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
