import Graph
import ModelFormat

/// Turns the blocks of one operation into regions.
///
/// All regions have the same arguments, in this order: the values that the loop carries, the states that blocks write,
/// the states that blocks only read, and the captured values of the outer block. The last outputs of a region are the
/// written states.
final class NestedBlocks {
  private let operation: ProgramOperation
  private let blocks: [Spec.MILSpec.Block]
  /// The names of the states: first those that at least one block writes, and then those that blocks only read.
  private let states: [String]
  private let writtenCount: Int
  private var builders: [ProgramBuilder] = []
  private var outputs: [[ProgramValue]] = []
  private var arguments: [[Graph.ValueID]] = []

  /// The largest nesting depth of blocks.
  private static let depthLimit = 64

  init(_ operation: ProgramOperation, blocks count: Int) throws {
    self.operation = operation
    blocks = operation.message.blocks
    guard blocks.count == count else {
      throw operation.invalid("it has \(blocks.count) blocks, expected \(count).")
    }
    guard operation.builder.depth < NestedBlocks.depthLimit else {
      throw operation.invalid("blocks are nested more than \(NestedBlocks.depthLimit) deep.")
    }
    let (read, written) = blocks.stateNames()
    // Names that are not states are ignored here. When the operation that uses such a name is read, the reader throws.
    let known: Set<String> = Set(operation.builder.states.keys)
    let changed: [String] = written.intersection(known).sorted()
    states = changed + read.intersection(known).subtracting(written).sorted()
    writtenCount = changed.count
  }

  /// Returns the value of the graph that stores a tensor or a list.
  static func id(_ value: ProgramValue) throws -> Graph.ValueID {
    switch value {
    case .tensor(let tensor), .list(let tensor): return tensor.id
    case .strings, .state:
      throw EngineError(.unsupported, "strings and states cannot be carried by a loop.")
    }
  }

  /// Reads the blocks. In a loop, the inputs of the blocks are the carried values.
  func read(carrying values: [ProgramValue] = []) throws {
    for block in blocks {
      let builder = ProgramBuilder(inside: operation.builder)
      guard block.inputs.count == values.count else {
        throw operation.invalid(
          "a block has \(block.inputs.count) inputs, expected \(values.count).")
      }
      var arguments: [Graph.ValueID] = []
      for (input, value) in zip(block.inputs, values) {
        arguments.append(try NestedBlocks.bind(input, to: value, in: builder))
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
            throw operation.invalid("a block returns '\(name)', which no operation makes.")
          }
          return value
        })
      self.arguments.append(arguments)
      builders.append(builder)
    }
  }

  /// Makes an argument of a block. Inside the block, the argument is not constant, even if the value with which a loop
  /// begins is constant.
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

  /// The number of outputs of the control-flow operator.
  var outputCount: Int { operation.outputs.count + writtenCount }

  /// The names that at least one block captures, in the order of their first use.
  private var names: [String] {
    var seen: Set<String> = []
    return builders.flatMap { $0.captures.map(\.name) }.filter { seen.insert($0).inserted }
  }

  /// Returns the outer values that the blocks capture.
  func captured() throws -> [Graph.ValueID] {
    try names.map { name in
      guard let value = operation.builder.lookup(name) else {
        throw operation.invalid("a block reads '\(name)', which no operation makes.")
      }
      return try NestedBlocks.id(value)
    }
  }

  /// Returns the blocks as regions. All regions have the same arguments. The first region of a loop returns the loop's
  /// condition, then the carried values unchanged, and then the values that the region last wrote to the states.
  func regions(isLoop: Bool = false) throws -> [Graph.Region] {
    let names: [String] = names
    return try builders.enumerated().map { position, builder in
      let own = Dictionary(uniqueKeysWithValues: builder.captures.map { ($0.name, $0.inner) })
      builder.graph.inputs =
        arguments[position] + names.map { own[$0] ?? builder.graph.addValue($0) }
      let given: [Graph.ValueID] = try outputs[position].map(NestedBlocks.id)
      let isCondition: Bool = isLoop && position == 0
      let expected: Int = isCondition ? 1 : operation.outputs.count
      guard given.count == expected else {
        throw operation.invalid("a block returns \(given.count) values, expected \(expected).")
      }
      builder.graph.outputs =
        given + (isCondition ? arguments[position].dropLast(states.count) : [])
        + states.prefix(writtenCount).compactMap { builder.states[$0]?.id }
      return Graph.Region(builder.graph)
    }
  }

  /// Returns the results of the operation. The operation declares whether a result is a tensor or a list. Also updates
  /// the newest values of the written states.
  func results(_ made: [Graph.ValueID]) throws -> [ProgramResult] {
    for (name, value) in zip(states, made.suffix(writtenCount)) {
      operation.builder.states[name]?.id = value
      operation.builder.states[name]?.constant = nil
    }
    // All blocks return the same types of lists. So the types of the last block suffice.
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
