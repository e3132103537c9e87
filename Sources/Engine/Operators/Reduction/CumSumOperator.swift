import Graph

/// Cumulative sums along an axis: `y[i] = x[0] + … + x[i]`.
///
/// - Inputs: a tensor of rank one or more, and optionally the axis as a tensor of one element.
/// - Output: the shape of the first input.
/// - Options: If ``isExclusive`` is set, `y[i]` excludes `x[i]`, so the first sum is 0. If ``isReversed`` is set, the
///   sums start at the end of the axis.
///
/// **Source:** `CumSumLayerParams` in NeuralNetwork.proto.
public struct CumSumOperator: IntegerOperator, Hashable {
  /// The axis; a negative one counts from the end. Ignored if the operator has a second input, which holds the axis.
  public var axis: Int
  /// Whether `y[i]` excludes `x[i]`.
  public var isExclusive: Bool
  /// Whether the sums start at the end of the axis.
  public var isReversed: Bool
  /// Whether an integer sum that overflows the element type wraps around or saturates.
  public var overflow: IntegerOverflow

  public static let declaration = OperatorDeclaration(
    "CumSum", summary: "cumulative sums along an axis")

  /// Creates cumulative sums along an axis. `axis` is ignored if the operator has a second input.
  public init(
    axis: Int, isExclusive: Bool = false, isReversed: Bool = false,
    overflow: IntegerOverflow = .wraps
  ) {
    self.overflow = overflow
    self.axis = axis
    self.isExclusive = isExclusive
    self.isReversed = isReversed
  }

  /// Inputs may hold integers or floating-point numbers.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    if inputs.count == 1 { _ = try inputs[0].shape.resolvedAxes([axis]) }
    return [inputs[0].type]
  }

  /// Returns true only for the first input. The second input holds the axis.
  public func computes(with input: Int) -> Bool { input == 0 }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    try sum(&result.values, inputs, +)
    return [result]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    let element: ElementType = result.element
    if overflow == .saturates {
      // The sums are exact: the sum of 2⁶⁴ integers of 64 bits fits into 128 bits.
      var sums: [Int128] = result.integerValues.map { Int128($0) }
      try sum(&sums, inputs, +)
      result.integerValues = sums.map(element.saturated)
    } else {
      try sum(&result.integerValues, inputs, &+)
      result.integerValues = result.integerValues.map(element.wrapped)
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
    AxisVectors(shape, axis: try shape.resolvedAxes([axis])[0]).forEach { vector, _ in
      var sum: Value = 0
      for position in isReversed ? vector.reversed() : vector {
        let value = values[position]
        values[position] = isExclusive ? sum : add(sum, value)
        sum = add(sum, value)
      }
    }
  }

  /// Rounds `value`, the axis that the second input holds, to an integer. Throws if `value` is not finite. Negative
  /// axes stay negative.
  package static func axis(_ value: Double, _ shape: Shape) throws -> Int {
    guard let axis = Int(exactly: value.rounded()) else { throw noAxis(shape) }
    return axis
  }

  private static func noAxis(_ shape: Shape) -> EngineError {
    EngineError(
      .invalidInput, "the axis is a tensor of shape \(shape), expected one integer.")
  }

}
