/// Makes a plan of a graph with known types.
///
/// Walks the nodes once. For each node, the planner takes the kernel that was measured to be the fastest, or asks the
/// candidates in their order. If a kernel needs an input in a form that does not exist yet, the planner inserts a
/// reorder before the call. Later calls that need the same form read the reorder's result. Outputs share memory with
/// inputs if the kernel allows it. Finally, the planner places all buffers by their lifetimes.
struct Planner {
  let graph: Graph
  let options: ExecutionOptions
  let weights: PackedWeights
  let boundary: Boundary
  /// The fastest measured kernels, by the index of their node's first output.
  let choices: [Int: KernelChoice]
  var plan = PlannedRun()
  var memory = MemoryPlanner()
  /// The forms in which each value exists, by the value's index. The first form is that of the value's producer.
  var forms: [[PlacedTensor]]
  var remainingReads: [Int]
  /// The values in each buffer: the value that a call wrote there, and views of that value.
  var valuesInBuffer: [[Graph.ValueID]] = []
  /// The buffers outside the arena, with their positions among the plan's external memories.
  var externals: [MemoryPlanner.BufferID: Int] = [:]

  /// Which memory holds the inputs and outputs.
  enum Boundary {
    /// The session's memory, in forms that the planner chooses. States are in memory that the caller binds to the
    /// session.
    case own
    /// Memory that the caller supplies for each run: inputs in these forms, outputs with the graph's element types.
    case given([TensorDescriptor])
  }

  /// A value in one form, and its memory.
  struct PlacedTensor {
    var form: TensorDescriptor
    var place: Holder

    func isPlaced(in buffer: MemoryPlanner.BufferID) -> Bool { place == .buffer(buffer) }
  }

  enum Holder: Equatable {
    case buffer(MemoryPlanner.BufferID)
    case constant(Int)
    /// No memory: the kernel has packed the value.
    case nowhere
  }

  struct PendingCall {
    var call: Plan.Call
    var inputs: [PlacedTensor]
    var outputs: [PlacedTensor]
    var scratch: MemoryPlanner.BufferID?
    /// The positions of the kernel's packed weights among the plan's constants.
    var weights: [Int] = []
  }

  var pending: [PendingCall] = []
  /// The position of each packed weight among the plan's constants.
  var positions: [ObjectIdentifier: Int] = [:]
  /// The positions of constants that are read as tensors. Sessions store the addresses of these constants.
  var tensorConstants: Set<Int> = []

  /// Plans the graph. Throws if a layer has no kernel for its shapes or sizes overflow. Does not pack weights:
  /// ``PlannedRun/prepareWeights()`` does.
  ///
  /// - Parameter packsForEachCall: Whether each call packs its kernel's weights before the call runs and releases the
  ///   weights afterwards. If true, these weights never take more memory than those of the largest call, but every run
  ///   takes time to pack them.
  static func plan(
    _ graph: Graph, options: ExecutionOptions, boundary: Boundary = .own,
    weights: PackedWeights = PackedWeights(), choices: [Int: KernelChoice] = [:],
    packsForEachCall: Bool = false
  ) throws -> PlannedRun {
    // A oneDNN primitive stores the team size that is set when it is created. The primitive's scratch memory and order
    // of summation depend on that size.
    try TeamSize.with(options.threads) {
      try MemoryBudget(options).check(graph)
      var planner = Planner(
        graph, options: options, boundary: boundary, weights: weights, choices: choices)
      try planner.run()
      if packsForEachCall { planner.makeWeightsTransient() }
      return planner.plan
    }
  }

  private init(
    _ graph: Graph, options: ExecutionOptions, boundary: Boundary, weights: PackedWeights,
    choices: [Int: KernelChoice]
  ) {
    self.graph = graph
    self.choices = choices
    self.weights = weights
    self.options = options
    self.boundary = boundary
    forms = [[PlacedTensor]](repeating: [], count: graph.values.count)
    remainingReads = graph.readers().map(\.count)
    for output in graph.outputs { remainingReads[output.index] += 1 }
    // Inputs belong to the caller, who may read them later, so nothing may overwrite them.
    if case .given = boundary { for input in graph.inputs { remainingReads[input.index] += 1 } }
    // A state without an output must not change.
    for state in graph.states where state.output == nil {
      remainingReads[graph.inputs[state.input].index] += 1
    }
  }

