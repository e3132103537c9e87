import Graph

/// Running sums along an axis: `y[i] = x[0] + … + x[i]`.
///
/// - Inputs: a tensor of any rank from one, and optionally the axis as a tensor of one element.
/// - Output: the shape of the first input.
/// - Options: `excludeFinalSum` leaves x[i] itself out, so that the first sum is 0; `reverse` runs
///   from the end.
///
/// **Source:** `CumSumLayerParams` in NeuralNetwork.proto.
public struct CumSumOperator: WholeNumberOperator, Hashable {
  /// The axis; a negative one counts from the end. Ignored where it is an input.
  public var axis: Int
  /// Whether each sum leaves its own element out.
  public var isExclusive: Bool
  /// Whether sums run from the end.
  public var isReversed: Bool
  /// What becomes of integers that the type cannot hold.
  public var overflow: IntegerOverflow

  public static let declaration = OperatorDeclaration(
    "CumSum", summary: "running sums along an axis")

  /// Running sums; the axis is ignored where it is an input.
  public init(
    axis: Int, isExclusive: Bool = false, isReversed: Bool = false,
    overflow: IntegerOverflow = .wraps
  ) {
    self.overflow = overflow
    self.axis = axis
    self.isExclusive = isExclusive
    self.isReversed = isReversed
  }

  /// Whole numbers too.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    if inputs.count == 1 { _ = try inputs[0].shape.resolvedAxes([axis]) }
    return [inputs[0].type]
  }

  /// The second input is the axis.
  public func computes(with input: Int) -> Bool { input == 0 }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    try sum(&result.values, inputs, +)
    return [result]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    let element: ElementType = result.element
    if overflow == .saturates {
      // The sums themselves are exact: 2⁶⁴ numbers of 64 bits fit 128.
      var sums: [Int128] = result.wholes.map { Int128($0) }
      try sum(&sums, inputs, +)
      result.wholes = sums.map(element.saturated)
    } else {
      try sum(&result.wholes, inputs, &+)
      result.wholes = result.wholes.map(element.wrapped)
    }
    return [result]
  }

  private func sum<Value: Numeric>(
    _ values: inout [Value], _ inputs: [ReferenceTensor], _ add: (Value, Value) -> Value
  ) throws {
    var axis = axis
    if inputs.count == 2 {
      guard inputs[1].shape.count == 1 else { throw Self.noAxis(inputs[1].shape) }
      axis = try Self.axis(inputs[1].reals[0], inputs[1].shape)
    }
    let shape: Shape = inputs[0].shape
    AxisLines(shape, axis: try shape.resolvedAxes([axis])[0]).forEach { line, _ in
      var sum: Value = 0
      for position in isReversed ? line.reversed() : line {
        let value = values[position]
        values[position] = isExclusive ? sum : add(sum, value)
        sum = add(sum, value)
      }
    }
  }

  /// The axis that the second input names.
  package static func axis(_ value: Double, _ shape: Shape) throws -> Int {
    guard let axis = Int(exactly: value.rounded()) else { throw noAxis(shape) }
    return axis
  }

  private static func noAxis(_ shape: Shape) -> EngineError {
    EngineError(
      .invalidInput, "the axis is a tensor of shape \(shape), expected one whole number.")
  }

}
