import CKernels

/// An input or output of a session. The caller writes an input to the port's memory, or reads an output from the port's
/// memory.
public struct PortTensor {
  /// The name of the input or output in the model.
  public let name: String
  /// Shape, stored type and layout.
  public let form: TensorDescriptor
  /// The memory, which is valid until the session is freed.
  public let memory: UnsafeMutableRawPointer
  /// For images: the conversion of the samples on input or output.
  public let image: Graph.ImagePort?
}

/// One running prediction: the memory of a plan's tensors and the state of its steps.
///
/// Not safe to use from two threads at once. A ``PreparedPlan`` has a pool of sessions. After the initialiser,
/// ``run(_:)`` allocates nothing if the plan is one segment.
public final class Session {
  /// The plan that runs.
  public let plan: Plan
  private let mode: Mode
  /// For a plan with several segments: the states that callers have bound. Each run copies them in and out.
  private var bound: [(memory: UnsafeMutableRawPointer, state: Graph.State)] = []

  private enum Mode {
    /// The whole plan was made before the run.
    case whole(RunSession)
    /// Segments are planned when their shapes are known.
    case segments(NetworkRun)
  }

  /// Allocates the plan's memory. Throws `outOfMemory` if memory is short.
  public convenience init(_ plan: Plan) throws {
    try self.init(plan, inputTypes: plan.inputs.map { TensorType($0.location.form.shape) })
  }

  init(_ plan: Plan, inputTypes: [TensorType]) throws {
    self.plan = plan
    if let segmented = plan.segmented {
      mode = .segments(try NetworkRun(segmented, inputTypes: inputTypes))
    } else {
      mode = .whole(try RunSession(try plan.wholeRun()))
    }
  }

  /// Returns the memory of an input, by its index in the graph.
  public func input(_ index: Int) -> PortTensor {
    switch mode {
    case .whole(let run):
      let port: Plan.Port = run.plan.inputs[index]
      if case .external = port.location.place { try? run.completeGiven() }
      return run.tensor(port)
    case .segments(let run): return run.input(index)
    }
  }

  /// Binds a state to memory until the session returns to its pool. The memory is dense, with the state's type
  /// (``Graph/storage(of:_:)``). A run changes this memory. A run that fails may leave the memory partly updated.
  public func bind(_ memory: UnsafeMutableRawPointer, to state: Graph.State) {
    switch mode {
    case .whole(let run):
      guard case .external(let position) = run.plan.inputs[state.input].location.place else {
        return
      }
      run.give(memory, at: position)
    case .segments: bound.append((memory, state))
    }
  }

  /// Computes the outputs from the inputs in memory.
  ///
  /// - Throws: The error of a layer, with the layer's name; `cancelled` or `timedOut` if the limits end the run.
  public func run(_ limits: RunLimits = .none) throws {
    try RunCount.shared.counting {
      try TeamSize.with(plan.threads) {
        if plan.threads > 1 { ck_watch_contention() }
        try runParts(limits)
      }
    }
  }

  private func runParts(_ limits: RunLimits) throws {
    switch mode {
    case .whole(let run):
      try run.completeGiven()
      try run.run(limits, reports: true)
    case .segments(let run):
      for (memory, state) in bound {
        let port: PortTensor = run.input(state.input)
        try run.form(of: state).copy(memory, to: port.form, port.memory)
      }
      try run.run(limits)
      for (memory, state) in bound {
        guard let output = state.output else { continue }
        let port: PortTensor = try run.output(output)
        try port.form.copy(port.memory, to: run.form(of: state), memory)
      }
    }
  }

  /// Computes like ``run(_:)`` and calls `observe` after each run of a region. `observe` gets the path to the region
  /// and one tensor per output of the region's graph, valid during the call. A tensor is nil if no layer made the
  /// value.
  package func run(
    _ limits: RunLimits = .none,
    observing observe: @escaping ([RegionIndex], [PortTensor?]) throws -> Void
  ) throws {
    guard case .segments(let run) = mode else { return try self.run(limits) }
    run.observe { path, values in
      try observe(
        path,
        values.map { value in
          value.map { PortTensor(name: "", form: $0.form, memory: $0.pointer, image: nil) }
        })
    }
    defer { run.observe(nil) }
    try self.run(limits)
  }

  /// Computes like ``run(_:)`` and adds the nanoseconds of each call to `times`, which has one entry per call of the
  /// plan's only segment.
  public func run(adding times: inout [UInt64]) throws {
    guard case .whole(let run) = mode else {
      _ = try plan.wholeRun()
      return
    }
    try run.completeGiven()
    try TeamSize.with(plan.threads) { try run.run(adding: &times) }
  }

