import Graph

extension GradientContext {
  /// Adds a formula of values; operand *i* is `values[i]`. Values that it does not read are left out.
  ///
  /// - Parameter shape: what the result is stretched to: that of a value, which tells nothing but its
  ///   shape; nil for what the operands give.
  public mutating func compute(
    _ formula: Formula, of values: [Graph.ValueID], like shape: Graph.ValueID? = nil
  ) throws -> Graph.ValueID {
    var inputs: [Graph.ValueID] = []
    var numbers: [Int: Int] = [:]
    for operand in formula.operands.sorted() {
      let value = values[operand]
      if let known = inputs.firstIndex(of: value) {
        numbers[operand] = known
      } else {
        numbers[operand] = inputs.count
        inputs.append(value)
      }
    }
    let compact = formula.renumbered(numbers)
    if let shape {
      let joint: Shape? = inputs.map { self.shape(of: $0) }.reduce([]) { joint, next in
        joint.flatMap { Shape.broadcast($0, next) }
      }
      if joint != self.shape(of: shape), !inputs.contains(shape) { inputs.append(shape) }
    }
    if case .operand(let number) = compact, inputs.count == 1 { return inputs[number] }
    return try add(FormulaOperator(compact, inputCount: inputs.count), to: inputs, outputs: 1)[0]
  }

  /// A value under another shape of as many elements.
  public mutating func reshape(_ value: Graph.ValueID, to shape: Shape) throws -> Graph.ValueID {
    guard self.shape(of: value) != shape else { return value }
    return try add(ReshapeStaticOperator(targetShape: shape.dimensions), value)
  }

  /// Zeros of a shape.
  public mutating func zeros(_ shape: Shape) -> Graph.ValueID {
    constant(ReferenceTensor(shape))
  }

  /// The gradients of all outputs, zeros for those on which the loss does not depend.
  package mutating func allOutputGradients() -> [Graph.ValueID] {
    zip(outputGradients, node.outputs).map { (gradient, output) -> Graph.ValueID in
      gradient ?? zeros(shape(of: output))
    }
  }

  /// No gradient for any input.
  public var nothing: [Graph.ValueID?] { [Graph.ValueID?](repeating: nil, count: inputs.count) }

  /// The gradient of the first input alone.
  public func onlyFirst(_ gradient: Graph.ValueID) -> [Graph.ValueID?] {
    var result = nothing
    result[0] = gradient
    return result
  }

  /// An error of a rule that does not exist, with the way out.
  public func unsupported(_ what: String) -> EngineError {
    EngineError(
      .unsupported, "\(what) has no gradient: train only what stands behind this layer.")
  }
}
