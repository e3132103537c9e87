extension Planner {
  /// Returns the value in the wanted form. Inserts a reorder if the value does not exist in this form yet.
  mutating func hold(
    _ value: Graph.ValueID, as wanted: TensorDescriptor, for reader: String
  ) throws -> PlacedTensor {
    if let held = forms[value.index].first(where: { $0.form.isSameMemory(as: wanted) }) {
      return PlacedTensor(form: wanted, place: held.place)
    }
    if let constant = graph[value].constant, forms[value.index].isEmpty || isConstant(value) {
      let held = PlacedTensor(form: wanted, place: .constant(hold(constant, as: wanted)))
      forms[value.index].append(held)
      return held
    }
    let held = try reorder(
      try primary(value), of: value, as: wanted, named: graph[value].name, for: reader)
    forms[value.index].append(held)
    return held
  }

  /// Returns an input that a call may overwrite: the input itself if nothing else needs the input's memory, else a
  /// copy.
  mutating func own(_ inputs: [PlacedTensor], _ position: Int, for reader: String) throws
    -> PlacedTensor
  {
    let held = inputs[position]
    if case .buffer(let buffer) = held.place, externals[buffer] == nil, !isNeeded(buffer),
      !inputs.indices.contains(where: { $0 != position && inputs[$0].isPlaced(in: buffer) })
    {
      return held
    }
    return try reorder(held, of: nil, as: held.form, named: reader, for: reader)
  }

  /// Adds a call that copies a value to a new buffer in the form `wanted`.
  private mutating func reorder(
    _ source: PlacedTensor, of value: Graph.ValueID?, as wanted: TensorDescriptor,
    named name: String,
    for reader: String
  ) throws -> PlacedTensor {
    guard let kernel = try Kernel.reorder(from: source.form, to: wanted) else {
      throw EngineError(
        .unsupported, "'\(reader)' cannot read \(source.form) as \(wanted): no reorder does that.")
    }
    let time = pending.count + 1
    use(source, at: time)
    let buffer = addBuffer(wanted.byteCount, for: value, from: time)
    let held = PlacedTensor(form: wanted, place: .buffer(buffer))
    append("reorder", name, "Reorder", kernel, [source], [held])
    return held
  }

  mutating func primary(_ value: Graph.ValueID) throws -> PlacedTensor {
    if let held = forms[value.index].first { return held }
    guard let constant = graph[value].constant else {
      throw EngineError(.invalidModel, "'\(graph[value].name)' is read but nothing makes it.")
    }
    let form = TensorDescriptor(constant.shape, constant.type.element)
    let held = PlacedTensor(form: form, place: .constant(hold(constant, as: form)))
    forms[value.index] = [held]
    return held
  }

  /// Returns the form in which a value is offered to kernels. It is the form that the value's producer wrote. A
  /// constant that nothing reads yet is offered dense, which takes no memory. `float32` values that are in memory in a
  /// narrower type are offered as `float32`.
  func offered(_ value: Graph.ValueID) throws -> TensorDescriptor {
    if let held = forms[value.index].first {
      var form: TensorDescriptor = held.form
      if narrowType(of: value) != nil { form.storage = .float32 }
      return form
    }
    guard let constant = graph[value].constant else {
      throw EngineError(.invalidModel, "'\(graph[value].name)' is read but nothing makes it.")
    }
    return TensorDescriptor(constant.shape, constant.type.element)
  }

  /// Returns the type in which a value is in memory if the value has the type `float32` in the graph but is in memory as
  /// integers of 0 to 255 or as `float16`. Nil for other values.
  func narrowType(of value: Graph.ValueID) -> ElementType? {
    guard let storage = forms[value.index].first?.form.storage,
      storage == .uint8 || storage == .float16, graph[value].type?.element == .float32
    else { return nil }
    return storage
  }

  func isConstant(_ value: Graph.ValueID) -> Bool {
    if case .constant? = forms[value.index].first?.place { return true }
    return false
  }

  /// Returns the position of a constant in this form among the plan's constants. Adds the constant if it is missing.
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

  mutating func use(_ held: PlacedTensor, at time: Int) {
    if case .buffer(let buffer) = held.place { memory.use(buffer, at: time) }
  }
}
