import Graph

/// An operator that combines any number of inputs element by element: a sum, product, average, maximum or minimum.
///
/// Inputs of different shapes are broadcast as in NumPy. This includes the older rule of the model format, which allows
/// `[B, 1, 1, 1]`, `[B, C, 1, 1]` and `[B, 1, H, W]` together with `[B, C, H, W]`.
public protocol FoldingOperator: PointwiseOperator, IntegerOperator {
  /// The number of inputs that are combined.
  var inputCount: Int { get }
  /// The function that combines the first input with the second, then the result with the next input, and so on.
  static var function: BinaryFunction { get }
  /// Appends to `program` the operations that follow the combination of the inputs, for example a division by the
  /// number of inputs. If there is only one input, the operations apply to that input.
  func finish(_ program: inout PointwiseProgram)
  /// Applies the operations that follow the combination of the inputs to `value`, in `Double`.
  func finish(_ value: Double) -> Double
  /// Whether the result is the combination of the inputs, without further operations.
  var isPlain: Bool { get }
}

extension FoldingOperator {
  public func evaluate(_ operands: [Double]) -> Double {
    finish(operands.dropFirst().reduce(operands[0], Self.function.definition))
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard isPlain, let integer = Self.function.integer else {
      return try reference(inputs.map { $0.converted(to: .float64) })
    }
    return [broadcastIntegers(inputs) { $0.dropFirst().reduce($0[0], integer) }]
  }

  public var isPlain: Bool { true }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: inputCount)
    var result = 0
    for input in 1..<max(inputCount, 1) {
      result = program.append(Self.function.operation, result, input)
    }
    finish(&program)
    // A program needs at least one operation. So if the result is the single input unchanged, the program copies this
    // input.
    if program.result < inputCount { program.append(.affine, 0, alpha: 1) }
    return program
  }

  public func finish(_ program: inout PointwiseProgram) {}
  public func finish(_ value: Double) -> Double { value }
}
