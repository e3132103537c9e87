import Graph
import Operators

extension StridedView {
  /// Returns the view of what some nodes make of the tensor, one after the other. Nil if that is no such view.
  func moved(along nodes: [Graph.Node], in graph: Graph) -> StridedView? {
    var view = self
    for node in nodes {
      guard let shape = graph[node.outputs[0]].type?.shape,
        let next = view.moved(by: node.operation, to: shape)
      else { return nil }
      view = next
    }
    return view
  }
}

extension Graph {
  /// Where the elements of a value lie in another value.
  struct MovedView {
    var source: Graph.ValueID
    var view: StridedView
    /// The nodes that make the value of the source, in order.
    var moves: [Graph.Node]
  }

  /// Returns from which value a value is made by moving elements alone, as far back as that gives a view. Nil if the shape
  /// of the value is not known.
  ///
  /// - Parameter writers: The position of the node that writes each value (``writers()``).
  func view(of value: Graph.ValueID, _ writers: [Int?]) -> MovedView? {
    var (moves, source): ([Graph.Node], Graph.ValueID) = ([], value)
    while let position = writers[source.index], nodes[position].inputs.count == 1,
      nodes[position].outputs.count == 1, nodes[position].operation is any MovingOperator
    {
      moves.insert(nodes[position], at: 0)
      source = nodes[position].inputs[0]
    }
    while true {
      guard let shape = self[source].type?.shape, shape.count > 0 else { return nil }
      if let view = StridedView(shape).moved(along: moves, in: self) {
        return MovedView(source: source, view: view, moves: moves)
      }
      // Something among the moves makes no view. A view may begin after it.
      source = moves.removeFirst().outputs[0]
    }
  }
}