  /// Returns an output after ``run(_:)``, by its index in the graph. Throws if no layer has made the output.
  public func output(_ index: Int) throws -> PortTensor {
    switch mode {
    case .whole(let run): return run.tensor(run.plan.outputs[index])
    case .segments(let run): return try run.output(index)
    }
  }

  /// Returns the memory of a tensor. It is valid until the session is freed. The plan must have only one segment.
  public func pointer(_ location: Plan.Location) -> UnsafeMutableRawPointer {
    guard case .whole(let run) = mode else {
      preconditionFailure("a location belongs to a plan of one segment")
    }
    return run.pointer(location)
  }

  /// Releases the memory that only the last caller reads.
  func reset() {
    bound = []
    switch mode {
    case .whole(let run): run.forgetGiven()
    case .segments(let run): run.reset()
    }
  }
}

extension TensorDescriptor {
  /// Copies a tensor of this form to other memory in another form.
  fileprivate func copy(
    _ source: UnsafeMutableRawPointer, to form: TensorDescriptor, _ target: UnsafeMutableRawPointer
  ) throws {
    if isSameMemory(as: form) {
      return target.copyMemory(from: source, byteCount: form.byteCount)
    }
    guard let kernel = try Kernel.reorder(from: self, to: form), kernel.scratchByteCount == 0 else {
      return TensorCodec.pack(TensorCodec.unpack(source, as: self), as: form, into: target)
    }
    let state: AnyObject? = try kernel.step.makeState()
    try withUnsafePointer(to: source) { inputs in
      try withUnsafePointer(to: target) { outputs in
        // Safe: both memories hold a tensor of their form, and the step uses no scratch memory.
        try kernel.step.run(
          StepMemory(inputs: inputs, outputs: outputs, scratch: target, state: state))
      }
    }
  }
}

extension RunSession {
  fileprivate func tensor(_ port: Plan.Port) -> PortTensor {
    PortTensor(
      name: port.name, form: port.location.form, memory: pointer(port.location), image: port.image)
  }
}

/// The run of a network that is planned segment by segment: its inputs and outputs.
private final class NetworkRun {
  private let graph: Graph
  private let context: RunContext
  private let region: RegionSession
  private let inputs: [RunValue]
  private var outputs: [RunValue?] = []

  /// Values up to this size in bytes are cached for the next run.
  private static let smallByteCount = 4096

  init(_ segmented: SegmentedGraph, inputTypes: [TensorType]) throws {
    graph = segmented.graph
    let context = RunContext(memoryLimit: segmented.options.memoryLimit)
    self.context = context
    inputs = try inputTypes.map { try context.value(TensorDescriptor($0.shape, $0.element)) }
    let region = RegionSession(segmented, context)
    self.region = region
    context.reclaim = { [weak region] in region?.reclaim(above: 0) }
  }

  func input(_ index: Int) -> PortTensor {
    tensor(inputs[index], graph.inputs[index], graph.imageInputs)
  }

  /// Returns the form in which the caller's memory holds a state.
  func form(of state: Graph.State) -> TensorDescriptor {
    let form: TensorDescriptor = inputs[state.input].form
    return TensorDescriptor(form.shape, graph.storage(of: state, form.storage))
  }

  func run(_ limits: RunLimits) throws {
    reset()
    context.limits = limits
    var arguments: [RunValue?] = inputs
    _ = try region.run(&arguments, into: &outputs)
  }

  func observe(_ observe: (([RegionIndex], [RunValue?]) throws -> Void)?) {
    context.observe = observe
  }

  func reset() {
    outputs = []
    region.reclaim(above: Self.smallByteCount)
  }

  func output(_ index: Int) throws -> PortTensor {
    let value = graph.outputs[index]
    guard outputs.indices.contains(index), let made = outputs[index] else {
      throw EngineError(
        .invalidModel,
        "No layer made the output '\(graph[value].name)' in the branches and loops that ran."
      )
    }
    return tensor(made, value, graph.imageOutputs)
  }

  private func tensor(
    _ tensor: RunValue, _ value: Graph.ValueID, _ images: [Graph.ValueID: Graph.ImagePort]
  ) -> PortTensor {
    PortTensor(
      name: graph[value].name, form: tensor.form, memory: tensor.pointer, image: images[value])
  }
}
