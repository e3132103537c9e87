import Graph

/// Applies a ``BinaryFunction`` element by element to two inputs, or to one input and a number.
///
/// - Inputs: two, or one if the right operand is a number. Shapes of any rank are broadcast as in NumPy. Output: the
///   shape to which they broadcast.
public struct BinaryFunctionOperator: PointwiseOperator, Hashable {
  /// The function that combines the operands.
  public var function: BinaryFunction
  /// The right operand of an operator with only one input. Nil if the second input is the right operand.
  public var number: Float?
  /// Whether an integer result that overflows the element type wraps around or saturates.
  public var overflow: IntegerOverflow

  public static let declaration = OperatorDeclaration(
    "BinaryFunction", summary: "a function of two inputs, or of one and a number, broadcast")

  /// Creates an operator that combines two inputs, or one input and a number.
  public init(
    _ function: BinaryFunction, number: Float? = nil, overflow: IntegerOverflow = .wraps
  ) {
    self.function = function
    self.number = number
    self.overflow = overflow
  }

  /// The function's name.
  public var name: String { function.name }

  public func evaluate(_ operands: [Double]) -> Double {
    function(operands[0], number.map(Double.init) ?? operands[1])
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: number == nil ? 2 : 1)
    var right = 1
    if let number { right = program.append(.constant, 0, alpha: number) }
    program.append(function.operation, 0, right)
    return program
  }
}

extension BinaryFunctionOperator: IntegerOperator {
  public static var elementTypes: ElementTypes { .all }

  /// Comparisons and logical operations accept truth values. Arithmetic functions accept only numbers.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    let isLogic: Bool =
      BinaryFunction.comparisons.contains(function) || BinaryFunction.logic.contains(function)
    return isLogic ? ElementTypes.all.contains(element) : ElementTypes.numbers.contains(element)
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    // If `number` has a fraction, for example as an exponent, the function is computed in `Double` and then truncated.
    let right: Int64? = number?.integerValue
    guard let integer = function.integer(overflow), number == nil || right != nil else {
      return try reference(inputs.map { $0.converted(to: .float64) })
    }
    return [broadcastIntegers(inputs, overflow) { integer($0[0], right ?? $0[1]) }]
  }
}

extension Float {
  /// This number as an integer; nil if this number has a fraction or does not fit into 64 bits.
  package var integerValue: Int64? { Int64(exactly: self) }
}

extension BinaryFunctionOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    function.pullback(dy, input, number.map { x + [.number($0)] } ?? x, y)
  }
}