  private mutating func run() throws {
    plan.threads = options.threads
    try addInputs()
    for node in graph.nodes { try add(node) }
    let moved: [Int: PlacedTensor] = try restoreStates()
    let outputs: [(String, PlacedTensor, Graph.ImagePort?)] = try graph.outputs.enumerated().map {
      position, value in
      (graph[value].name, try moved[position] ?? finalForm(of: value), graph.imageOutputs[value])
    }
    for (_, held, _) in outputs {
      if case .buffer(let buffer) = held.place { keep(buffer) }
    }
    try memory.place()
    plan.arenaByteCount = memory.byteCount
    plan.calls = pending.map(finished)
    plan.outputs = outputs.map { name, held, image in
      Plan.Port(name: name, location: location(held), image: image)
    }
    for position in plan.inputs.indices {
      plan.inputs[position].location = location(try primary(graph.inputs[position]))
    }
  }

  /// Makes calls pack their kernels' weights and release them.
  private mutating func makeWeightsTransient() {
    for call in pending.indices {
      let own = pending[call].weights.filter { !tensorConstants.contains($0) }
      plan.transientConstants.formUnion(own)
      plan.calls[call].transientWeights = own.map { plan.constants[$0] }
    }
  }

  /// Returns an output in the form in which the caller gets it.
  private mutating func finalForm(of value: Graph.ValueID) throws -> PlacedTensor {
    let held = try primary(value)
    if case .own = boundary, narrowType(of: value) != .uint8 { return held }
    let element = graph[value].type?.element ?? held.form.storage
    if held.form.storage == element { return held }
    return try hold(
      value, as: TensorDescriptor(held.form.shape, element, held.form.layout),
      for: graph[value].name)
  }

  /// Keeps an output's memory until the caller has read it.
  private mutating func keep(_ buffer: MemoryPlanner.BufferID) {
    guard case .given = boundary else { return memory.keepToEnd(buffer) }
    if externals[buffer] == nil { leaveOut(buffer) }
  }

  private mutating func leaveOut(_ buffer: MemoryPlanner.BufferID) {
    externals[buffer] = plan.externals.count
    plan.externals.append(memory.leaveOut(buffer))
  }

  private mutating func addInputs() throws {
    for (position, value) in graph.inputs.enumerated() {
      let type = try knownType(value)
      let image = graph.imageInputs[value]
      var form = TensorDescriptor(type.shape, type.element)
      if case .given(let forms) = boundary {
        form = forms[position]
      } else if let state = graph.states.first(where: { $0.input == position }) {
        form.storage = graph.storage(of: state, type.element)
      } else if image != nil {
        form.layout = .channelsLast
        if options.precision == .bfloat16 { form.storage = .bfloat16 }
      }
      let buffer = addBuffer(form.byteCount, for: value, from: 0)
      if boundary.isExternal(position, of: graph) { leaveOut(buffer) }
      forms[value.index] = [PlacedTensor(form: form, place: .buffer(buffer))]
      plan.inputs.append(
        Plan.Port(
          name: graph[value].name, location: Plan.Location(form: form, place: .arena(0)),
          image: image))
    }
  }

  private mutating func add(_ node: Graph.Node) throws {
    let outputTypes = try node.outputs.map(knownType)
    let available = try node.inputs.map { try offered($0) }
    let narrow: [(Int, ElementType)] = node.inputs.enumerated().compactMap { position, value in
      narrowType(of: value).map { (position, $0) }
    }
    let request = KernelRequest(
      name: node.name, inputs: available, narrowInputs: Dictionary(uniqueKeysWithValues: narrow),
      narrowOutput: node.outputs.first.flatMap { graph[$0].narrowType },
      constants: node.inputs.map { graph[$0].constant },
      outputs: outputTypes, precision: options.precision, isTolerant: options.isTolerant,
      usesDynamicQuantization: options.usesDynamicQuantization,
      processor: options.processor, threads: options.threads, weights: weights)
    let (name, kernel) = try choose(for: node, request)
    let packed: [Int] = kernel.weights.map { addWeight($0) }
    var inputs: [PlacedTensor] = []
    for (position, value) in node.inputs.enumerated() {
      guard let wanted = kernel.inputs[position] else {
        inputs.append(PlacedTensor(form: TensorDescriptor([]), place: .nowhere))
        continue
      }
      inputs.append(try hold(value, as: wanted, for: node.name))
    }
    for value in node.inputs { remainingReads[value.index] -= 1 }
    if let aliased = kernel.aliasedInput {
      let source = inputs[aliased]
      forms[node.outputs[0].index] = [PlacedTensor(form: kernel.outputs[0], place: source.place)]
      if case .buffer(let buffer) = source.place {
        valuesInBuffer[buffer.index].append(node.outputs[0])
      }
      return
    }
    if let written = kernel.overwrittenInput {
      inputs[written] = try own(inputs, written, for: node.name)
    }
    let time = pending.count + 1
    for input in inputs { use(input, at: time) }
    var outputs: [PlacedTensor] = []
    for (position, form) in kernel.outputs.enumerated() {
      let value = node.outputs[position]
      if position == 0, let buffer = takeover(kernel, inputs) {
        valuesInBuffer[buffer.index].append(value)
        outputs.append(PlacedTensor(form: form, place: .buffer(buffer)))
      } else {
        let buffer = addBuffer(form.byteCount, for: value, from: time)
        outputs.append(PlacedTensor(form: form, place: .buffer(buffer)))
      }
      use(outputs[position], at: time)
      forms[node.outputs[position].index] = [outputs[position]]
    }
    append(name, node.name, node.operation.name, kernel, inputs, outputs, origin: node.origin)
    pending[pending.count - 1].call.choice = choices[node.outputs[0].index]
    pending[pending.count - 1].weights = packed
  }

