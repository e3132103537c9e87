import Engine

extension MLTensor {
  /// Broadcasts two tensors to a common shape and applies a function element by element.
  static func combine(
    _ function: BinaryFunction, _ left: MLTensor, _ right: MLTensor
  ) -> MLTensor {
    let element: ElementType = common(left.element, right.element)
    let pair = [left.cast(to: element), right.cast(to: element)]
    let isExact: Bool = function == .maximum || function == .minimum
    // The operator truncates quotients and powers of integers.
    return make(
      BinaryFunctionOperator(function), of: pair.map(\.operand), element: element,
      isExact: isExact
    ).narrowed()
  }

  /// Compares two tensors element by element. Returns a Boolean tensor. An element is true if the comparison holds for
  /// the operands' elements.
  static func compare(
    _ function: BinaryFunction, _ left: MLTensor, _ right: MLTensor
  ) -> MLTensor {
    let element: ElementType = common(left.element, right.element)
    let made: MLTensor = make(
      BinaryFunctionOperator(function),
      of: [left.cast(to: element), right.cast(to: element)].map(\.operand),
      element: .bool, isExact: true)
    return made.node.type.element.isInteger
      ? make(CastOperator(to: .float32), of: [made], element: .bool, isExact: true) : made
  }

  /// Returns the element type to which a binary operation promotes both operands.
  private static func common(_ left: ElementType, _ right: ElementType) -> ElementType {
    func order(_ element: ElementType) -> Int {
      switch element {
      case .float32: 1000
      case .float16: 999
      case .bool: 0
      default: element.bitCount * 2 + (element == .int8 || element == .int16 ? 1 : 0)
      }
    }
    return order(left) >= order(right) ? left : right
  }

  /// Converts a number to a scalar tensor for an operation with this tensor. If this tensor has integers and the number
  /// has a fraction, the scalar keeps the number's type. Otherwise, the scalar gets this tensor's element type, because
  /// Swift passes a literal such as `2` as a `Float`.
  func scalarTensor(_ number: some MLTensorScalar) -> MLTensor {
    let scalar = MLTensor(number)
    let hasFraction: Bool = (number as? Float).map { $0 != $0.rounded() } ?? (number is Float16)
    return element.isInteger && hasFraction ? scalar : scalar.cast(to: element)
  }
}

// MARK: - Operators

extension MLTensor {
  /// Returns the element-by-element sum.
  public static func + (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.add, lhs, rhs) }
  /// Adds a number to each element.
  public static func + (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.add, lhs, lhs.scalarTensor(rhs))
  }
  /// Adds a number to each element.
  public static func + (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.add, rhs.scalarTensor(lhs), rhs)
  }
  /// Adds the right tensor to the left tensor, element by element.
  public static func += (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs + rhs }

  /// Returns the element-by-element difference.
  public static func - (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.subtract, lhs, rhs) }
  /// Subtracts a number from each element.
  public static func - (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.subtract, lhs, lhs.scalarTensor(rhs))
  }
  /// Subtracts each element from a number.
  public static func - (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.subtract, rhs.scalarTensor(lhs), rhs)
  }
  /// Subtracts the right tensor from the left tensor, element by element.
  public static func -= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs - rhs }
  /// Negates each element.
  public static prefix func - (rhs: MLTensor) -> MLTensor {
    combine(.subtract, rhs.scalarTensor(Int32(0)), rhs)
  }

  /// Returns the element-by-element product.
  public static func * (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.multiply, lhs, rhs) }
  /// Multiplies each element by a number.
  public static func * (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.multiply, lhs, lhs.scalarTensor(rhs))
  }
  /// Multiplies each element by a number.
  public static func * (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.multiply, rhs.scalarTensor(lhs), rhs)
  }
  /// Multiplies the left tensor by the right tensor, element by element.
  public static func *= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs * rhs }

  /// Returns the element-by-element quotient.
  public static func / (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.divide, lhs, rhs) }
  /// Divides each element by a number.
  public static func / (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.divide, lhs, lhs.scalarTensor(rhs))
  }
  /// Divides a number by each element.
  public static func / (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.divide, rhs.scalarTensor(lhs), rhs)
  }
  /// Divides the left tensor by the right tensor, element by element.
  public static func /= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs / rhs }

  /// Returns the remainder of the element-by-element division. The remainder has the sign of the divisor.
  public static func % (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.modulo, lhs, rhs) }
  /// Returns the remainder of the division of each element by a number. The remainder has the sign of the number.
  public static func % (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.modulo, lhs, lhs.scalarTensor(rhs))
  }
  /// Returns the remainder of the division of a number by each element. The remainder has the sign of the element.
  public static func % (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.modulo, rhs.scalarTensor(lhs), rhs)
  }
  /// Divides each element of the left tensor by the corresponding element of the right tensor. Replaces the element of
  /// the left tensor with the remainder.
  public static func %= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs % rhs }

  /// Raises each element to the power of the corresponding element of `exponent`.
  public func pow(_ exponent: MLTensor) -> MLTensor { .combine(.power, self, exponent) }
  /// Raises each element to a power.
  public func pow(_ exponent: Float) -> MLTensor { .combine(.power, self, scalarTensor(exponent)) }
  /// Raises each element to a power.
  public func pow(_ exponent: some MLTensorScalar & Numeric) -> MLTensor {
    .combine(.power, self, scalarTensor(exponent))
  }
}

/// Returns the element-by-element maximum.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor {
  .combine(.maximum, lhs, rhs)
}

/// Returns the element-by-element minimum.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor {
  .combine(.minimum, lhs, rhs)
}
