import Graph
import ModelFormat
import Operators

/// Builds `Loop` and `Scan` nodes as a loop over a region.
///
/// The loop passes these values from one iteration to the next: the iteration number, the condition, and the values
/// that the node itself carries. Some outputs of the node collect one element per iteration. For each such output, the
/// loop also carries a list.
struct RegionLoop {
  private let node: ONNXNode
  private let graph: ONNX.GraphProto
  private let scan: ScanAxes?

  /// The attributes of a `Scan` node: the number of carried values, and the axes and directions of its scanned inputs
  /// and outputs.
  private struct ScanAxes {
    let stateCount: Int
    let inputAxes: [Int]
    let outputAxes: [Int]
    let inputsReversed: [Bool]
    let outputsReversed: [Bool]
  }

  init(_ node: ONNXNode) throws {
    self.node = node
    graph = try node.graph("body")
    scan = nil
  }

  init(scanOf node: ONNXNode) throws {
    self.node = node
    graph = try node.graph("body")
    guard node.version >= 9 else {
      throw node.unsupported("opset 8 defines Scan differently; convert the model to opset 9.")
    }
    let count: Int = try node.int("num_scan_inputs")
    let states: Int = node.message.input.count - count
    guard count > 0, states >= 0, graph.input.count == node.message.input.count,
      graph.output.count == node.outputCount, states <= graph.output.count
    else {
      throw node.invalid(
        "it has \(node.message.input.count) inputs, \(count) of them scanned, and a body of \(graph.input.count) inputs."
      )
    }
    let made: Int = graph.output.count - states
    func list(_ name: String, _ count: Int) throws -> [Int] {
      let numbers: [Int] = node.ints(name) ?? [Int](repeating: 0, count: count)
      guard numbers.count == count else {
        throw node.invalid("'\(name)' has \(numbers.count) numbers, expected \(count).")
      }
      return numbers
    }
    scan = ScanAxes(
      stateCount: states, inputAxes: try list("scan_input_axes", count),
      outputAxes: try list("scan_output_axes", made),
      inputsReversed: try list("scan_input_directions", count).map { $0 != 0 },
      outputsReversed: try list("scan_output_directions", made).map { $0 != 0 })
  }

  /// Adds the loop, and returns the node's outputs.
  func run() throws -> [ONNXTensor] { try run(nil) }

  /// Adds the loop, and returns the node's outputs. If the lists turn out to have other element types than assumed,
  /// builds the body a second time.
  ///
  /// - Parameter known: The element types of the lists, if a first reading of the body has found them. Otherwise nil.
  private func run(_ known: [ElementType]?) throws -> [ONNXTensor] {
    let first: Int = scan == nil ? 2 : 0
    let carriedCount: Int = scan?.stateCount ?? node.message.input.count - 2
    guard carriedCount >= 0 else {
      throw node.invalid("it has fewer inputs than the two of a loop.")
    }
    let states: [ONNXTensor] = try (0..<carriedCount).map { try node.tensor(first + $0) }
    let conditionCount: Int = scan == nil ? 1 : 0
    let listCount: Int = graph.output.count - conditionCount - carriedCount
    guard listCount >= 0, graph.input.count >= carriedCount else {
      throw node.invalid(
        "its body returns \(graph.output.count) values, expected \(conditionCount + carriedCount) or more."
      )
    }
    guard scan != nil || graph.input.count == carriedCount + 2 else {
      throw node.invalid(
        "its body has \(graph.input.count) inputs, expected \(carriedCount + 2).")
    }
    let body = try RegionPart(inside: node.scope)
    let elements: [ElementType] = try known ?? listElements(listCount)
    let (iteration, condition, lists) = try bindArguments(body, states, elements, listCount)
    try body.scope.add(graph)
    var made: [ONNXTensor] = try graph.output.map { try body.scope.output($0.name) }
    let inner = ONNXNode(node, in: body.scope)
    let next: ONNXTensor = conditionCount == 1 ? made.removeFirst() : condition
    let zeroRank: Graph.ValueID = try inner.reshaped(inner.real(next), to: [])
    for position in 0..<carriedCount where made[position].element != states[position].element {
      throw node.invalid(
        "its body returns \(made[position].element) for a carried value of \(states[position].element)."
      )
    }
    let found: [ElementType] = made.dropFirst(carriedCount).map(\.element)
    if found != elements {
      guard known == nil else { throw node.invalid("its body returns \(found) in each iteration.") }
      return try run(found)
    }
    // In each iteration, the region returns the lists with one more element, and copies of the carried values. Copies
    // are necessary because the body may return one value twice.
    let lengthened: [ONNXTensor] = try zip(lists, made[carriedCount...]).map { list, value in
      let longer = try inner.add(ListWriteOperator(grows: true), list.id, iteration.id, value.id)
      return ONNXTensor(longer, value.element)
    }
    let following = try inner.join(.add, iteration.id, inner.constant(1, as: .int32))
    let carriedNext: [ONNXTensor] = try made.prefix(carriedCount).map { value in
      ONNXTensor(try inner.add(CopyOperator(), value.id), value.element)
    }
    body.outputs =
      [ONNXTensor(following, .int64), ONNXTensor(zeroRank, .bool)] + carriedNext + lengthened
    let ranks: [Int?] = made.dropFirst(carriedCount).map {
      body.scope.builder.rank(of: $0.id).map { $0 + 1 }
    }
    let results: [Graph.ValueID] = try addLoop(body, states, elements, ranks)
    return try finish(results, states, elements, ranks)
  }

