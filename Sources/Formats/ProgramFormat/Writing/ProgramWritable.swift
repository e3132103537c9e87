import Graph
import ModelFormat
import Operators

/// An operator of the graph that operations of ML Programs can express.
package protocol ProgramWritable: Operator {
  /// Writes operations, and returns the operator's outputs. The outputs may have any element types.
  ///
  /// - Throws: `unsupported` if no operations express the operator. The error's sentence does not name the operator.
  func write(_ node: ProgramNode) throws -> [MILValue]
}

/// A node of the graph that is being written. This type returns the node's inputs in the types that operations need.
package struct ProgramNode {
  /// The node of the graph.
  let node: Graph.Node
  /// The writer of the block that gets the node's operations.
  let block: BlockWriter
  /// The floating-point type in which the node computes.
  let real: ElementType

  /// The number of the node's inputs.
  var inputCount: Int { node.inputs.count }
  /// The program's opset.
  var opset: Opset { block.output.opset }

  /// Returns an error for something that no operations express. `sentence` says what.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Types and constants

  /// Returns the extents of an input. An extent that is not known is nil. Throws if the rank is unknown.
  func extents(_ input: Int) throws -> [Int?] {
    guard let extents = block.known.extents(of: node.inputs[input]) else {
      throw unsupported("the rank of input \(input + 1) is not known before the network runs.")
    }
    return extents
  }

  /// Returns the number of axes of an input.
  func rank(_ input: Int) throws -> Int { try extents(input).count }

  /// Returns an axis of an input as a non-negative number. A negative `axis` counts back from the last axis.
  func axis(_ axis: Int, of input: Int = 0) throws -> Int {
    axis < 0 ? axis + (try rank(input)) : axis
  }

  /// Returns the extents of an output. Throws if the rank is unknown.
  func made(_ output: Int = 0) throws -> [Int?] {
    guard let extents = block.known.extents(of: node.outputs[output]) else {
      throw unsupported("the rank of its output is not known before the network runs.")
    }
    return extents
  }

  /// Returns the extents of an output. Nil if the rank is unknown.
  func knownExtents(ofOutput output: Int = 0) -> [Int?]? {
    block.known.extents(of: node.outputs[output])
  }

  /// Returns the extents of an output whose shape is computed at run time. The rank is the number of elements of
  /// `shape`.
  func extents(under shape: MILValue) throws -> [Int?] {
    if let known = knownExtents() { return known }
    guard let rank = shape.extents.first ?? nil else {
      throw unsupported("the rank of its output is not known before the network runs.")
    }
    guard rank <= Self.largestRank else {
      throw unsupported("its output would have \(rank) axes, expected at most \(Self.largestRank).")
    }
    return Array(repeating: nil, count: rank)
  }

  /// The largest rank of an output whose shape is computed at run time.
  private static let largestRank = 64

  /// Returns whether the graph stores an input as integers.
  func isInteger(_ input: Int) -> Bool {
    block.known.element(of: node.inputs[input])?.isInteger ?? false
  }

  /// Returns the values of a constant input. Nil if the input is computed at run time.
  func constant(_ input: Int) -> Constant? {
    guard node.inputs.indices.contains(input) else { return nil }
    return block.graph[node.inputs[input]].constant ?? block.known.constant(of: node.inputs[input])
  }

  /// Returns the integers of a constant input. Nil if the input is computed at run time.
  func ints(_ input: Int) -> [Int]? { (try? constant(input)?.tensor())?.integers }

  // MARK: - Inputs

  /// Returns an input in the node's floating-point type.
  func real(_ input: Int) throws -> MILValue {
    if let constant = block.graph[node.inputs[input]].constant, !constant.type.element.isInteger {
      return try block.real(constant, as: real)
    }
    return try block.cast(block.value(of: node.inputs[input]), to: real)
  }

  /// Returns an input as integers.
  func integer(_ input: Int) throws -> MILValue {
    if let constant = block.graph[node.inputs[input]].constant {
      return try block.integer(constant)
    }
    return try block.cast(block.value(of: node.inputs[input]), to: .int32)
  }

  /// Returns an input as booleans.
  func truth(_ input: Int) throws -> MILValue {
    try block.cast(block.value(of: node.inputs[input]), to: .bool)
  }

  /// Returns an input as integers if the graph stores it as integers. Otherwise returns it in the node's floating-point
  /// type.
  func held(_ input: Int) throws -> MILValue {
    isInteger(input) ? try integer(input) : try real(input)
  }

  /// Returns inputs for operators that only move elements. Usually nothing is cast. If the inputs have different types
  /// or are booleans, returns each input as ``held(_:)`` does.
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

  /// Returns the first input, for operators that only move elements. Only a boolean is cast.
  func moved() throws -> MILValue { try moved(0..<1)[0] }

  // MARK: - Operations

  /// Adds an operation with one output. By default, the output has the node's floating-point type.
  func add(
    _ type: String, _ inputs: [String: MILOperand], _ extents: [Int?], _ element: ElementType? = nil
  ) throws -> MILValue {
    try block.add(type, inputs, element ?? real, extents, name: node.name, real: real)
  }

  /// Adds an operation with several outputs, and returns the outputs.
  func add(_ type: String, _ inputs: [String: MILOperand], _ made: [(ElementType, [Int?])]) throws
    -> [MILValue]
  {
    try block.add(type, inputs, made, name: node.name, real: real)
  }

  /// Adds an operation that computes the node's only output.
  func only(_ type: String, _ inputs: [String: MILOperand], _ element: ElementType? = nil) throws
    -> [MILValue]
  {
    [try add(type, inputs, try made(), element)]
  }

  /// Returns a constant number. By default, it has the node's floating-point type. An integer is clamped to the range
  /// of int32.
  func number(_ number: Float, _ element: ElementType? = nil) throws -> MILValue {
    let element: ElementType = element ?? real
    let tensor =
      element.isInteger
      ? ReferenceTensor([], repeating: Double(number), .int32)
      : ReferenceTensor([], [Double(number)])
    return try block.numbers(tensor, element, "\(node.name)_number")
  }

  /// Adds an operation of one value. `more` holds the other operands.
  func unary(_ type: String, _ x: MILValue, _ more: [String: MILOperand] = [:]) throws -> MILValue {
    try add(type, more.merging(["x": .value(x)]) { $1 }, x.extents, x.element)
  }

  /// Adds an operation of two values. Both values have the same element type.
  func binary(_ type: String, _ x: MILValue, _ y: MILValue, _ element: ElementType? = nil) throws
    -> MILValue
  {
    try add(
      type, ["x": .value(x), "y": .value(y)], Self.broadcast(x.extents, y.extents),
      element ?? x.element)
  }

  /// Computes `scale · x + shift`. Omits operations that have no effect.
  func affine(_ x: MILValue, scale: Float, shift: Float) throws -> MILValue {
    var x: MILValue = x
    if scale != 1 { x = try binary("mul", x, try number(scale, x.element)) }
    if shift != 0 { x = try binary("add", x, try number(shift, x.element)) }
    return x
  }

  /// Reshapes a value. One of the sizes may be −1, and is then inferred.
  func reshape(_ x: MILValue, _ sizes: [Int], _ extents: [Int?]? = nil) throws -> MILValue {
    let extents: [Int?] = extents ?? sizes.map { $0 < 0 ? nil : $0 }
    if x.extents == extents, !extents.contains(nil) { return x }
    return try add("reshape", ["x": .value(x), "shape": .ints(sizes)], extents, x.element)
  }

  /// Adds axes of extent one. `axes` are the indices of the new axes in the result.
  func expand(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    if axes.isEmpty { return x }
    let rank: Int = x.rank + axes.count
    guard Set(axes).count == axes.count, axes.allSatisfy({ (0..<rank).contains($0) }) else {
      throw unsupported("the axes \(axes) cannot be added to an input of \(x.rank) axes.")
    }
    var rest: ArraySlice<Int?> = x.extents[...]
    let extents: [Int?] = (0..<rank).map { axis -> Int? in
      axes.contains(axis) ? 1 : rest.removeFirst()
    }
    return try add("expand_dims", ["x": .value(x), "axes": .ints(axes)], extents, x.element)
  }

  /// Removes the axes with these indices. Their extents must be one.
  func squeeze(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    if axes.isEmpty { return x }
    let extents: [Int?] = x.extents.indices.filter { !axes.contains($0) }.map { x.extents[$0] }
    return try add("squeeze", ["x": .value(x), "axes": .ints(axes)], extents, x.element)
  }

  /// Transposes a value so that its axes have the order `axes`.
  func transpose(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    if axes == Array(x.extents.indices) { return x }
    guard axes.sorted() == Array(x.extents.indices) else {
      throw unsupported("the axes \(axes) are not a permutation of the input's \(x.rank) axes.")
    }
    return try add(
      "transpose", ["x": .value(x), "perm": .ints(axes)], axes.map { x.extents[$0] }, x.element)
  }

  /// Slices each axis. If a bound is nil, the slice extends to that end of the axis.
  func slice(_ x: MILValue, _ bounds: [(begin: Int?, end: Int?)]) throws -> MILValue {
    let extents: [Int?] = zip(x.extents, bounds).map { extent, bounds in
      if bounds.begin == nil, bounds.end == nil { return extent }
      guard let extent else {
        if let begin = bounds.begin, let end = bounds.end, begin >= 0, end >= begin {
          return end - begin
        }
        return nil
      }
      func clamped(_ bound: Int) -> Int { min(max(bound < 0 ? bound + extent : bound, 0), extent) }
      return max(0, clamped(bounds.end ?? extent) - clamped(bounds.begin ?? 0))
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

  /// Returns the extents of a value as a vector of integers.
  func shape(of x: MILValue) throws -> MILValue {
    try add("shape", ["x": .value(x)], [x.rank], .int32)
  }

  /// Returns the extents to which two values broadcast.
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
