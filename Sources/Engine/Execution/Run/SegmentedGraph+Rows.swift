extension SegmentedGraph {
  /// A node that works on the rows of a tensor without a plan: one that writes rows, or reads those of a
  /// tensor that grows; nil for others.
  func rows(at position: Int, _ typed: Graph, _ forms: [TensorDescriptor?]) -> PlannedSegment? {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any RowOperator, node.outputs.count == 1,
      let list = forms[node.inputs[0].index], list.grows(along: 0),
      let action = operation.rowAction(ofRank: list.shape.rank)
    else { return nil }
    var inputs = [PlannedSegment.Input(value: node.inputs[0].index, form: list, axis: 0)]
    switch action {
    case .write(let grows):
      guard accepts(node, list, typed, forms) else { return nil }
      if grows { note([node.inputs[0], node.outputs[0]]) }
    case .read:
      guard node.inputs.count == 2, growing(node.inputs[0]) else { return nil }
    case .measure:
      guard growing(node.inputs[0]) else { return nil }
    }
    for input in node.inputs.dropFirst() {
      guard let form = forms[input.index] else { continue }
      inputs.append(PlannedSegment.Input(value: input.index, form: form))
    }
    return PlannedSegment(
      end: position + 1, inputs: inputs, outputs: [], released: released[position],
      kind: .rows(operation, action))
  }

  /// Whether the rows that a node writes fit the tensor.
  private func accepts(
    _ node: Graph.Node, _ list: TensorDescriptor, _ typed: Graph, _ forms: [TensorDescriptor?]
  ) -> Bool {
    guard node.inputs.count == 3 else { return false }
    let types: [TensorType?] = node.inputs.dropFirst().map { input in
      forms[input.index].map { TensorType($0.shape, $0.storage) } ?? graph[input].constant?.type
    }
    guard let indices = types[0], let rows = types[1], indices.shape.count > 0,
      indices.shape.rank <= 1, rows.element == list.storage
    else { return false }
    return rows.shape.dimensions
      == indices.shape.dimensions + Array(list.shape.dimensions.dropFirst())
  }

  private func growing(_ value: Graph.ValueID) -> Bool {
    found.withLock { $0.growth.axes[value.index] == 0 }
  }

  private func note(_ values: [Graph.ValueID]) {
    found.withLock { found in
      for value in values { found.growth.note(value.index, 0) }
    }
  }

  /// Notes the values that grow because a node or a loop's body writes rows after their last one, in the
  /// regions that are given them too.
  func noteLists() {
    for (position, node) in graph.nodes.enumerated() {
      if let operation = node.operation as? any RowOperator, !node.inputs.isEmpty,
        case .write(grows: true)? = operation.rowAction(ofRank: 1)
      {
        note([node.inputs[0]] + node.outputs)
      }
      for region in regions[position] { noteLists(of: region, node, regions[position]) }
    }
  }

  /// Notes what grows in one region of a node around it and in the other regions.
  private func noteLists(of region: SegmentedGraph, _ node: Graph.Node, _ all: [SegmentedGraph]) {
    let given = node.inputs.suffix(region.graph.inputs.count)
    for (place, pair) in zip(region.graph.inputs, given).enumerated()
    where region.growing(pair.0) {
      note([pair.1])
      if case .loop? = node.control {
        if place < node.outputs.count { note([node.outputs[place]]) }
        for other in all where other.graph.inputs.count == region.graph.inputs.count {
          other.note([other.graph.inputs[place]])
        }
      }
    }
  }
}

extension Graph.Node {
  /// Whether it writes rows of its first input.
  var writesRows: Bool {
    guard let operation = operation as? any RowOperator,
      case .write? = operation.rowAction(ofRank: 1)
    else { return false }
    return true
  }
}
