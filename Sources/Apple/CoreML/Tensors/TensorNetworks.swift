import Engine
import Platform

/// A cache of the networks of the most recent expressions. Equal computations share a network, so an expression in a
/// loop is planned once.
///
/// The first network of an expression stores scalars as constants, which kernels and the passes over the graph can
/// absorb. If the same expression comes again with other scalars, the cache makes a second network that takes scalars
/// as inputs and works for all values of the scalars. Results of the two networks may differ by rounding.
final class TensorNetworks: Sendable {
  static let shared = TensorNetworks()

  /// The maximum number of parts of expressions in the cache. The cache evicts the least recently used part first.
  static let limit = 64
  /// The maximum memory in bytes that all cached networks together hold between runs.
  static let memoryLimit = 256 << 20

  private struct Entry {
    /// The scalars that the first network stores.
    let numbers: [Double]
    /// The network that stores the scalars as constants.
    let withConstants: Network
    /// The network that takes the scalars as inputs; nil until a run needs it.
    var withInputs: Network?
    var lastUse: Int

    var byteCount: Int {
      withConstants.cachedByteCount + (withInputs?.cachedByteCount ?? 0)
    }
  }

  private struct State {
    var entries: [TensorPart.Form: Entry] = [:]
    var uses = 0
    var madeCount = 0
  }

  private let state = Locked(State())

  /// The number of networks that this cache has made. Tests read it.
  var madeCount: Int { state.withLock { $0.madeCount } }
  /// The number of parts of expressions in the cache. Tests read it.
  var count: Int { state.withLock { $0.entries.count } }

  /// Computes a part of an expression. Returns the values of `part.results`, in the same order.
  func run(_ part: TensorPart) throws -> [TensorValues] {
    let numbers: [Double] = part.numbers.map(\.number)
    guard part.isComparable else {
      state.withLock { $0.madeCount += 1 }
      return try part.run(part.network(constants: numbers), takesNumbers: false)
    }
    let (network, takesNumbers, isNew) = state.withLock { state in
      Self.network(for: part, numbers, in: &state)
    }
    defer { if isNew { state.withLock(Self.evict) } }
    return try part.run(network, takesNumbers: takesNumbers)
  }

  private static func network(
    for part: TensorPart, _ numbers: [Double], in state: inout State
  ) -> (Network, takesNumbers: Bool, isNew: Bool) {
    state.uses += 1
    guard let index = state.entries.index(forKey: part.form) else {
      state.madeCount += 1
      let network: Network = part.network(constants: numbers)
      state.entries[part.form] = Entry(
        numbers: numbers, withConstants: network, lastUse: state.uses)
      return (network, false, true)
    }
    state.entries.values[index].lastUse = state.uses
    let entry: Entry = state.entries.values[index]
    if entry.numbers.elementsEqual(numbers, by: { $0.bitPattern == $1.bitPattern }) {
      return (entry.withConstants, false, false)
    }
    if let known = entry.withInputs { return (known, true, false) }
    state.madeCount += 1
    let network: Network = part.network(constants: nil)
    state.entries.values[index].withInputs = network
    return (network, true, true)
  }

  /// Evicts the least recently used parts of expressions until the cache is within its limits.
  private static func evict(in state: inout State) {
    var sizes: [(form: TensorPart.Form, lastUse: Int, byteCount: Int)] =
      state.entries.map { ($0.key, $0.value.lastUse, $0.value.byteCount) }
    sizes.sort { $0.lastUse > $1.lastUse }
    var total: Int = sizes.reduce(0) { $0 + $1.byteCount }
    while let oldest = sizes.last, sizes.count > limit || total > memoryLimit {
      state.entries[oldest.form] = nil
      total -= oldest.byteCount
      sizes.removeLast()
    }
  }
}

extension TensorPart {
  /// Makes the network that computes the part.
  ///
  /// - Parameter numbers: The values of the scalars, which the network then stores as constants. If nil, the scalars
  ///   are inputs of the network, after the arrays.
  fileprivate func network(constants numbers: [Double]?) -> Network {
    var graph = Graph()
    func addInput(_ name: String) -> Graph.ValueID {
      let value: Graph.ValueID = graph.addValue(name)
      graph.inputs.append(value)
      return value
    }
    let arrays: [Graph.ValueID] = form.arrays.indices.map { addInput("tensor \($0)") }
    let scalars: [Graph.ValueID] = form.numbers.enumerated().map { index, type in
      guard let numbers else { return addInput("number \(index)") }
      let constant =
        type.element.isInteger
        ? ReferenceTensor(type.shape, integerValues: [Int64(numbers[index])], type.element)
        : ReferenceTensor(type.shape, [numbers[index]], type.element)
      return graph.addConstant(Constant(constant), name: "number \(index)")
    }
    var made: [[Graph.ValueID]] = []
    func value(_ operand: Form.Operand) -> Graph.ValueID {
      switch operand {
      case .array(let index): arrays[index]
      case .number(let index): scalars[index]
      case .made(let step, let output): made[step][output]
      }
    }
    for (step, operation) in zip(form.steps, operations) {
      let name = "\(operation.operation.name) \(graph.nodes.count)"
      let outputs: [Graph.ValueID] = operation.types.indices.map {
        graph.addValue("\(name), output \($0)")
      }
      graph.nodes.append(
        Graph.Node(
          name: name, operation: operation.operation, inputs: step.inputs.map(value),
          outputs: outputs))
      made.append(outputs)
    }
    graph.outputs = form.results.map(value)
    return Network(graph, passes: GraphPasses.standard, options: ExecutionOptions())
  }

  /// Runs a network of the part's form on the part's arrays and scalars.
  fileprivate func run(_ network: Network, takesNumbers: Bool) throws -> [TensorValues] {
    let inputs: [TensorValues] = takesNumbers ? arrays + numbers : arrays
    let types: [TensorType] = takesNumbers ? form.arrays + form.numbers : form.arrays
    return try network.plan(for: types).withSession { session in
      for (index, values) in inputs.enumerated() {
        let port: PortTensor = session.input(index)
        TensorTransfer.read(values.array, into: port.memory, as: port.form)
      }
      try session.run()
      return try results.enumerated().map { index, result in
        let port: PortTensor = try session.output(index)
        let step: TensorOperation = operations[result.step - firstStep]
        let made = TensorValues(step.types[result.output]) { _ in }
        TensorTransfer.write(port.memory, as: port.form, into: made.array)
        return made
      }
    }
  }
}

extension TensorValues {
  /// The first element.
  fileprivate var number: Double {
    // Safe: the memory holds at least one element of this type.
    array.dataType == .int32
      ? Double(array.memory.start.load(as: Int32.self))
      : Double(array.memory.start.load(as: Float.self))
  }
}
