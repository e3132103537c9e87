/// A layer that runs other layers: a branch, a loop, or what ends one early.
///
/// A node of such a layer reads the inputs that the message connects and then ``captures``, and
/// writes ``writes``. Which of these values exist is known when the network runs: a branch that is
/// not taken makes nothing.
public protocol ControlFlowOperator: Operator {
  /// The nested networks.
  var blocks: [Block] { get }
  /// The names of the surrounding network that the nested ones read or may leave as they are.
  var captures: [Block.Capture] { get }
  /// The names that the nested networks write for the surrounding one.
  var writes: [String] { get }

  /// Runs nested networks: values that do not exist are nil.
  ///
  /// - Parameters:
  ///   - inputs: the message's inputs and the captures; captures missing at the end do not exist.
  ///   - runner: runs one nested network.
  /// - Returns: one value for each of ``writes``, and how the layer was left.
  func execute<Runner: BlockRunner>(
    _ inputs: [Runner.Tensor?], with runner: Runner
  ) throws -> BlockResult<Runner.Tensor>
}

/// How the layers of a network came to their end.
public enum BlockExit: Sendable, Hashable {
  /// The last layer was reached.
  case end
  /// The loop around is left.
  case breaksLoop
  /// The loop around goes on with its next round.
  case continuesLoop
}

/// What a nested network has made.
public struct BlockResult<Tensor> {
  /// One value for each name that is written; nil for those that do not exist.
  public var values: [Tensor?]
  /// How the network came to its end.
  public var exit: BlockExit

  /// A result.
  public init(_ values: [Tensor?], _ exit: BlockExit = .end) {
    self.values = values
    self.exit = exit
  }
}

/// Runs nested networks on tensors of one kind: reference values, or planned memory.
public protocol BlockRunner {
  /// What flows.
  associatedtype Tensor

  /// The most rounds that a loop may take.
  var loopLimit: Int { get }

  /// Runs a nested network on one value per capture of it.
  func run(_ block: Block, _ inputs: [Tensor?]) throws -> BlockResult<Tensor>

  /// The first value of a tensor; nil for empty ones.
  func number(in tensor: Tensor) -> Double?
}

/// Runs nested networks by the layers' references alone: the definition.
public struct ReferenceBlockRunner: BlockRunner {
  /// The most rounds that a loop may take.
  public let loopLimit: Int

  /// A runner.
  public init(loopLimit: Int = Graph.defaultLoopLimit) { self.loopLimit = loopLimit }

  public func number(in tensor: ReferenceTensor) -> Double? {
    tensor.values.first
  }

  public func run(_ block: Block, _ inputs: [ReferenceTensor?]) throws
    -> BlockResult<ReferenceTensor>
  {
    let graph = block.graph
    var values = [ReferenceTensor?](repeating: nil, count: graph.values.count)
    for (value, tensor) in zip(graph.inputs, inputs) { values[value.index] = tensor }
    func read(_ value: Graph.ValueID) throws -> ReferenceTensor? {
      try values[value.index] ?? graph[value].constant?.tensor()
    }
    var exit = BlockExit.end
    for node in graph.nodes {
      let made: [ReferenceTensor?]
      if let control = node.operation as? any ControlFlowOperator {
        let result = try control.execute(try node.inputs.map(read), with: self)
        (made, exit) = (result.values, result.exit)
      } else {
        made = try node.operation.reference(
          try node.inputs.map { input in
            guard let value = try read(input) else { throw node.missing(graph[input].name) }
            return value
          })
      }
      for (value, tensor) in zip(node.outputs, made) { values[value.index] = tensor }
      if exit != .end { break }
    }
    return BlockResult(block.results(values), exit)
  }
}

extension Graph.Node {
  /// An error that a value does not exist on the way that was taken.
  package func missing(_ value: String) -> EngineError {
    EngineError(
      .invalidModel,
      "Layer '\(name)' reads '\(value)', which no layer has made on the way that was taken through the network's branches and loops."
    )
  }
}
