import Graph
import ModelFormat
import Operators

extension ProgramNode {
  /// Writes a branch or a loop.
  func control() throws -> [MILValue] {
    switch node.operation {
    case is BranchOperator: return try branch()
    case let loop as LoopOperator: return try self.loop(loop.loop)
    default: throw unsupported("programs cannot express leaving a loop early.")
    }
  }

  /// Computes a condition: whether the magnitude of the first element of a value exceeds 10⁻⁶.
  private func condition(_ value: MILValue, in block: BlockWriter) throws -> MILValue {
    let inside = ProgramNode(node: node, block: block, real: real)
    let first: MILValue = try inside.scalar(value)
    if first.element == .bool { return first }
    let number: MILValue = try block.cast(first, to: .float32)
    let size = try block.add(
      "abs", ["x": .value(number)], .float32, [], name: node.name)
    return try block.add(
      "greater",
      [
        "x": .value(size),
        "y": .value(try block.numbers(ReferenceTensor([], [1e-6]), .float32)),
      ], .bool, [], name: node.name)
  }

  /// Writes a region as a block. `arguments` are the values of the region's inputs in the program.
  private func region(_ region: Graph.Region, _ arguments: [MILValue]) throws -> BlockWriter {
    let known: KnownTypes = block.known.inside(region, of: node)
    let inner = BlockWriter(block.output, region.graph, known)
    for (id, value) in zip(region.graph.inputs, arguments) { inner.bind(id, to: value) }
    guard region.graph.nodes.allSatisfy({ $0.leaving == nil }) else {
      throw unsupported("programs cannot express leaving a loop early.")
    }
    try inner.addNodes()
    return inner
  }

  private func branch() throws -> [MILValue] {
    let arguments: [MILValue] = try node.arguments.map { try block.value(of: $0) }
    let predicate: MILValue = try condition(
      try block.value(of: node.inputs[0]), in: block)
    let sides: [BlockWriter] = try node.regions.map { try region($0, arguments) }
    var made: [(ElementType, [Int?])] = []
    var outputs: [[String]] = [[], []]
    for position in node.outputs.indices {
      let values: [MILValue] = try zip(sides, node.regions).map { side, region in
        try side.value(of: region.graph.outputs[position])
      }
      guard values[0].rank == values[1].rank else {
        throw unsupported("its branches return values of different ranks.")
      }
      let element: ElementType =
        values[0].element == values[1].element
        ? values[0].element
        : values.allSatisfy({ $0.element == .int32 }) ? .int32 : block.output.real
      let extents: [Int?] = zip(values[0].extents, values[1].extents).map { $0 == $1 ? $0 : nil }
      for (index, side) in sides.enumerated() {
        // A block must return values that its own operations compute.
        let cast: MILValue = try side.cast(values[index], to: element)
        outputs[index].append(try side.own(cast).name)
      }
      made.append((element, extents))
    }
    let blocks: [Spec.MILSpec.Block] = zip(sides, outputs).map { side, names in
      .making {
        $0.operations = side.operations
        $0.outputs = names
      }
    }
    return try block.add(
      "cond", ["pred": .value(predicate)], made, name: node.name, real: real, blocks: blocks)
  }

