import Platform

extension SegmentedGraph {
  /// The segment from a position on that serves more lengths than those of the values that are there; nil
  /// where nothing grows. Nodes whose answers would change with the length of a plan are planned for
  /// their exact shapes, apart from their neighbours, which then need not be.
  func growing(at position: Int, _ typed: Graph, _ forms: [TensorDescriptor?]) throws
    -> PlannedSegment?
  {
    let growth: Growth = found.withLock { found in
      found.growth.learn(from: found.segments[position], forms)
      return found.growth
    }
    if growth.isNone { return nil }
    if let join = join(at: position, typed, forms, growth) { return join }
    let walk = GrowthWalk(typed, from: position, growth, forms)
    var segment: PlannedSegment?
    if walk.end > position, walk.extent == nil {
      segment = try plan(position..<walk.end, of: walk.exact, forms)
    } else if walk.end > position {
      do {
        segment = try large(position..<walk.end, walk, forms)
      } catch let error as EngineError where error.code == .outOfMemory {
        // The exact shapes may fit.
      }
    }
    if let segment {
      found.withLock { found in
        for output in segment.outputs {
          if let axis = output.axis { found.growth.note(output.value, axis) }
        }
      }
      return segment
    }
    guard graph.nodes[position].inputs.contains(where: { growth.axes[$0.index] != nil }) else {
      return nil
    }
    var exact = typed
    var end = try self.end(of: &exact, from: position)
    if let next = graph.nodes[position...].dropFirst().firstIndex(where: { node in
      node.operation is any ElementwiseOperator || node.operation is any JoiningOperator
    }) {
      end = min(end, next)
    }
    return end > position ? try plan(position..<end, of: exact, forms) : nil
  }

  /// Nodes planned for the next power of two; nil where the plan would not keep the rows in order.
  private func large(_ range: Range<Int>, _ walk: GrowthWalk, _ forms: [TensorDescriptor?]) throws
    -> PlannedSegment?
  {
    var larger = forms
    for (value, axis) in walk.axes {
      guard let extent = walk.large[Graph.ValueID(value)].type?.shape[axis] else { continue }
      larger[value] = larger[value]?.with(extent, along: axis)
    }
    let segment = try plan(range, of: walk.large, larger, growingOn: walk.axes)
    for output in segment.outputs {
      guard let axis = output.axis else { continue }
      guard case .external = output.location.place, output.location.form.grows(along: axis) else {
        return nil
      }
    }
    return segment
  }

  /// A node that puts tensors one after the other along the axis on which one of them grows.
  private func join(
    at position: Int, _ typed: Graph, _ forms: [TensorDescriptor?], _ growth: Growth
  ) -> PlannedSegment? {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any JoiningOperator, node.outputs.count == 1,
      let first = forms[node.inputs[0].index],
      let axis = operation.joinedAxis(ofRank: first.shape.rank), first.grows(along: axis),
      node.inputs.contains(where: { growth.axes[$0.index] == axis })
    else { return nil }
    var inputs: [PlannedSegment.Input] = []
    for input in node.inputs {
      guard let form = forms[input.index], form.isLike(first, butAlong: axis),
        form.grows(along: axis)
      else { return nil }
      inputs.append(PlannedSegment.Input(value: input.index, form: form, axis: axis))
    }
    found.withLock { $0.growth.note(node.outputs[0].index, axis) }
    let output = PlannedSegment.Output(
      value: node.outputs[0].index, type: TensorType(first.shape, first.storage),
      location: Plan.Location(form: first, place: .external(0)), axis: axis)
    return PlannedSegment(
      end: position + 1, inputs: inputs, outputs: [output], released: released[position],
      kind: .join(axis: axis))
  }
}