  /// Returns the element types of the lists. The body's outputs state these types.
  private func listElements(_ count: Int) throws -> [ElementType] {
    try graph.output.suffix(count).map { output in
      guard case .tensorType(let tensor)? = output.type?.value else { return .float32 }
      return try ElementType(onnx: tensor.elemType)
    }
  }

  private func bindArguments(
    _ body: RegionPart, _ states: [ONNXTensor], _ elements: [ElementType], _ listCount: Int
  ) throws -> (iteration: ONNXTensor, condition: ONNXTensor, lists: [ONNXTensor]) {
    let iteration: ONNXTensor = body.carry("iteration", [], .int64)
    let condition: ONNXTensor = body.carry("condition", [], .bool)
    var inputs: ArraySlice<ONNX.ValueInfoProto> = graph.input[...]
    if scan == nil {
      for value in [iteration, condition] {
        if let input = inputs.popFirst() { body.scope.bind(input.name, to: .tensor(value)) }
      }
    }
    for state in states {
      guard let input = inputs.popFirst() else { break }
      // If the body does not state the extents of a carried value, these extents may change in every iteration.
      var extents: [Extent]? = node.builder.rank(of: state.id).map {
        [Extent](repeating: Extent(from: 0), count: $0)
      }
      if case .tensorType(let tensor)? = input.type?.value, let stated = tensor.shape?.extents,
        stated.count == extents?.count ?? stated.count
      {
        extents = stated.map { $0.fixed == nil ? Extent(from: 0) : $0 }
      }
      let value: ONNXTensor = body.carry(input.name, extents, state.element)
      body.scope.bind(input.name, to: .tensor(value))
    }
    let lists: [ONNXTensor] = (0..<listCount).map { body.carry("list \($0)", nil, elements[$0]) }
    if let scan {
      let inner = ONNXNode(node, in: body.scope)
      for (position, input) in inputs.enumerated() {
        body.scope.bind(input.name, to: .tensor(try slice(position, scan, iteration, inner)))
      }
    }
    return (iteration, condition, lists)
  }

  /// Returns the slice of a scanned input that the current iteration reads.
  private func slice(_ position: Int, _ scan: ScanAxes, _ iteration: ONNXTensor, _ inner: ONNXNode)
    throws -> ONNXTensor
  {
    let scanned: ONNXTensor = try inner.tensor(scan.stateCount + position)
    let rank: Int = try inner.rank(scanned)
    let axis: Int = try inner.axis(scan.inputAxes[position], rank: rank)
    var index: Graph.ValueID = iteration.id
    if scan.inputsReversed[position] {
      index = try inner.join(.subtract, inner.constant(-1, as: .int32), index)
    }
    return ONNXTensor(try inner.add(GatherOperator(axis: axis), scanned.id, index), scanned.element)
  }

  private func addLoop(
    _ body: RegionPart, _ states: [ONNXTensor], _ elements: [ElementType], _ ranks: [Int?]
  ) throws -> [Graph.ValueID] {
    var rule = LoopRule(hasCondition: false)
    var most: [Graph.ValueID] = []
    var first: Graph.ValueID = node.constant(1)
    if let scan {
      rule.countsByInput = true
      let scanned: ONNXTensor = try node.tensor(scan.stateCount)
      let axis: Int = try node.axis(scan.inputAxes[0], rank: node.rank(scanned))
      most = [try node.extent(of: scanned.id, axis: axis)]
    } else {
      if let iterations = try node.optional(0) {
        rule.countsByInput = true
        most = [try node.integer(iterations)]
      }
      if let condition = try node.optional(1) {
        first = try node.reshaped(node.real(condition), to: [])
      }
      rule.hasCondition = try !isAlwaysTrue()
    }
    var parts: [RegionPart] = [body]
    if rule.hasCondition {
      // The condition is one of the carried values. The condition's region returns the condition, and then returns all
      // carried values unchanged.
      let condition = try RegionPart(inside: node.scope)
      let arguments: [ONNXTensor] = body.carried.indices.map { position in
        let value: Graph.ValueID = body.carried[position]
        let inside: GraphBuilder = body.scope.builder
        return condition.carry(
          inside.graph[value].name, nil,
          position == 0
            ? .int64 : inside.isInteger(value) ? .int64 : element(at: position, states, elements))
      }
      condition.outputs = [arguments[1]] + arguments
      parts = [condition, body]
    }
    let (captured, regions) = try RegionPart.regions(parts, node.scope)
    let lists: [Graph.ValueID] = try elements.enumerated().map { position, element in
      // A list begins without elements. An unknown extent of its elements is 0 here. The first appended element sets
      // this extent.
      guard
        let shape = emptyShape(position, states)
          ?? ranks[position].map({ [Int](repeating: 0, count: $0 - 1) })
      else {
        throw node.unsupported("the number of axes of an iteration's list element is not known.")
      }
      return node.constant(
        ReferenceTensor(Shape([0] + shape), repeating: 0, element.heldFromONNX))
    }
    let start: [Graph.ValueID] =
      [node.constant(0, as: .int32), first] + states.map(\.id) + lists
    return try node.builder.add(
      LoopOperator(rule), most + start + captured, outputs: start.count, name: node.name,
      regions: regions)
  }