  private func loop(_ rule: LoopRule) throws -> [MILValue] {
    let arguments: [MILValue] = try node.arguments.map { try block.value(of: $0) }
    let count: Int = node.outputs.count
    guard let body = node.regions.last else { throw unsupported("the loop has no body.") }
    // A loop must return its carried values in the types that these values have before the loop. The types omit extents
    // that change between iterations.
    var carried: [MILValue] = Array(arguments.prefix(count))
    for position in carried.indices where carried[position].element == .bool {
      carried[position] = try block.cast(carried[position], to: block.output.real)
    }
    let types = block.known.inside(body, of: node)
    let open: [[Int?]] = carried.enumerated().map { position, value in
      let after: [Int?]? = types.extents(of: body.graph.outputs[position])
      guard let after, after.count == value.rank else { return value.extents }
      return zip(value.extents, after).map { $0 == $1 ? $0 : nil }
    }
    let isCounted: Bool = rule.countsByInput || rule.most != nil
    var start: [MILValue] = carried
    if isCounted {
      start.append(try block.numbers(ReferenceTensor([], integerValues: [0], .int32), .int32))
    }
    let most: MILValue? =
      isCounted
      ? try rule.countsByInput
        ? scalar(try block.cast(try block.value(of: node.inputs[0]), to: .int32))
        : block.numbers(ReferenceTensor([], integerValues: [Int64(rule.most ?? 0)], .int32), .int32)
      : nil

    func inputs() -> [MILValue] {
      start.enumerated().map { position, value in
        MILValue(
          name: block.output.name("\(node.name)_x\(position)"), element: value.element,
          extents: position < open.count ? open[position] : [])
      }
    }
    func handed(_ inputs: [MILValue]) -> [MILValue] {
      Array(inputs.prefix(count)) + arguments.dropFirst(count)
    }
    let tested: [MILValue] = inputs()
    let test = try test(rule, tested, handed(tested), most, count)
    let turned: [MILValue] = inputs()
    let iteration: BlockWriter = try region(body, handed(turned))
    var names: [String] = []
    for position in 0..<count {
      let value: MILValue = try iteration.value(of: body.graph.outputs[position])
      names.append(try iteration.own(try iteration.cast(value, to: start[position].element)).name)
    }
    if isCounted, let counter = turned.last {
      let one = try iteration.numbers(ReferenceTensor([], integerValues: [1], .int32), .int32)
      names.append(
        try iteration.add(
          "add", ["x": .value(counter), "y": .value(one)], .int32, [],
          name: "\(node.name)_iteration"
        ).name)
    }
    func message(_ writer: BlockWriter, _ inputs: [MILValue], _ outputs: [String])
      -> Spec.MILSpec.Block
    {
      .making {
        $0.inputs = inputs.map { input in
          .making {
            $0.name = input.name
            $0.type = input.type
          }
        }
        $0.operations = writer.operations
        $0.outputs = outputs
      }
    }
    let made = try block.add(
      "while_loop", ["loop_vars": .values(start)],
      start.enumerated().map { ($1.element, $0 < open.count ? open[$0] : []) }, name: node.name,
      real: real,
      blocks: [message(test.block, tested, [test.name]), message(iteration, turned, names)])
    return Array(made.prefix(count))
  }

  /// Writes the block that decides whether the loop runs another iteration.
  private func test(
    _ rule: LoopRule, _ inputs: [MILValue], _ handed: [MILValue], _ most: MILValue?, _ count: Int
  ) throws -> (block: BlockWriter, name: String) {
    var writer = BlockWriter(block.output, Graph(), block.known)
    var result: MILValue?
    if rule.hasCondition, let region = node.regions.first {
      let passedOn = Array(region.graph.outputs.dropFirst())
      guard passedOn == Array(region.graph.inputs.prefix(passedOn.count)) else {
        throw unsupported("its condition changes what the loop carries.")
      }
      writer = try self.region(region, handed)
      result = try condition(try writer.value(of: region.graph.outputs[0]), in: writer)
    }
    if let most, let counter = inputs.last {
      let isLess = try writer.add(
        "less", ["x": .value(counter), "y": .value(most)], .bool, [], name: "\(node.name)_more")
      result =
        try result.map {
          try writer.add(
            "logical_and", ["x": .value($0), "y": .value(isLess)], .bool, [], name: node.name)
        } ?? isLess
    }
    guard let result else { throw unsupported("nothing ends the loop.") }
    return (writer, try writer.own(result).name)
  }
}

extension BlockWriter {
  /// Returns a value that this block's own operations compute: `value`, or a copy if an operation outside the block
  /// computes `value`.
  func own(_ value: MILValue) throws -> MILValue {
    let isOwn: Bool = operations.contains { $0.outputs.contains { $0.name == value.name } }
    if isOwn { return value }
    return try add("identity", ["x": .value(value)], value.element, value.extents, name: value.name)
  }
}
