import Graph

/// Makes a vector of numbers in equal steps between bounds that are computed.
///
/// - Inputs: the end; or the end and the start; or the end, the start and the step. Each is one number.
///   What is not an input is a parameter.
/// - Output: a vector of ⌈(end − start) / step⌉ numbers, whole ones of the first input's type where all inputs
///   are whole numbers and floats elsewhere; the step may be negative.
///
/// **Source:** `RangeDynamicLayerParams`.
public struct RangeDynamicOperator: WholeNumberOperator {
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

  /// The range where all is whole numbers; nil where a parameter has a fraction.
  private func wholeRange(_ inputs: [ReferenceTensor]) throws -> WholeRange? {
    guard inputs.allSatisfy({ $0.element.isInteger && $0.shape.count == 1 }),
      let start = inputs.count > 1 ? inputs[1].wholes[0] : start.wholeNumber,
      let step = inputs.count > 2 ? inputs[2].wholes[0] : step.wholeNumber
    else { return nil }
    return try WholeRange(start: start, end: inputs[0].wholes[0], step: step)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let known: [ReferenceTensor] = inputs.compactMap(\.value)
    guard known.count == inputs.count else { return nil }
    if let range = try wholeRange(known) {
      return [TensorType([range.count], known[0].element)]
    }
    return [try range(known).type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try range(inputs).values]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard let range = try wholeRange(inputs) else { return try reference(inputs) }
    let element: ElementType = inputs[0].element
    return [
      ReferenceTensor([range.count], wholes: range.values.map(element.wrapped), element)
    ]
  }
}
