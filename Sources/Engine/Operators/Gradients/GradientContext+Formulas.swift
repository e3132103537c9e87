import Graph

extension GradientContext {
  /// Adds an operator that computes a formula. The formula's operand *i* is `values[i]`. Values that the formula does
  /// not read do not become inputs of the operator.
  ///
  /// - Parameter shape: a value that has the shape of the result. The value's elements are not read. If `shape` is nil,
  ///   the result has the shape to which the operands broadcast.
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

  /// Adds an operator that reshapes a value to a shape with the same number of elements.
  public mutating func reshape(_ value: Graph.ValueID, to shape: Shape) throws -> Graph.ValueID {
    guard self.shape(of: value) != shape else { return value }
    return try add(ReshapeStaticOperator(targetShape: shape.dimensions), value)
  }

  /// Adds a constant tensor of zeros to the graph.
  public mutating func zeros(_ shape: Shape) -> Graph.ValueID {
    constant(ReferenceTensor(shape))
  }

  /// Returns one gradient per output. If the loss does not depend on an output, its gradient is a constant of zeros
  /// that this method adds to the graph.
  package mutating func allOutputGradients() -> [Graph.ValueID] {
    zip(outputGradients, node.outputs).map { (gradient, output) -> Graph.ValueID in
      gradient ?? zeros(shape(of: output))
    }
  }

  /// The result of a gradient rule if no input has a gradient: nil for every input.
  public var nothing: [Graph.ValueID?] { [Graph.ValueID?](repeating: nil, count: inputs.count) }

  /// Returns the result of a gradient rule if only the first input has a gradient: `gradient`, then nil for every other
  /// input.
  public func onlyFirst(_ gradient: Graph.ValueID) -> [Graph.ValueID?] {
    var result = nothing
    result[0] = gradient
    return result
  }

  /// Returns the error for an operator or parameter that has no gradient rule.
  public func unsupported(_ what: String) -> EngineError {
    EngineError(
      .unsupported, "\(what) has no gradient: train only layers after this one.")
  }
}