  mutating func append(
    _ kernelName: String, _ name: String, _ kind: String, _ kernel: Kernel,
    _ inputs: [PlacedTensor],
    _ outputs: [PlacedTensor], origin: Graph.Node.Origin? = nil
  ) {
    let time = pending.count + 1
    var scratch: MemoryPlanner.BufferID?
    if kernel.scratchByteCount > 0 {
      scratch = addBuffer(kernel.scratchByteCount, for: nil, from: time)
    }
    let call = Plan.Call(
      name: name, kind: kind, origin: origin, kernel: kernelName, step: kernel.step, inputs: [],
      outputs: [],
      scratchOffset: 0, scratchByteCount: kernel.scratchByteCount)
    pending.append(PendingCall(call: call, inputs: inputs, outputs: outputs, scratch: scratch))
  }

  mutating func addBuffer(_ byteCount: Int, for value: Graph.ValueID?, from time: Int)
    -> MemoryPlanner.BufferID
  {
    valuesInBuffer.append(value.map { [$0] } ?? [])
    return memory.add(byteCount: byteCount, from: time)
  }

  /// Returns the buffer of the kernel's in-place input, if the first output can take over that buffer. Three conditions
  /// must hold. Nothing reads the input's value later. The call would not overwrite another of its inputs before it has
  /// read that input. The sizes agree.
  private func takeover(_ kernel: Kernel, _ inputs: [PlacedTensor]) -> MemoryPlanner.BufferID? {
    guard let taken = kernel.inPlaceInput, case .buffer(let buffer) = inputs[taken].place,
      inputs[taken].form.byteCount == kernel.outputs[0].byteCount
    else { return nil }
    for (position, other) in inputs.enumerated() where position != taken {
      guard other.isPlaced(in: buffer) else { continue }
      guard kernel.readsElementwise, other.form == inputs[taken].form else { return nil }
    }
    return isNeeded(buffer) ? nil : buffer
  }

  /// Returns whether a later node reads a value in the buffer.
  func isNeeded(_ buffer: MemoryPlanner.BufferID) -> Bool {
    valuesInBuffer[buffer.index].contains { remainingReads[$0.index] > 0 }
  }

  private func location(_ held: PlacedTensor) -> Plan.Location {
    switch held.place {
    case .buffer(let buffer):
      if let external = externals[buffer] {
        return Plan.Location(form: held.form, place: .external(external))
      }
      return Plan.Location(form: held.form, place: .arena(memory.offset(of: buffer)))
    case .constant(let index): return Plan.Location(form: held.form, place: .constant(index))
    case .nowhere: return Plan.Location(form: held.form, place: .arena(0))
    }
  }

  private func finished(_ pending: PendingCall) -> Plan.Call {
    var call = pending.call
    call.inputs = pending.inputs.map(location)
    call.outputs = pending.outputs.map(location)
    call.scratchOffset = pending.scratch.map { memory.offset(of: $0) } ?? 0
    return call
  }
}

extension Planner.Boundary {
  /// Returns whether the caller supplies the memory of an input.
  fileprivate func isExternal(_ input: Int, of graph: Graph) -> Bool {
    switch self {
    case .own: return graph.states.contains { $0.input == input }
    case .given: return true
    }
  }
}
