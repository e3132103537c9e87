import Graph
import Operators

/// A layer that is being read: its inputs, and the graph to which its operators are added.
struct CaffeContext: LayerContext {
  let layer: CaffeLayer
  let inputs: [Graph.ValueID]
  let builder: GraphBuilder

  var layerName: String { layer.name }

  /// Returns a non-negative index of an axis. A negative `axis` counts back from the last axis. `endsAllowed` also
  /// allows the index `rank`, after the last axis.
  func axis(_ axis: Int, rank: Int, endsAllowed: Bool = false) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis
    guard (0..<(endsAllowed ? rank + 1 : rank)).contains(resolved) else {
      throw invalid("the axis \(axis) does not exist, the input has \(rank) axes.")
    }
    return resolved
  }

  /// Computes `function(element, number)` for each element of a value.
  func number(_ function: BinaryFunction, _ value: Graph.ValueID, _ number: Float) throws
    -> Graph.ValueID
  {
    try add(BinaryFunctionOperator(function, number: number), value)
  }
}
