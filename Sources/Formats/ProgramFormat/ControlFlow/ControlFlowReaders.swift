import Graph
import ModelFormat
import Operators

/// Branches and loops: blocks become regions.
enum ControlFlowReaders {
  static let all: [OperationReader] = [
    OperationReader("cond", as: [BranchOperator.self], .exact) { operation in
      let predicate = try operation.tensor("pred")
      let nest = Nest(operation)
      try nest.add(blocks: 2)
      let made = operation.builder.add(
        BranchOperator(), [predicate.id] + (try nest.captured()),
        outputs: operation.outputs.count, name: operation.name, regions: try nest.regions())
      return nest.results(made)
    },
    OperationReader("while_loop", as: [LoopOperator.self], .exact) { operation in
      let carried: [ProgramValue] = try operation.values("loop_vars")
      let nest = Nest(operation)
      try nest.add(blocks: 2, carrying: carried)
      let made = operation.builder.add(
        LoopOperator(LoopRule(hasCondition: true)),
        try carried.map(Nest.id) + (try nest.captured()), outputs: carried.count,
        name: operation.name, regions: try nest.regions(isLoop: true))
      return nest.results(made)
    },
  ]
}

/// The blocks of one operation while they become regions.
private final class Nest {
  private let operation: ProgramOperation
  private var builders: [ProgramBuilder] = []
  private var outputs: [[Graph.ValueID]] = []
  private var carried: [[Graph.ValueID]] = []

  /// The most blocks that may stand within each other.
  private static let depthLimit = 64

  init(_ operation: ProgramOperation) { self.operation = operation }

  /// The tensor that a value is kept as.
  static func id(_ value: ProgramValue) throws -> Graph.ValueID {
    switch value {
    case .tensor(let tensor), .list(let tensor): return tensor.id
    case .strings, .state:
      throw EngineError(.unsupported, "strings and states cannot be carried by a loop.")
    }
  }

  /// Reads the blocks; with values to carry their inputs stand for those.
  func add(blocks count: Int, carrying values: [ProgramValue]? = nil) throws {
    let blocks: [Spec.MILSpec.Block] = operation.message.blocks
    guard blocks.count == count else {
      throw operation.invalid("it has \(blocks.count) blocks, expected \(count).")
    }
    guard operation.builder.depth < Nest.depthLimit else {
      throw operation.invalid("more than \(Nest.depthLimit) blocks stand within each other.")
    }
    for block in blocks {
      let builder = ProgramBuilder(inside: operation.builder)
      var arguments: [Graph.ValueID] = []
      if let values {
        guard block.inputs.count == values.count else {
          throw operation.invalid(
            "a block has \(block.inputs.count) inputs, expected \(values.count).")
        }
        for (input, value) in zip(block.inputs, values) {
          arguments.append(try Nest.bind(input, to: value, in: builder))
        }
      }
      try builder.add(block.operations)
      outputs.append(
        try block.outputs.map { name in
          guard let value = builder.lookup(name) else {
            throw operation.invalid("a block gives '\(name)', which nothing makes.")
          }
          return try Nest.id(value)
        })
      carried.append(arguments)
      builders.append(builder)
    }
  }

  /// An argument of a block; it is no constant, whatever the first turn's value is.
  private static func bind(
    _ input: Spec.MILSpec.NamedValueType, to value: ProgramValue, in builder: ProgramBuilder
  ) throws -> Graph.ValueID {
    let inner: Graph.ValueID = builder.graph.addValue(input.name)
    switch value {
    case .tensor(let outer):
      let written = try WrittenType(input.type)
      builder.bind(
        input.name,
        to: .tensor(ProgramTensor(inner, outer.element, written?.extents ?? outer.extents)))
    case .list(let outer):
      builder.bind(input.name, to: .list(ProgramTensor(inner, outer.element, outer.extents)))
    case .strings, .state: _ = try id(value)
    }
    return inner
  }

  /// The names that some block takes from around, in the order of first use.
  private var names: [String] {
    var seen: Set<String> = []
    return builders.flatMap { $0.captures.map(\.name) }.filter { seen.insert($0).inserted }
  }

  /// The values around that the blocks take.
  func captured() throws -> [Graph.ValueID] {
    try names.map { name in
      guard let value = operation.builder.lookup(name) else {
        throw operation.invalid("a block reads '\(name)', which nothing makes.")
      }
      return try Nest.id(value)
    }
  }

  /// The blocks as regions that all have the same arguments. The condition of a loop gives the carried values
  /// as they came, after the condition.
  func regions(isLoop: Bool = false) throws -> [Graph.Region] {
    let names: [String] = names
    return builders.enumerated().map { position, builder in
      let own = Dictionary(uniqueKeysWithValues: builder.captures.map { ($0.name, $0.inner) })
      builder.graph.inputs =
        carried[position] + names.map { own[$0] ?? builder.graph.addValue($0) }
      builder.graph.outputs =
        outputs[position] + (isLoop && position == 0 ? carried[position] : [])
      return Graph.Region(builder.graph)
    }
  }

  /// What the operation has made: tensors and lists as its outputs are written.
  func results(_ made: [Graph.ValueID]) -> [ProgramResult] {
    zip(made, operation.outputs).map { value, type in
      type?.kind == .list ? .list(value) : .value(value)
    }
  }
}
