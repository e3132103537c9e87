import Engine
import Platform

/// The networks of the expressions that were computed lately, by what they compute: an expression in a loop is
/// planned once.
///
/// Single numbers are constants of a network, which kernels and passes take in. Where an expression comes again with
/// other numbers, it gets one more network that is given them, for all numbers there are; its results may differ by
/// what rounding may change.
final class TensorNetworks: Sendable {
  static let shared = TensorNetworks()

  /// The number of expressions that are kept; the one unused for longest goes first.
  static let limit = 64
  /// The memory that their networks may keep for later runs, in bytes.
  static let memoryLimit = 256 << 20

  private struct Entry {
    let numbers: [Double]
    let holding: Network
    var given: Network?
    var lastUse: Int

    var byteCount: Int { holding.keptByteCount + (given?.keptByteCount ?? 0) }
  }

  private struct State {
    var entries: [TensorPart.Form: Entry] = [:]
    var uses = 0
    var madeCount = 0
  }

  private let state = Locked(State())

  /// The number of networks made so far, for tests.
  var madeCount: Int { state.withLock { $0.madeCount } }
  /// The number of expressions that are kept, for tests.
  var count: Int { state.withLock { $0.entries.count } }

  /// Computes a part: its results in their order.
  func run(_ part: TensorPart) throws -> [TensorValues] {
    let numbers: [Double] = part.numbers.map(\.number)
    guard part.isComparable else {
      state.withLock { $0.madeCount += 1 }
      return try part.run(part.network(holding: numbers), isGivenNumbers: false)
    }
    let (network, isGivenNumbers, isNew) = state.withLock { state in
      Self.network(for: part, numbers, in: &state)
    }
    defer { if isNew { state.withLock(Self.makeRoom) } }
    return try part.run(network, isGivenNumbers: isGivenNumbers)
  }

  private static func network(
    for part: TensorPart, _ numbers: [Double], in state: inout State
  ) -> (Network, isGivenNumbers: Bool, isNew: Bool) {
    state.uses += 1
    guard let place = state.entries.index(forKey: part.form) else {
      state.madeCount += 1
      let network: Network = part.network(holding: numbers)
      state.entries[part.form] = Entry(numbers: numbers, holding: network, lastUse: state.uses)
      return (network, false, true)
    }
    state.entries.values[place].lastUse = state.uses
    let entry: Entry = state.entries.values[place]
    if entry.numbers.elementsEqual(numbers, by: { $0.bitPattern == $1.bitPattern }) {
      return (entry.holding, false, false)
    }
    if let given = entry.given { return (given, true, false) }
    state.madeCount += 1
    let network: Network = part.network(holding: nil)
    state.entries.values[place].given = network
    return (network, true, true)
  }

  /// Drops the expressions unused for longest until the limits hold.
  private static func makeRoom(in state: inout State) {
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
  /// The network that computes the part.
  ///
  /// - Parameter numbers: the single numbers as constants; nil where they are inputs after the arrays.
  fileprivate func network(holding numbers: [Double]?) -> Network {
    var graph = Graph()
    func addInput(_ name: String) -> Graph.ValueID {
      let value: Graph.ValueID = graph.addValue(name)
      graph.inputs.append(value)
      return value
    }
    let arrays: [Graph.ValueID] = form.arrays.indices.map { addInput("tensor \($0)") }
    let single: [Graph.ValueID] = form.numbers.enumerated().map { index, type in
      guard let numbers else { return addInput("number \(index)") }
      let constant =
        type.element.isInteger
        ? ReferenceTensor(type.shape, wholes: [Int64(numbers[index])], type.element)
        : ReferenceTensor(type.shape, [numbers[index]], type.element)
      return graph.addConstant(Constant(constant), name: "number \(index)")
    }
    var made: [[Graph.ValueID]] = []
    func value(_ operand: Form.Operand) -> Graph.ValueID {
      switch operand {
      case .array(let index): arrays[index]
      case .number(let index): single[index]
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

  /// What a network of this form makes of the part's arrays and numbers.
  fileprivate func run(_ network: Network, isGivenNumbers: Bool) throws -> [TensorValues] {
    let inputs: [TensorValues] = isGivenNumbers ? arrays + numbers : arrays
    let types: [TensorType] = isGivenNumbers ? form.arrays + form.numbers : form.arrays
    return try network.plan(for: types).withSession { session in
      for (index, values) in inputs.enumerated() {
        let port: BorderTensor = session.input(index)
        TensorTransfer.read(values.array, into: port.memory, as: port.form)
      }
      try session.run()
      return try results.enumerated().map { index, result in
        let port: BorderTensor = try session.output(index)
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
    // Safe: the memory holds one element at least, of this type.
    array.dataType == .int32
      ? Double(array.memory.start.load(as: Int32.self))
      : Double(array.memory.start.load(as: Float.self))
  }
}
