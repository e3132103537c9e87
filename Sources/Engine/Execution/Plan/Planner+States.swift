extension Planner {
  /// Makes the plan end each run with every state in the memory in which the state started. If the operator that
  /// updates a state does not write in place, adds a call that copies the new value at the end of the run. If this copy
  /// would overwrite an output, first adds a call that copies the output to other memory.
  ///
  /// - Returns: The new locations of the outputs that moved, by position.
  mutating func restoreStates() throws -> [Int: PlacedTensor] {
    guard case .own = boundary, !graph.states.isEmpty else { return [:] }
    var stateBuffers: [MemoryPlanner.BufferID: Int?] = [:]
    var moves: [(output: Int, initial: PlacedTensor)] = []
    for state in graph.states {
      let initial: PlacedTensor = try primary(graph.inputs[state.input])
      guard case .buffer(let buffer) = initial.place else { continue }
      stateBuffers[buffer] = .some(state.output)
      guard let output = state.output else { continue }
      let made: PlacedTensor = try primary(graph.outputs[output])
      if made.isPlaced(in: buffer), made.form.isSameMemory(as: initial.form) {
        stateBuffers[buffer] = .some(nil)
      } else {
        moves.append((output, initial))
      }
    }
    var moved: [Int: PlacedTensor] = [:]
    for (position, value) in graph.outputs.enumerated() {
      let held: PlacedTensor = try primary(value)
      guard case .buffer(let buffer) = held.place, case .some(.some) = stateBuffers[buffer] else {
        continue
      }
      moved[position] = try copied(held, value)
    }
    for move in moves {
      let value: Graph.ValueID = graph.outputs[move.output]
      try copy(moved[move.output] ?? primary(value), to: move.initial, value)
      moved[move.output] = move.initial
    }
    return moved
  }

  private mutating func copied(_ source: PlacedTensor, _ value: Graph.ValueID) throws
    -> PlacedTensor
  {
    let time = pending.count + 1
    let buffer = addBuffer(source.form.byteCount, for: nil, from: time)
    let target = PlacedTensor(form: source.form, place: .buffer(buffer))
    try copy(source, to: target, value)
    return target
  }

  private mutating func copy(
    _ source: PlacedTensor, to target: PlacedTensor, _ value: Graph.ValueID
  ) throws {
    let (time, name) = (pending.count + 1, graph[value].name)
    use(source, at: time)
    use(target, at: time)
    if source.form.isSameMemory(as: target.form) {
      let size: Int = target.form.byteCount
      // Safe: both memories have the form's size.
      let step = ClosureStep { $0.outputs[0].copyMemory(from: $0.inputs[0], byteCount: size) }
      let kernel = Kernel(step, inputs: [source.form], outputs: [target.form])
      return append("copy", name, "Copy", kernel, [source], [target])
    }
    guard let kernel = try Kernel.reorder(from: source.form, to: target.form) else {
      throw EngineError(
        .unsupported,
        "the state tensor '\(name)' is \(source.form), which cannot become \(target.form).")
    }
    append("reorder", name, "Reorder", kernel, [source], [target])
  }
}
