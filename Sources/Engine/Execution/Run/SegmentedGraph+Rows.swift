extension SegmentedGraph {
  /// Returns the segment of a node that works on the rows of a tensor without a plan. Such a node writes rows of any
  /// tensor, or reads the rows or the shape of a tensor whose first axis is dynamic. Returns nil for all other nodes.
  func rows(at position: Int, _ typed: Graph, _ forms: [TensorDescriptor?]) -> PlannedSegment? {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any RowOperator, node.outputs.count == 1,
      let list = forms[node.inputs[0].index], list.canExtend(along: 0),
      let action = operation.rowAction(ofRank: list.shape.rank)
    else { return nil }
    var inputs = [PlannedSegment.Input(value: node.inputs[0].index, form: list, axis: 0)]
    switch action {
    case .write(let grows):
      guard accepts(node, list, typed, forms) else { return nil }
      if grows { markDynamic([node.inputs[0], node.outputs[0]]) }
    case .read:
      guard node.inputs.count == 2, isDynamic(node.inputs[0]) else { return nil }
    case .measure:
      guard isDynamic(node.inputs[0]) else { return nil }
    }
    for input in node.inputs.dropFirst() {
      guard let form = forms[input.index] else { continue }
      inputs.append(PlannedSegment.Input(value: input.index, form: form))
    }
    return PlannedSegment(
      end: position + 1, inputs: inputs, outputs: [], released: released[position],
      kind: .rows(operation, action))
  }

  /// Returns whether the rows that a node writes have the shape and type of the tensor's rows.
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

  private func isDynamic(_ value: Graph.ValueID) -> Bool {
    found.withLock { $0.dynamicAxes.axes[value.index] == 0 }
  }

  private func markDynamic(_ values: [Graph.ValueID]) {
    found.withLock { found in
      for value in values { found.dynamicAxes.note(value.index, 0) }
    }
  }

  /// Marks lists: values whose first axis is dynamic, because a node or a loop's body appends rows. Also marks these
  /// values in the regions to which they are passed.
  func markLists() {
    for (position, node) in graph.nodes.enumerated() {
      if let operation = node.operation as? any RowOperator, !node.inputs.isEmpty,
        case .write(grows: true)? = operation.rowAction(ofRank: 1)
      {
        markDynamic([node.inputs[0]] + node.outputs)
      }
      for region in regions[position] { markLists(of: region, node, regions[position]) }
    }
  }

  /// For each argument of a region that is a list, marks the value of the surrounding graph that becomes this argument.
  /// For a loop, also marks the loop's output and the same argument of the loop's other regions.
  private func markLists(of region: SegmentedGraph, _ node: Graph.Node, _ all: [SegmentedGraph]) {
    let given = node.inputs.suffix(region.graph.inputs.count)
    for (index, pair) in zip(region.graph.inputs, given).enumerated()
    where region.isDynamic(pair.0) {
      markDynamic([pair.1])
      if case .loop? = node.control {
        if index < node.outputs.count { markDynamic([node.outputs[index]]) }
        for other in all where other.graph.inputs.count == region.graph.inputs.count {
          other.markDynamic([other.graph.inputs[index]])
        }
      }
    }
  }
}

extension Graph.Node {
  /// Whether the node writes rows of its first input.
  var writesRows: Bool {
    guard let operation = operation as? any RowOperator,
      case .write? = operation.rowAction(ofRank: 1)
    else { return false }
    return true
  }
}
