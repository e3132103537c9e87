import Graph

/// Makes a vector of evenly spaced numbers. The inputs hold the bounds.
///
/// - Inputs: the exclusive end, then optionally the start, then optionally the step. Each input holds one number.
///   ``start`` and ``step`` replace missing inputs.
/// - Output: a vector of ⌈(end − start) / step⌉ numbers. If all inputs are integers and the parameters that replace
///   missing inputs have no fraction, the output has the first input's type; otherwise it is `float32`. The step may be
///   negative.
///
/// **Source:** `RangeDynamicLayerParams`.
public struct RangeDynamicOperator: IntegerOperator {
  public static let declaration = OperatorDeclaration(
    "RangeDynamic",
    summary: "makes evenly spaced numbers between computed bounds")

  /// The first number; ignored if there is a second input.
  public let start: Float
  /// The difference between neighbouring numbers; ignored if there is a third input.
  public let step: Float

  /// Creates an operator. `start` and `step` replace a missing second or third input.
  public init(start: Float, step: Float) {
    self.start = start
    self.step = step
  }

  private func range(_ inputs: [ReferenceTensor]) throws -> ArithmeticRange {
    let numbers: [Float] = try inputs.enumerated().map { position, input -> Float in
      guard input.shape.count == 1 else {
        throw EngineError(
          .invalidInput, "input \(position + 1) is \(input.shape), expected one number.")
      }
      return Float(input.reals[0])
    }
    return try ArithmeticRange(
      start: numbers.count > 1 ? numbers[1] : start, end: numbers[0],
      step: numbers.count > 2 ? numbers[2] : step)
  }

  /// Returns the range computed with integer arithmetic. Nil if an input is not an integer, or if a parameter that
  /// replaces a missing input has a fraction.
  private func integerRange(_ inputs: [ReferenceTensor]) throws -> IntegerRange? {
    guard inputs.allSatisfy({ $0.element.isInteger && $0.shape.count == 1 }),
      let start = inputs.count > 1 ? inputs[1].integerValues[0] : start.integerValue,
      let step = inputs.count > 2 ? inputs[2].integerValues[0] : step.integerValue
    else { return nil }
    return try IntegerRange(start: start, end: inputs[0].integerValues[0], step: step)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let known: [ReferenceTensor] = inputs.compactMap(\.value)
    guard known.count == inputs.count else { return nil }
    if let range = try integerRange(known) {
      return [TensorType([range.count], known[0].element)]
    }
    return [try range(known).type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try range(inputs).values]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard let range = try integerRange(inputs) else { return try reference(inputs) }
    let element: ElementType = inputs[0].element
    return [
      ReferenceTensor([range.count], integerValues: range.values.map(element.wrapped), element)
    ]
  }
}
