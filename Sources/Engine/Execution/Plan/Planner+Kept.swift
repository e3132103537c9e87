extension Planner {
  /// Lets what is kept between runs end in the memory in which it began: where an operator has not taken that
  /// over, what it made is copied there, after all else. Outputs that would be overwritten by that are moved away
  /// first.
  ///
  /// - Returns: where outputs are then, by position, as far as they have moved.
  mutating func settleKept() throws -> [Int: Held] {
    guard case .own = border, !graph.kept.isEmpty else { return [:] }
    var homes: [MemoryPlanner.BufferID: Int?] = [:]
    var moves: [(output: Int, home: Held)] = []
    for kept in graph.kept {
      let home: Held = try primary(graph.inputs[kept.input])
      guard case .buffer(let buffer) = home.place else { continue }
      homes[buffer] = .some(kept.output)
      guard let output = kept.output else { continue }
      let made: Held = try primary(graph.outputs[output])
      if made.lies(in: buffer), made.form.isSameMemory(as: home.form) {
        homes[buffer] = .some(nil)
      } else {
        moves.append((output, home))
      }
    }
    var settled: [Int: Held] = [:]
    for (position, value) in graph.outputs.enumerated() {
      let held: Held = try primary(value)
      guard case .buffer(let buffer) = held.place, case .some(.some) = homes[buffer] else {
        continue
      }
      settled[position] = try copied(held, value)
    }
    for move in moves {
      let value: Graph.ValueID = graph.outputs[move.output]
      try copy(settled[move.output] ?? primary(value), to: move.home, value)
      settled[move.output] = move.home
    }
    return settled
  }

  private mutating func copied(_ source: Held, _ value: Graph.ValueID) throws -> Held {
    let time = pending.count + 1
    let buffer = addBuffer(source.form.byteCount, for: nil, from: time)
    let target = Held(form: source.form, place: .buffer(buffer))
    try copy(source, to: target, value)
    return target
  }

  private mutating func copy(_ source: Held, to target: Held, _ value: Graph.ValueID) throws {
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
        "the kept tensor '\(name)' is \(source.form), which cannot become \(target.form).")
    }
    append("reorder", name, "Reorder", kernel, [source], [target])
  }
}
