import Graph

/// Makes a vector of numbers in equal steps between bounds that are computed.
///
/// - Inputs: the end; or the end and the start; or the end, the start and the step. Each is one number.
///   What is not an input is a parameter.
/// - Output: a vector of ⌈(end − start) / step⌉ numbers; the step may be negative.
///
/// **Source:** `RangeDynamicLayerParams`.
public struct RangeDynamicOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "RangeDynamic",
    summary: "makes numbers in equal steps between computed bounds")

  /// The first number, unless the second input gives it.
  public let start: Float
  /// From one number to the next, unless the third input gives it.
  public let step: Float

  /// Numbers from the start to before the first input.
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

  /// Bounds may be whole numbers or floats.
  public static let elementTypes: ElementTypes = .numbers

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let known: [ReferenceTensor] = inputs.compactMap(\.value)
    guard known.count == inputs.count else { return nil }
    return [try range(known).type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try range(inputs).values]
  }
}
