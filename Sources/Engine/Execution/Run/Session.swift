import CKernels

/// A tensor at the border of a network while it runs: where a caller writes inputs and reads outputs.
public struct BorderTensor {
  /// The name in the model.
  public let name: String
  /// Shape, stored type and layout.
  public let form: TensorDescriptor
  /// The memory; valid as long as the session.
  public let memory: UnsafeMutableRawPointer
  /// For pictures: what happens to the samples on the way in or out.
  public let image: Graph.ImagePort?
}

/// One running prediction: the memory of a plan's tensors and the handles of its steps.
///
/// Not for two threads at once; a ``PreparedPlan`` keeps a pool of them. After it is made, ``run(_:)``
/// allocates nothing where the plan is one segment.
public final class Session {
  /// What runs.
  public let plan: Plan
  private let way: Way
  /// What is bound where the run copies.
  private var bound: [(memory: UnsafeMutableRawPointer, kept: Graph.Kept)] = []

  private enum Way {
    /// Everything was planned ahead.
    case whole(RunSession)
    /// Segments are planned as their shapes become known.
    case segments(NetworkRun)
  }

  /// Takes the plan's memory from the system. Throws `outOfMemory` when there is none.
  public convenience init(_ plan: Plan) throws {
    try self.init(plan, inputTypes: plan.inputs.map { TensorType($0.location.form.shape) })
  }

  init(_ plan: Plan, inputTypes: [TensorType]) throws {
    self.plan = plan
    if let segmented = plan.segmented {
      way = .segments(try NetworkRun(segmented, inputTypes: inputTypes))
    } else {
      way = .whole(try RunSession(try plan.wholeRun()))
    }
  }

  /// An input to be written, in the graph's order.
  public func input(_ index: Int) -> BorderTensor {
    switch way {
    case .whole(let run):
      let port: Plan.Port = run.plan.inputs[index]
      if case .external = port.location.place { try? run.completeGiven() }
      return run.tensor(port)
    case .segments(let run): return run.input(index)
    }
  }

  /// Gives a tensor that is kept between runs its memory until the session goes back to its pool: dense, of the
  /// type that the graph states. A run changes it; one that fails may leave it in between.
  public func bind(_ memory: UnsafeMutableRawPointer, to kept: Graph.Kept) {
    switch way {
    case .whole(let run):
      guard case .external(let position) = run.plan.inputs[kept.input].location.place else {
        return
      }
      run.give(memory, at: position)
    case .segments: bound.append((memory, kept))
    }
  }

  /// Computes the outputs from the inputs that lie in memory.
  ///
  /// - Throws: what a layer throws, with its name; `cancelled` or `timedOut` when the limits end it.
  public func run(_ limits: RunLimits = .none) throws {
    if plan.threads > 1 { ck_watch_contention() }
    try RunCount.shared.counting {
      try TeamSize.with(plan.threads) { try runParts(limits) }
    }
  }

  private func runParts(_ limits: RunLimits) throws {
    switch way {
    case .whole(let run):
      try run.completeGiven()
      try run.run(limits, reports: true)
    case .segments(let run):
      for (memory, kept) in bound {
        let port: BorderTensor = run.input(kept.input)
        port.memory.copyMemory(from: memory, byteCount: port.form.byteCount)
      }
      try run.run(limits)
      for (memory, kept) in bound {
        guard let output = kept.output else { continue }
        try run.output(output).copyDense(to: memory)
      }
    }
  }

  /// Computes like ``run(_:)``, and tells what regions make, one run of one after the other: the way to the
  /// region, and one tensor an output of its graph, valid during the call; nil for what nothing has made.
  package func run(
    _ limits: RunLimits = .none,
    observing observe: @escaping ([RegionPlace], [BorderTensor?]) throws -> Void
  ) throws {
    guard case .segments(let run) = way else { return try self.run(limits) }
    run.observe { place, values in
      try observe(
        place,
        values.map { value in
          value.map { BorderTensor(name: "", form: $0.form, memory: $0.pointer, image: nil) }
        })
    }
    defer { run.observe(nil) }
    try self.run(limits)
  }

  /// Computes like ``run(_:)`` and adds the nanoseconds of each call to `times`, one entry a call of
  /// the plan's only segment.
  public func run(adding times: inout [UInt64]) throws {
    guard case .whole(let run) = way else {
      _ = try plan.wholeRun()
      return
    }
    try run.completeGiven()
    try TeamSize.with(plan.threads) { try run.run(adding: &times) }
  }

  /// An output to be read after ``run(_:)``, in the graph's order. Throws when no layer has made it.
  public func output(_ index: Int) throws -> BorderTensor {
    switch way {
    case .whole(let run): return run.tensor(run.plan.outputs[index])
    case .segments(let run): return try run.output(index)
    }
  }

  /// The memory of a tensor of a plan of one segment; valid as long as the session.
  public func pointer(_ location: Plan.Location) -> UnsafeMutableRawPointer {
    guard case .whole(let run) = way else {
      preconditionFailure("a location belongs to a plan of one segment")
    }
    return run.pointer(location)
  }

  /// Gives up what only the last run's caller reads.
  func rest() {
    bound = []
    switch way {
    case .whole(let run): run.forgetGiven()
    case .segments(let run): run.rest()
    }
  }
}

extension BorderTensor {
  /// Copies the elements in row-major order, in the type in which they are.
  fileprivate func copyDense(to target: UnsafeMutableRawPointer) {
    if form.layout == .dense || form.isOrderFree {
      return target.copyMemory(from: memory, byteCount: form.byteCount)
    }
    TensorCodec.pack(
      TensorCodec.unpack(memory, as: form), as: TensorDescriptor(form.shape, form.storage),
      into: target)
  }
}

extension RunSession {
  fileprivate func tensor(_ port: Plan.Port) -> BorderTensor {
    BorderTensor(
      name: port.name, form: port.location.form, memory: pointer(port.location), image: port.image)
  }
}

/// The run of a network that is planned segment by segment: what crosses its border.
private final class NetworkRun {
  private let graph: Graph
  private let context: RunContext
  private let region: RegionSession
  private let inputs: [RunValue]
  private var outputs: [RunValue?] = []

  /// Values up to this size are kept for the next run, in bytes.
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

  func input(_ index: Int) -> BorderTensor {
    tensor(inputs[index], graph.inputs[index], graph.imageInputs)
  }

  func run(_ limits: RunLimits) throws {
    rest()
    context.limits = limits
    var arguments: [RunValue?] = inputs
    _ = try region.run(&arguments, into: &outputs)
  }

  func observe(_ observe: (([RegionPlace], [RunValue?]) throws -> Void)?) {
    context.observe = observe
  }

  func rest() {
    outputs = []
    region.reclaim(above: Self.smallByteCount)
  }

  func output(_ index: Int) throws -> BorderTensor {
    let value = graph.outputs[index]
    guard outputs.indices.contains(index), let made = outputs[index] else {
      throw EngineError(
        .invalidModel,
        "The output '\(graph[value].name)' was made by no layer on the way that was taken through the network's branches and loops."
      )
    }
    return tensor(made, value, graph.imageOutputs)
  }

  private func tensor(
    _ tensor: RunValue, _ value: Graph.ValueID, _ images: [Graph.ValueID: Graph.ImagePort]
  ) -> BorderTensor {
    BorderTensor(
      name: graph[value].name, form: tensor.form, memory: tensor.pointer, image: images[value])
  }
}
