import Graph
import ModelFormat
import Operators

/// An operator that operations of ML Programs can spell.
package protocol ProgramWritable: Operator {
  /// Writes operations and gives the outputs, in whatever types they come.
  ///
  /// - Throws: `unsupported`, a sentence without the operator's name, where no operations say the same.
  func write(_ node: ProgramNode) throws -> [MILValue]
}

/// A node while it is written: its inputs in the types that operations want, and what is known of them.
package struct ProgramNode {
  /// The node.
  let node: Graph.Node
  /// Where its operations go.
  let block: BlockWriter
  /// In which type the node computes with fractions.
  let real: ElementType

  /// The number of inputs.
  var inputCount: Int { node.inputs.count }
  /// The set of operations that the program is written in.
  var opset: Opset { block.output.opset }

  /// An error that no operations say the same.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - What is known

  /// The extents of an input.
  func extents(_ input: Int) throws -> [Int?] {
    guard let extents = block.known.extents(of: node.inputs[input]) else {
      throw unsupported("the rank of input \(input + 1) is not known before the network runs.")
    }
    return extents
  }

  /// The number of axes of an input.
  func rank(_ input: Int) throws -> Int { try extents(input).count }

  /// An axis counted from the first one.
  func axis(_ axis: Int, of input: Int = 0) throws -> Int {
    axis < 0 ? axis + (try rank(input)) : axis
  }

  /// The extents of an output.
  func made(_ output: Int = 0) throws -> [Int?] {
    guard let extents = block.known.extents(of: node.outputs[output]) else {
      throw unsupported("the rank of its output is not known before the network runs.")
    }
    return extents
  }

  /// The extents of an output, where they are known.
  func knownExtents(ofOutput output: Int = 0) -> [Int?]? {
    block.known.extents(of: node.outputs[output])
  }

  /// Whether an input holds whole numbers in the graph.
  func isWhole(_ input: Int) -> Bool {
    block.known.element(of: node.inputs[input])?.isInteger ?? false
  }

  /// The values of an input that does not change.
  func constant(_ input: Int) -> Constant? {
    guard node.inputs.indices.contains(input) else { return nil }
    return block.graph[node.inputs[input]].constant ?? block.known.constant(of: node.inputs[input])
  }

  /// The numbers of an input that does not change.
  func ints(_ input: Int) -> [Int]? { (try? constant(input)?.tensor())?.integers }

  // MARK: - Inputs

  /// An input as numbers with fractions.
  func real(_ input: Int) throws -> MILValue {
    if let constant = block.graph[node.inputs[input]].constant, !constant.type.element.isInteger {
      return try block.real(constant, as: real)
    }
    return try block.cast(block.value(of: node.inputs[input]), to: real)
  }

  /// An input as whole numbers.
  func whole(_ input: Int) throws -> MILValue {
    if let constant = block.graph[node.inputs[input]].constant { return try block.whole(constant) }
    return try block.cast(block.value(of: node.inputs[input]), to: .int32)
  }

  /// An input as truth values.
  func truth(_ input: Int) throws -> MILValue {
    try block.cast(block.value(of: node.inputs[input]), to: .bool)
  }

  /// An input in the kind of numbers that the graph holds.
  func held(_ input: Int) throws -> MILValue {
    isWhole(input) ? try whole(input) : try real(input)
  }

  /// An input as it was made, for what only moves elements: several of them in one type.
  func moved(_ inputs: Range<Int>) throws -> [MILValue] {
    let values: [MILValue] = try inputs.map { input in
      if let constant = block.graph[node.inputs[input]].constant,
        !constant.type.element.isInteger
      {
        return try real(input)
      }
      return try block.value(of: node.inputs[input])
    }
    guard let first = values.first else { return [] }
    if values.allSatisfy({ $0.element == first.element }), first.element != .bool { return values }
    return try inputs.map { try held($0) }
  }

  /// The first input as it was made, for what only moves elements.
  func moved() throws -> MILValue { try moved(0..<1)[0] }

  // MARK: - Operations

  /// Adds an operation whose result has the type of what it computes with.
  func add(
    _ type: String, _ inputs: [String: MILOperand], _ extents: [Int?], _ element: ElementType? = nil
  ) throws -> MILValue {
    try block.add(type, inputs, element ?? real, extents, name: node.name, real: real)
  }

  /// Adds an operation that makes several values.
  func add(_ type: String, _ inputs: [String: MILOperand], _ made: [(ElementType, [Int?])]) throws
    -> [MILValue]
  {
    try block.add(type, inputs, made, name: node.name, real: real)
  }

  /// The only output: an operation.
  func only(_ type: String, _ inputs: [String: MILOperand], _ element: ElementType? = nil) throws
    -> [MILValue]
  {
    [try add(type, inputs, try made(), element)]
  }

  /// A number of the node's type; an integer is kept to what int32 holds.
  func number(_ number: Float, _ element: ElementType? = nil) throws -> MILValue {
    let element: ElementType = element ?? real
    let tensor =
      element.isInteger
      ? ReferenceTensor([], repeating: Double(number), .int32)
      : ReferenceTensor([], [Double(number)])
    return try block.numbers(tensor, element, "\(node.name)_number")
  }

  /// A function of one value.
  func unary(_ type: String, _ x: MILValue, _ more: [String: MILOperand] = [:]) throws -> MILValue {
    try add(type, more.merging(["x": .value(x)]) { $1 }, x.extents, x.element)
  }

  /// A function of two values of one type.
  func binary(_ type: String, _ x: MILValue, _ y: MILValue, _ element: ElementType? = nil) throws
    -> MILValue
  {
    try add(
      type, ["x": .value(x), "y": .value(y)], Self.broadcast(x.extents, y.extents),
      element ?? x.element)
  }

  /// `scale · x + shift`, what does nothing left out.
  func affine(_ x: MILValue, scale: Float, shift: Float) throws -> MILValue {
    var x: MILValue = x
    if scale != 1 { x = try binary("mul", x, try number(scale, x.element)) }
    if shift != 0 { x = try binary("add", x, try number(shift, x.element)) }
    return x
  }

  /// The same values under other extents; one of the sizes may be −1.
  func reshape(_ x: MILValue, _ sizes: [Int], _ extents: [Int?]? = nil) throws -> MILValue {
    let extents: [Int?] = extents ?? sizes.map { $0 < 0 ? nil : $0 }
    if x.extents == extents, !extents.contains(nil) { return x }
    return try add("reshape", ["x": .value(x), "shape": .ints(sizes)], extents, x.element)
  }

  /// Axes of one element more, counted in the result.
  func expand(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    if axes.isEmpty { return x }
    var rest: ArraySlice<Int?> = x.extents[...]
    let extents: [Int?] = (0..<x.rank + axes.count).map { axis -> Int? in
      axes.contains(axis) ? 1 : rest.removeFirst()
    }
    return try add("expand_dims", ["x": .value(x), "axes": .ints(axes)], extents, x.element)
  }

  /// Without some axes of one element.
  func squeeze(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    if axes.isEmpty { return x }
    let extents: [Int?] = x.extents.indices.filter { !axes.contains($0) }.map { x.extents[$0] }
    return try add("squeeze", ["x": .value(x), "axes": .ints(axes)], extents, x.element)
  }

  /// The axes in another order.
  func transpose(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    if axes == Array(x.extents.indices) { return x }
    return try add(
      "transpose", ["x": .value(x), "perm": .ints(axes)], axes.map { x.extents[$0] }, x.element)
  }

  /// A part of each axis; nil bounds are open.
  func slice(_ x: MILValue, _ bounds: [(begin: Int?, end: Int?)]) throws -> MILValue {
    let extents: [Int?] = zip(x.extents, bounds).map { extent, bounds in
      if bounds.begin == nil, bounds.end == nil { return extent }
      guard let extent else {
        if let begin = bounds.begin, let end = bounds.end, begin >= 0, end >= begin {
          return end - begin
        }
        return nil
      }
      func place(_ bound: Int) -> Int { min(max(bound < 0 ? bound + extent : bound, 0), extent) }
      return max(0, place(bounds.end ?? extent) - place(bounds.begin ?? 0))
    }
    return try add(
      "slice_by_index",
      [
        "x": .value(x), "begin": .ints(bounds.map { $0.begin ?? 0 }),
        "end": .ints(bounds.map { $0.end ?? 0 }),
        "begin_mask": .bools(bounds.map { $0.begin == nil }),
        "end_mask": .bools(bounds.map { $0.end == nil }),
      ], extents, x.element)
  }

  /// The extents of a value as a vector of whole numbers.
  func shape(of x: MILValue) throws -> MILValue {
    try add("shape", ["x": .value(x)], [x.rank], .int32)
  }

  /// The extents that two values stretch to.
  static func broadcast(_ left: [Int?], _ right: [Int?]) -> [Int?] {
    let rank: Int = max(left.count, right.count)
    let (left, right) = (
      Array(repeating: 1, count: rank - left.count) + left,
      Array(repeating: 1, count: rank - right.count) + right
    )
    return zip(left, right).map { a, b in
      if a == 1 { return b }
      if b == 1 { return a }
      return a ?? b
    }
  }
}