  /// Returns the shape that the body's output declares for the elements of a list. Dynamic extents are 0. Nil if the
  /// output declares no shape.
  private func emptyShape(_ position: Int, _ states: [ONNXTensor]) -> [Int]? {
    let skipped: Int = (scan == nil ? 1 : 0) + states.count
    guard case .tensorType(let tensor)? = graph.output[skipped + position].type?.value,
      let extents = tensor.shape?.extents
    else { return nil }
    return extents.map { $0.fixed ?? 0 }
  }

  private func element(at position: Int, _ states: [ONNXTensor], _ elements: [ElementType])
    -> ElementType
  {
    if position < 2 { return .bool }
    return position < 2 + states.count
      ? states[position - 2].element : elements[position - 2 - states.count]
  }

  /// Returns whether the condition always stays true. It does if its first value is true, and the body returns the
  /// condition unchanged or returns true.
  private func isAlwaysTrue() throws -> Bool {
    if let condition = try node.optional(1) {
      guard let isTrue = try node.constant(condition)?.reals.first, isTrue != 0 else {
        return false
      }
    }
    guard var name = graph.output.first?.name, graph.input.count > 1 else { return false }
    for _ in 0..<8 {
      if name == graph.input[1].name { return true }
      guard let maker = graph.node.first(where: { $0.output.contains(name) }) else { break }
      if maker.opType == "Identity", let source = maker.input.first {
        name = source
        continue
      }
      if maker.opType == "Constant",
        let tensor = maker.attribute.first(where: { $0.name == "value" })?.t
      {
        return try tensor.constant(in: node.scope.context).constant.tensor().reals.first != 0
      }
      return false
    }
    if let tensor = graph.initializer.first(where: { $0.name == name }) {
      return try tensor.constant(in: node.scope.context).constant.tensor().reals.first != 0
    }
    return false
  }

  /// Returns the node's results: the carried values, and then the lists. The lists become tensors with the axes and the
  /// directions that the node states.
  private func finish(
    _ results: [Graph.ValueID], _ states: [ONNXTensor], _ elements: [ElementType], _ ranks: [Int?]
  ) throws -> [ONNXTensor] {
    var outputs: [ONNXTensor] = []
    for (position, state) in states.enumerated() {
      let value: Graph.ValueID = results[2 + position]
      if let rank = node.builder.rank(of: state.id) {
        node.builder.state(
          [Extent](repeating: Extent(from: 0), count: rank), state.element.heldFromONNX, of: value)
      }
      outputs.append(ONNXTensor(value, state.element))
    }
    for (position, element) in elements.enumerated() {
      var value: Graph.ValueID = results[2 + states.count + position]
      let skipped: Int = (scan == nil ? 1 : 0) + states.count
      var rank: Int? = ranks[position]
      if let rank {
        node.builder.state(
          [Extent](repeating: Extent(from: 0), count: rank), element.heldFromONNX, of: value)
      }
      if case .tensorType(let tensor)? = graph.output[skipped + position].type?.value,
        let shape = tensor.shape
      {
        rank = shape.dim.count + 1
        node.builder.state(
          [Extent(from: 0)]
            + shape.extents.map { $0.fixed == nil ? Extent(from: 0) : $0 },
          element.heldFromONNX, of: value)
      }
      if let scan {
        let isReversed: Bool = scan.outputsReversed[position]
        let axis: Int = scan.outputAxes[position]
        if isReversed || axis != 0 {
          guard let rank else {
            throw node.unsupported("the number of axes of a scanned output is not known.")
          }
          if isReversed {
            value = try node.add(
              ReverseOperator(isReversed: (0..<rank).map { $0 == 0 }), value)
          }
          var axes = Array(1..<rank)
          axes.insert(0, at: try node.axis(axis, rank: rank))
          value = try node.transposed(value, axes)
        }
      }
      outputs.append(ONNXTensor(value, element))
    }
    return outputs
  }
}

extension ONNXNode {
  /// Makes the same node in the scope of a graph inside of the node.
  init(_ node: ONNXNode, in scope: GraphScope) {
    message = node.message
    self.scope = scope
    name = node.name
    attributes = node.attributes
  }
}
