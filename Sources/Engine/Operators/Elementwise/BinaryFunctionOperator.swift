import Graph

/// Joins two inputs, or one and a number, element by element by a function of the table of
/// ``BinaryFunction``.
///
/// - Inputs: two, or one where the right operand is a number; shapes are broadcast as NumPy does, whatever
///   their ranks. Output: the joint shape.
public struct BinaryFunctionOperator: PointwiseOperator, Hashable {
  /// What joins them.
  public var function: BinaryFunction
  /// The right operand of a single input; nil with two inputs.
  public var number: Float?
  /// What becomes of integers that the type cannot hold.
  public var overflow: IntegerOverflow

  public static let declaration = OperatorDeclaration(
    "BinaryFunction", summary: "a function of two inputs, or of one and a number, broadcast")

  /// An operator that joins two inputs, or one and a number.
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

extension BinaryFunctionOperator: WholeNumberOperator {
  public static var elementTypes: ElementTypes { .all }

  /// Truth values are compared and joined by logic. The exponent of an integer may have a fraction; then the power
  /// is computed in `Double` and its fraction cut off.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    let isLogic: Bool =
      BinaryFunction.comparisons.contains(function) || BinaryFunction.logic.contains(function)
    return isLogic ? ElementTypes.all.contains(element) : ElementTypes.numbers.contains(element)
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    // A number beside an input may have a fraction.
    let right: Int64? = number?.wholeNumber
    guard let whole = function.whole(overflow), number == nil || right != nil else {
      return try reference(inputs.map { $0.converted(to: .float64) })
    }
    return [broadcastWholes(inputs, overflow) { whole($0[0], right ?? $0[1]) }]
  }
}

extension Float {
  /// The number where it is a whole one; nil elsewhere.
  package var wholeNumber: Int64? { Int64(exactly: self) }
}

extension BinaryFunctionOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    function.pullback(dy, input, number.map { x + [.number($0)] } ?? x, y)
  }
}
