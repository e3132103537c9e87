/// Makes a plan of a graph whose types are known.
///
/// Walks the nodes once: takes the kernel that was found to be the fastest, or asks each layer's candidates in
/// order, puts a reorder in front of inputs
/// that a kernel wants in another form (each form is made once), lets outputs share memory with
/// inputs where the kernel allows it, and then places all memory by liveness.
struct Planner {
  let graph: Graph
  let options: ExecutionOptions
  let weights: PackedWeights
  let border: Border
  /// The kernels that were found to be the fastest, by the index of their nodes' first output.
  let choices: [Int: KernelChoice]
  var plan = PlannedRun()
  var memory = MemoryPlanner()
  /// The forms in which a value exists; the first is the one that its producer made.
  var forms: [[Held]]
  var remainingReads: [Int]
  /// The values that lie in each buffer: its maker's, and views of it.
  var valuesInBuffer: [[Graph.ValueID]] = []
  /// The buffers outside of the arena, and their places among the plan's external memory.
  var externals: [MemoryPlanner.BufferID: Int] = [:]

  /// Where inputs and outputs lie.
  enum Border {
    /// In the session's memory, in the forms that the planner likes; what is kept between runs lies in memory
    /// that the session is bound to.
    case own
    /// In memory that is given for each run; inputs in these forms, outputs with elements of the types
    /// that the graph states.
    case given([TensorDescriptor])
  }

  /// A value in one form: where it lies.
  struct Held {
    var form: TensorDescriptor
    var place: Holder

    func lies(in buffer: MemoryPlanner.BufferID) -> Bool { place == .buffer(buffer) }
  }

  enum Holder: Equatable {
    case buffer(MemoryPlanner.BufferID)
    case constant(Int)
    /// No memory stands for it: the kernel has packed it.
    case nowhere
  }

  struct PendingCall {
    var call: Plan.Call
    var inputs: [Held]
    var outputs: [Held]
    var scratch: MemoryPlanner.BufferID?
    /// The positions of the kernel's packed weights among the plan's constants.
    var weights: [Int] = []
  }

  var pending: [PendingCall] = []
  /// Where each packed weight stands among the plan's constants.
  var positions: [ObjectIdentifier: Int] = [:]
  /// The positions of constants that are read as tensors, whose addresses sessions keep.
  var tensorConstants: Set<Int> = []

  /// Plans the graph. Throws when a layer has no kernel for its shapes or memory overflows. Weights are not
  /// packed yet: ``PlannedRun/prepareWeights()`` does that.
  ///
  /// - Parameter packsForEachCall: whether kernels' weights are packed when they run and given back after it, so that
  ///   they take as much memory as the largest, but time in every run.
  static func plan(
    _ graph: Graph, options: ExecutionOptions, border: Border = .own,
    weights: PackedWeights = PackedWeights(), choices: [Int: KernelChoice] = [:],
    packsForEachCall: Bool = false
  ) throws -> PlannedRun {
    // Library primitives keep the number of threads that their maker's thread had; their scratch memory
    // and their order of summation are made for it.
    try TeamSize.with(options.threads) {
      try MemoryBudget(options).check(graph)
      var planner = Planner(
        graph, options: options, border: border, weights: weights, choices: choices)
      try planner.run()
      if packsForEachCall { planner.letWeightsPass() }
      return planner.plan
    }
  }

  private init(
    _ graph: Graph, options: ExecutionOptions, border: Border, weights: PackedWeights,
    choices: [Int: KernelChoice]
  ) {
    self.graph = graph
    self.choices = choices
    self.weights = weights
    self.options = options
    self.border = border
    forms = [[Held]](repeating: [], count: graph.values.count)
    remainingReads = graph.readers().map(\.count)
    for output in graph.outputs { remainingReads[output.index] += 1 }
    // What is given belongs to somebody else, who may read it later: nothing is written into it.
    if case .given = border { for input in graph.inputs { remainingReads[input.index] += 1 } }
    // What a run only reads of a kept tensor stays as it is.
    for kept in graph.kept where kept.output == nil {
      remainingReads[graph.inputs[kept.input].index] += 1
    }
  }

