import Platform

extension SegmentedGraph {
  /// Returns a segment that starts at a position and serves many lengths of its dynamic axes. Nil if no axis is
  /// dynamic. A node whose results would change with the planned length is planned for its exact shapes. Such a node
  /// forms a separate segment, so that the neighbouring nodes need not be planned for exact shapes.
  func dynamicSegment(at position: Int, _ typed: Graph, _ forms: [TensorDescriptor?]) throws
    -> PlannedSegment?
  {
    let dynamicAxes: DynamicAxes = found.withLock { found in
      found.dynamicAxes.learn(from: found.segments[position], forms)
      return found.dynamicAxes
    }
    if dynamicAxes.isNone { return nil }
    if let join = join(at: position, typed, forms, dynamicAxes) { return join }
    let inference = DynamicAxisInference(typed, from: position, dynamicAxes, forms)
    var segment: PlannedSegment?
    if inference.end > position, inference.extent == nil {
      segment = try plan(position..<inference.end, of: inference.exact, forms)
    } else if inference.end > position {
      do {
        segment = try large(position..<inference.end, inference, forms)
      } catch let error as EngineError where error.code == .outOfMemory {
        // Continues without this segment, because a plan for the exact shapes may fit.
      }
    }
    if let segment {
      found.withLock { found in
        for output in segment.outputs {
          if let axis = output.axis { found.dynamicAxes.note(output.value, axis) }
        }
      }
      return segment
    }
    guard graph.nodes[position].inputs.contains(where: { dynamicAxes.axes[$0.index] != nil }) else {
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

  /// Plans nodes for the length rounded up to a power of two. Returns nil if the memory of a longer output would not
  /// start with the memory of a shorter one (``TensorDescriptor/canExtend(along:)``), or if an output is not in
  /// external memory.
  private func large(
    _ range: Range<Int>, _ inference: DynamicAxisInference, _ forms: [TensorDescriptor?]
  ) throws
    -> PlannedSegment?
  {
    var larger = forms
    for (value, axis) in inference.axes {
      guard let extent = inference.large[Graph.ValueID(value)].type?.shape[axis] else { continue }
      larger[value] = larger[value]?.with(extent, along: axis)
    }
    let segment = try plan(range, of: inference.large, larger, dynamicOn: inference.axes)
    for output in segment.outputs {
      guard let axis = output.axis else { continue }
      guard case .external = output.location.place, output.location.form.canExtend(along: axis)
      else {
        return nil
      }
    }
    return segment
  }

  /// Returns the segment of a node that concatenates tensors along the dynamic axis of one of them.
  private func join(
    at position: Int, _ typed: Graph, _ forms: [TensorDescriptor?], _ dynamicAxes: DynamicAxes
  ) -> PlannedSegment? {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any JoiningOperator, node.outputs.count == 1,
      let first = forms[node.inputs[0].index],
      let axis = operation.joinedAxis(ofRank: first.shape.rank), first.canExtend(along: axis),
      node.inputs.contains(where: { dynamicAxes.axes[$0.index] == axis })
    else { return nil }
    var inputs: [PlannedSegment.Input] = []
    for input in node.inputs {
      guard let form = forms[input.index], form.isLike(first, butAlong: axis),
        form.canExtend(along: axis)
      else { return nil }
      inputs.append(PlannedSegment.Input(value: input.index, form: form, axis: axis))
    }
    found.withLock { $0.dynamicAxes.note(node.outputs[0].index, axis) }
    let output = PlannedSegment.Output(
      value: node.outputs[0].index, type: TensorType(first.shape, first.storage),
      location: Plan.Location(form: first, place: .external(0)), axis: axis)
    return PlannedSegment(
      end: position + 1, inputs: inputs, outputs: [output], released: released[position],
      kind: .join(axis: axis))
  }
}
