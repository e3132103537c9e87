import Graph
import ModelFormat

/// The blocks of one operation while they become regions.
///
/// The arguments of every region are what a loop carries, the states that the blocks write, the states that they
/// only read, and what they take from around, in this order. The outputs end with the written states.
final class Nest {
  private let operation: ProgramOperation
  private let blocks: [Spec.MILSpec.Block]
  /// The states that some block writes, then those that blocks only read.
  private let states: [String]
  private let writtenCount: Int
  private var builders: [ProgramBuilder] = []
  private var outputs: [[ProgramValue]] = []
  private var arguments: [[Graph.ValueID]] = []

  /// The most blocks that may stand within each other.
  private static let depthLimit = 64

  init(_ operation: ProgramOperation, blocks count: Int) throws {
    self.operation = operation
    blocks = operation.message.blocks
    guard blocks.count == count else {
      throw operation.invalid("it has \(blocks.count) blocks, expected \(count).")
    }
    guard operation.builder.depth < Nest.depthLimit else {
      throw operation.invalid("more than \(Nest.depthLimit) blocks stand within each other.")
    }
    let (read, written) = blocks.stateNames()
    // A name that stands for no state is refused where it is read.
    let known: Set<String> = Set(operation.builder.states.keys)
    let changed: [String] = written.intersection(known).sorted()
    states = changed + read.intersection(known).subtracting(written).sorted()
    writtenCount = changed.count
  }

  /// The tensor that a value is kept as.
  static func id(_ value: ProgramValue) throws -> Graph.ValueID {
    switch value {
    case .tensor(let tensor), .list(let tensor): return tensor.id
    case .strings, .state:
      throw EngineError(.unsupported, "strings and states cannot be carried by a loop.")
    }
  }

  /// Reads the blocks; with values to carry their inputs stand for those.
  func read(carrying values: [ProgramValue] = []) throws {
    for block in blocks {
      let builder = ProgramBuilder(inside: operation.builder)
      guard block.inputs.count == values.count else {
        throw operation.invalid(
          "a block has \(block.inputs.count) inputs, expected \(values.count).")
      }
      var arguments: [Graph.ValueID] = []
      for (input, value) in zip(block.inputs, values) {
        arguments.append(try Nest.bind(input, to: value, in: builder))
      }
      for name in states {
        guard var inner = operation.builder.states[name] else { continue }
        inner.id = builder.graph.addValue(name)
        inner.constant = nil
        builder.states[name] = inner
        arguments.append(inner.id)
      }
      try builder.add(block.operations)
      outputs.append(
        try block.outputs.map { name in
          guard let value = builder.lookup(name) else {
            throw operation.invalid("a block gives '\(name)', which nothing makes.")
          }
          return value
        })
      self.arguments.append(arguments)
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
      var list = ProgramTensor(inner, outer.element, outer.extents)
      list.grows = outer.grows
      builder.bind(input.name, to: .list(list))
    case .strings, .state: _ = try id(value)
    }
    return inner
  }

  /// The newest values of the states that the blocks read or write.
  var stateArguments: [Graph.ValueID] { states.compactMap { operation.builder.states[$0]?.id } }

  /// The number of values that the operator makes.
  var outputCount: Int { operation.outputs.count + writtenCount }

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
  /// as they came and the states as it leaves them, after the condition.
  func regions(isLoop: Bool = false) throws -> [Graph.Region] {
    let names: [String] = names
    return try builders.enumerated().map { position, builder in
      let own = Dictionary(uniqueKeysWithValues: builder.captures.map { ($0.name, $0.inner) })
      builder.graph.inputs =
        arguments[position] + names.map { own[$0] ?? builder.graph.addValue($0) }
      let given: [Graph.ValueID] = try outputs[position].map(Nest.id)
      let isCondition: Bool = isLoop && position == 0
      let expected: Int = isCondition ? 1 : operation.outputs.count
      guard given.count == expected else {
        throw operation.invalid("a block gives \(given.count) values, expected \(expected).")
      }
      builder.graph.outputs =
        given + (isCondition ? arguments[position].dropLast(states.count) : [])
        + states.prefix(writtenCount).compactMap { builder.states[$0]?.id }
      return Graph.Region(builder.graph)
    }
  }

  /// What the operation has made: tensors and lists as its outputs are written. States that were written have
  /// new values after it.
  func results(_ made: [Graph.ValueID]) throws -> [ProgramResult] {
    for (name, value) in zip(states, made.suffix(writtenCount)) {
      operation.builder.states[name]?.id = value
      operation.builder.states[name]?.constant = nil
    }
    // What a list is, every way through the operation agrees on.
    let last: [ProgramValue] = outputs.last ?? []
    return zip(made, operation.outputs.indices).map { value, position in
      guard operation.outputs[position]?.kind == .list else { return .value(value) }
      guard case .list(let list)? = last.dropFirst(position).first else {
        return .list(value, grows: true)
      }
      return .list(value, grows: list.grows)
    }
  }
}