  private mutating func run() throws {
    plan.threads = options.threads
    try addInputs()
    for node in graph.nodes { try add(node) }
    let settled: [Int: Held] = try settleKept()
    let outputs: [(String, Held, Graph.ImagePort?)] = try graph.outputs.enumerated().map {
      position, value in
      (graph[value].name, try settled[position] ?? leaving(value), graph.imageOutputs[value])
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

  /// Lets kernels' weights be packed and given back by their calls.
  private mutating func letWeightsPass() {
    for call in pending.indices {
      let own = pending[call].weights.filter { !tensorConstants.contains($0) }
      plan.passing.formUnion(own)
      plan.calls[call].passingWeights = own.map { plan.constants[$0] }
    }
  }

  /// An output in the form in which it leaves.
  private mutating func leaving(_ value: Graph.ValueID) throws -> Held {
    let held = try primary(value)
    if case .own = border, !isHeldInBytes(value) { return held }
    let element = graph[value].type?.element ?? held.form.storage
    if held.form.storage == element { return held }
    return try hold(
      value, as: TensorDescriptor(held.form.shape, element, held.form.layout),
      for: graph[value].name)
  }

  /// Keeps an output's memory until it is read.
  private mutating func keep(_ buffer: MemoryPlanner.BufferID) {
    guard case .given = border else { return memory.keepToTheEnd(buffer) }
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
      if case .given(let forms) = border {
        form = forms[position]
      } else if image != nil {
        form.layout = .channelsLast
        if options.precision == .bfloat16 { form.storage = .bfloat16 }
      }
      let buffer = addBuffer(form.byteCount, for: value, from: 0)
      if border.leavesOut(position, of: graph) { leaveOut(buffer) }
      forms[value.index] = [Held(form: form, place: .buffer(buffer))]
      plan.inputs.append(
        Plan.Port(
          name: graph[value].name, location: Plan.Location(form: form, place: .arena(0)),
          image: image))
    }
  }

  private mutating func add(_ node: Graph.Node) throws {
    let outputTypes = try node.outputs.map(knownType)
    let available = try node.inputs.map { try offered($0) }
    let bytes = Set(node.inputs.indices.filter { isHeldInBytes(node.inputs[$0]) })
    let request = KernelRequest(
      name: node.name, inputs: available, bytes: bytes,
      constants: node.inputs.map { graph[$0].constant },
      outputs: outputTypes, precision: options.precision, isTolerant: options.isTolerant,
      processor: options.processor, threads: options.threads, weights: weights)
    let (name, kernel) = try choose(for: node, request)
    let packed: [Int] = kernel.weights.map { addWeight($0) }
    var inputs: [Held] = []
    for (position, value) in node.inputs.enumerated() {
      guard let wanted = kernel.inputs[position] else {
        inputs.append(Held(form: TensorDescriptor([]), place: .nowhere))
        continue
      }
      inputs.append(try hold(value, as: wanted, for: node.name))
    }
    for value in node.inputs { remainingReads[value.index] -= 1 }
    if let aliased = kernel.aliasedInput {
      let source = inputs[aliased]
      forms[node.outputs[0].index] = [Held(form: kernel.outputs[0], place: source.place)]
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
    var outputs: [Held] = []
    for (position, form) in kernel.outputs.enumerated() {
      let value = node.outputs[position]
      if position == 0, let buffer = takeover(kernel, inputs) {
        valuesInBuffer[buffer.index].append(value)
        outputs.append(Held(form: form, place: .buffer(buffer)))
      } else {
        let buffer = addBuffer(form.byteCount, for: value, from: time)
        outputs.append(Held(form: form, place: .buffer(buffer)))
      }
      use(outputs[position], at: time)
      forms[node.outputs[position].index] = [outputs[position]]
    }
    append(name, node.name, node.operation.name, kernel, inputs, outputs, origin: node.origin)
    pending[pending.count - 1].call.choice = choices[node.outputs[0].index]
    pending[pending.count - 1].weights = packed
  }

  mutating func append(
    _ kernelName: String, _ name: String, _ kind: String, _ kernel: Kernel, _ inputs: [Held],
    _ outputs: [Held], origin: Graph.Node.Origin? = nil
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

  /// The buffer that the kernel's first output takes over: that of its in-place input, when nobody
  /// needs what it holds any more, no other input of the call would be written over while it is still
  /// read, and the sizes agree.
  private func takeover(_ kernel: Kernel, _ inputs: [Held]) -> MemoryPlanner.BufferID? {
    guard let taken = kernel.inPlaceInput, case .buffer(let buffer) = inputs[taken].place,
      inputs[taken].form.byteCount == kernel.outputs[0].byteCount
    else { return nil }
    for (position, other) in inputs.enumerated() where position != taken {
      guard other.lies(in: buffer) else { continue }
      guard kernel.readsElementwise, other.form == inputs[taken].form else { return nil }
    }
    return isNeeded(buffer) ? nil : buffer
  }

  /// Whether somebody reads later what lies in a buffer.
  func isNeeded(_ buffer: MemoryPlanner.BufferID) -> Bool {
    valuesInBuffer[buffer.index].contains { remainingReads[$0.index] > 0 }
  }

  private func location(_ held: Held) -> Plan.Location {
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

extension Planner.Border {
  /// Whether the memory of an input is given by the caller.
  fileprivate func leavesOut(_ input: Int, of graph: Graph) -> Bool {
    switch self {
    case .own: return graph.kept.contains { $0.input == input }
    case .given: return true
    }
  }
}
