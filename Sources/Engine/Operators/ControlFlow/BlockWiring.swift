import Graph

/// The names that nested networks of one layer share, and who reads and writes them.
package struct BlockWiring: Sendable {
  /// The names that are taken from the network around, in this order.
  package let captures: [Block.Capture]
  /// The names that are written.
  package let writes: [String]
  /// All names: captures first.
  private let names: [String]
  private let reads: [ObjectIdentifier: [Int]]
  private let results: [ObjectIdentifier: [Int]]

  /// Joins the names of nested networks. A name that one of them writes may be missing outside when
  /// `mayMakeOwn`: another round has made it.
  package init(_ blocks: [Block], mayMakeOwn: Bool) {
    var writes: [String] = []
    for name in blocks.flatMap(\.writes) where !writes.contains(name) { writes.append(name) }
    var captures: [Block.Capture] = []
    for var capture in blocks.flatMap(\.captures) {
      if mayMakeOwn, writes.contains(capture.name) { capture.reader = nil }
      if let known = captures.firstIndex(where: { $0.name == capture.name }) {
        captures[known].reader = captures[known].reader ?? capture.reader
      } else {
        captures.append(capture)
      }
    }
    // What is not written on the way that is taken stays as it is.
    for name in writes where !captures.contains(where: { $0.name == name }) {
      captures.append(Block.Capture(name))
    }
    captures = captures.filter { $0.reader != nil } + captures.filter { $0.reader == nil }
    let names: [String] = captures.map(\.name)
    func indices(_ some: [String]) -> [Int] { some.compactMap { names.firstIndex(of: $0) } }
    var reads: [ObjectIdentifier: [Int]] = [:]
    var results: [ObjectIdentifier: [Int]] = [:]
    for block in blocks {
      reads[ObjectIdentifier(block)] = indices(block.captures.map(\.name))
      results[ObjectIdentifier(block)] = indices(block.writes)
    }
    self.captures = captures
    self.writes = writes
    self.names = names
    self.reads = reads
    self.results = results
  }

  /// The values of all names, as a run changes them.
  package struct Values<Runner: BlockRunner> {
    private let wiring: BlockWiring
    private var values: [Runner.Tensor?]

    /// The values before anything has run; captures missing at the end do not exist.
    package init(_ wiring: BlockWiring, captures: ArraySlice<Runner.Tensor?>) {
      self.wiring = wiring
      values = Array(captures.prefix(wiring.names.count))
      while values.count < wiring.names.count { values.append(nil) }
    }

    /// Runs one of the networks and takes over what it writes.
    package mutating func run(_ block: Block, with runner: Runner) throws -> BlockExit {
      let inputs = (wiring.reads[ObjectIdentifier(block)] ?? []).map { values[$0] }
      let result = try runner.run(block, inputs)
      for (index, value) in zip(wiring.results[ObjectIdentifier(block)] ?? [], result.values) {
        if let value { values[index] = value }
      }
      return result.exit
    }

    /// What a name stands for now.
    package subscript(name: String) -> Runner.Tensor? {
      guard let index = wiring.names.firstIndex(of: name) else { return nil }
      return values[index]
    }

    /// One value for each name that is written.
    package var written: [Runner.Tensor?] { wiring.writes.map { self[$0] } }
  }
}

extension ControlFlowOperator {
  /// Constants are not folded through layers that may run for minutes; a nested network may draw
  /// random numbers.
  public static var isDeterministic: Bool { false }

  /// Known only when the inputs are: by running.
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let values = inputs.compactMap(\.value)
    guard values.count == inputs.count else { return nil }
    return try reference(values).map { TensorType($0.shape) }
  }

  /// Runs nested networks by their layers' references.
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let result = try execute(inputs.map { Optional($0) }, with: ReferenceBlockRunner())
    return try zip(writes, result.values).map { name, value in
      guard let value else {
        throw EngineError(.invalidModel, "nothing has made '\(name)' on the way that was taken.")
      }
      return value
    }
  }

  /// Whether a value counts as true: the magnitude of its first element is more than a millionth.
  package func isTrue<Runner: BlockRunner>(
    _ tensor: Runner.Tensor, _ name: String, with runner: Runner
  ) throws -> Bool {
    guard let number = runner.number(in: tensor) else {
      throw EngineError(.invalidInput, "\(name) has no element, expected one number.")
    }
    return abs(number) > 1e-6
  }
}
