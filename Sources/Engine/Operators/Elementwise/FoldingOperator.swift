import Graph

/// Combines any number of inputs element by element: sums, products, averages, extremes.
///
/// Inputs of different shapes are broadcast as NumPy does, which contains the older rule of the
/// specification (`[B, 1, 1, 1]`, `[B, C, 1, 1]` and `[B, 1, H, W]` against `[B, C, H, W]`).
public protocol FoldingOperator: PointwiseOperator, WholeNumberOperator {
  /// The number of inputs that are combined.
  var inputCount: Int { get }
  /// What joins two of them.
  static var function: BinaryFunction { get }
  /// Operations on the result, or on the only input.
  func finish(_ program: inout PointwiseProgram)
  /// The definition of the same.
  func finish(_ value: Double) -> Double
  /// Whether the result is what two and two joined give, with nothing done after it.
  var isPlain: Bool { get }
}

extension FoldingOperator {
  public func evaluate(_ operands: [Double]) -> Double {
    finish(operands.dropFirst().reduce(operands[0], Self.function.definition))
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard isPlain, let whole = Self.function.whole else {
      return try reference(inputs.map { $0.converted(to: .float64) })
    }
    return [broadcastWholes(inputs) { $0.dropFirst().reduce($0[0], whole) }]
  }

  public var isPlain: Bool { true }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: inputCount)
    var result = 0
    for input in 1..<max(inputCount, 1) {
      result = program.append(Self.function.operation, result, input)
    }
    finish(&program)
    // A program must do something: one input that stays as it is gets copied.
    if program.result < inputCount { program.append(.affine, 0, alpha: 1) }
    return program
  }

  public func finish(_ program: inout PointwiseProgram) {}
  public func finish(_ value: Double) -> Double { value }
}
