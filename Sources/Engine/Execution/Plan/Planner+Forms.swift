extension Planner {
  /// The value in the wanted form, reordered when it is not there yet.
  mutating func hold(
    _ value: Graph.ValueID, as wanted: TensorDescriptor, for reader: String
  ) throws -> Held {
    if let held = forms[value.index].first(where: { $0.form.isSameMemory(as: wanted) }) {
      return Held(form: wanted, place: held.place)
    }
    if let constant = graph[value].constant, forms[value.index].isEmpty || isConstant(value) {
      let held = Held(form: wanted, place: .constant(hold(constant, as: wanted)))
      forms[value.index].append(held)
      return held
    }
    let held = try reorder(
      try primary(value), of: value, as: wanted, named: graph[value].name, for: reader)
    forms[value.index].append(held)
    return held
  }

  /// An input of a call that writes into it: itself where nobody else needs its memory, else a copy.
  mutating func own(_ inputs: [Held], _ position: Int, for reader: String) throws -> Held {
    let held = inputs[position]
    if case .buffer(let buffer) = held.place, externals[buffer] == nil, !isNeeded(buffer),
      !inputs.indices.contains(where: { $0 != position && inputs[$0].lies(in: buffer) })
    {
      return held
    }
    return try reorder(held, of: nil, as: held.form, named: reader, for: reader)
  }

  /// A new buffer with what lies in another one or in another form.
  private mutating func reorder(
    _ source: Held, of value: Graph.ValueID?, as wanted: TensorDescriptor, named name: String,
    for reader: String
  ) throws -> Held {
    guard let kernel = try Kernel.reorder(from: source.form, to: wanted) else {
      throw EngineError(
        .unsupported, "'\(reader)' cannot read \(source.form) as \(wanted): no reorder does that.")
    }
    let time = pending.count + 1
    use(source, at: time)
    let buffer = addBuffer(wanted.byteCount, for: value, from: time)
    let held = Held(form: wanted, place: .buffer(buffer))
    append("reorder", name, "Reorder", kernel, [source], [held])
    return held
  }

  mutating func primary(_ value: Graph.ValueID) throws -> Held {
    if let held = forms[value.index].first { return held }
    guard let constant = graph[value].constant else {
      throw EngineError(.invalidModel, "'\(graph[value].name)' is read but nothing makes it.")
    }
    let form = TensorDescriptor(constant.shape, constant.type.element)
    let held = Held(form: form, place: .constant(hold(constant, as: form)))
    forms[value.index] = [held]
    return held
  }

  /// The form in which a value is offered to kernels: that of its producer; constants that nobody reads yet
  /// are offered dense, and take no memory by that. Bytes that stand for `float32` are offered as such.
  func offered(_ value: Graph.ValueID) throws -> TensorDescriptor {
    if let held = forms[value.index].first {
      var form: TensorDescriptor = held.form
      if isHeldInBytes(value) { form.storage = .float32 }
      return form
    }
    guard let constant = graph[value].constant else {
      throw EngineError(.invalidModel, "'\(graph[value].name)' is read but nothing makes it.")
    }
    return TensorDescriptor(constant.shape, constant.type.element)
  }

  /// Whether a value that the graph states as `float32` lies in memory as whole numbers of 0 to 255.
  func isHeldInBytes(_ value: Graph.ValueID) -> Bool {
    forms[value.index].first?.form.storage == .uint8 && graph[value].type?.element == .float32
  }

  func isConstant(_ value: Graph.ValueID) -> Bool {
    if case .constant? = forms[value.index].first?.place { return true }
    return false
  }

  /// A constant's values in a form, as one of the plan's constants.
  mutating func hold(_ constant: Constant, as form: TensorDescriptor) -> Int {
    let position: Int = addWeight(weights.tensor(constant, as: form))
    tensorConstants.insert(position)
    return position
  }

  mutating func addWeight(_ weight: PackedWeight) -> Int {
    let key = ObjectIdentifier(weight)
    if let known = positions[key] { return known }
    plan.constants.append(weight)
    positions[key] = plan.constants.count - 1
    return plan.constants.count - 1
  }

  func knownType(_ value: Graph.ValueID) throws -> TensorType {
    guard let type = graph[value].type else {
      throw EngineError(
        .unsupported, "the shape of '\(graph[value].name)' depends on data; it cannot be planned.")
    }
    return type
  }

  mutating func use(_ held: Held, at time: Int) {
    if case .buffer(let buffer) = held.place { memory.use(buffer, at: time) }
  }
}
