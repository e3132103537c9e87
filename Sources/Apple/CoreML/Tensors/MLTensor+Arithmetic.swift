import Engine

extension MLTensor {
  /// A function of two tensors, whose shapes are stretched to each other.
  static func combine(
    _ function: BinaryFunction, _ left: MLTensor, _ right: MLTensor
  ) -> MLTensor {
    let element: ElementType = common(left.element, right.element)
    let pair = [left.cast(to: element), right.cast(to: element)]
    let isExact: Bool = function == .maximum || function == .minimum
    // Of integers the fraction of a quotient or a power is cut off.
    return make(
      BinaryFunctionOperator(function), of: pair.map(\.computable), element: element,
      isExact: isExact
    ).narrowed()
  }

  /// Where a comparison holds.
  static func compare(
    _ function: BinaryFunction, _ left: MLTensor, _ right: MLTensor
  ) -> MLTensor {
    let element: ElementType = common(left.element, right.element)
    let made: MLTensor = make(
      BinaryFunctionOperator(function),
      of: [left.cast(to: element), right.cast(to: element)].map(\.computable),
      element: .bool, isExact: true)
    return made.node.type.element.isInteger
      ? make(CastOperator(to: .float32), of: [made], element: .bool, isExact: true) : made
  }

  /// The type that holds the elements of both.
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

  /// A number beside this tensor: of its type, but for a number with a fraction beside whole numbers. One that
  /// was written without a fraction, as `2`, comes as `Float` and has none.
  func beside(_ number: some MLTensorScalar) -> MLTensor {
    let scalar = MLTensor(number)
    let hasFraction: Bool = (number as? Float).map { $0 != $0.rounded() } ?? (number is Float16)
    return element.isInteger && hasFraction ? scalar : scalar.cast(to: element)
  }
}

// MARK: - Operators

extension MLTensor {
  /// The sum, element by element.
  public static func + (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.add, lhs, rhs) }
  /// A number added to each element.
  public static func + (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.add, lhs, lhs.beside(rhs))
  }
  /// A number added to each element.
  public static func + (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.add, rhs.beside(lhs), rhs)
  }
  /// Adds a tensor.
  public static func += (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs + rhs }

  /// The difference, element by element.
  public static func - (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.subtract, lhs, rhs) }
  /// A number subtracted from each element.
  public static func - (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.subtract, lhs, lhs.beside(rhs))
  }
  /// Each element subtracted from a number.
  public static func - (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.subtract, rhs.beside(lhs), rhs)
  }
  /// Subtracts a tensor.
  public static func -= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs - rhs }
  /// Each element with the other sign.
  public static prefix func - (rhs: MLTensor) -> MLTensor {
    combine(.subtract, rhs.beside(Int32(0)), rhs)
  }

  /// The product, element by element.
  public static func * (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.multiply, lhs, rhs) }
  /// Each element times a number.
  public static func * (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.multiply, lhs, lhs.beside(rhs))
  }
  /// Each element times a number.
  public static func * (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.multiply, rhs.beside(lhs), rhs)
  }
  /// Multiplies by a tensor.
  public static func *= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs * rhs }

  /// The quotient, element by element.
  public static func / (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.divide, lhs, rhs) }
  /// Each element divided by a number.
  public static func / (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.divide, lhs, lhs.beside(rhs))
  }
  /// A number divided by each element.
  public static func / (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.divide, rhs.beside(lhs), rhs)
  }
  /// Divides by a tensor.
  public static func /= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs / rhs }

  /// The remainder of the division, with the sign of the divisor.
  public static func % (lhs: MLTensor, rhs: MLTensor) -> MLTensor { combine(.modulo, lhs, rhs) }
  /// The remainder of the division by a number, with its sign.
  public static func % (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    combine(.modulo, lhs, lhs.beside(rhs))
  }
  /// The remainder of a number divided by each element.
  public static func % (lhs: some MLTensorScalar & Numeric, rhs: MLTensor) -> MLTensor {
    combine(.modulo, rhs.beside(lhs), rhs)
  }
  /// Replaces each element by the remainder.
  public static func %= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs % rhs }

  /// Each element raised to the power of the other tensor's.
  public func pow(_ exponent: MLTensor) -> MLTensor { .combine(.power, self, exponent) }
  /// Each element raised to a power.
  public func pow(_ exponent: Float) -> MLTensor { .combine(.power, self, beside(exponent)) }
  /// Each element raised to a power.
  public func pow(_ exponent: some MLTensorScalar & Numeric) -> MLTensor {
    .combine(.power, self, beside(exponent))
  }
}

/// The larger of two tensors' elements at each place.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor {
  .combine(.maximum, lhs, rhs)
}

/// The smaller of two tensors' elements at each place.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor {
  .combine(.minimum, lhs, rhs)
}
