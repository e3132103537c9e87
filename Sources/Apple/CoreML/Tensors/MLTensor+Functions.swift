import Engine

extension MLTensor {
  /// A function of each element; whole numbers become numbers with fractions first.
  private func apply(_ function: UnaryFunction) -> MLTensor {
    let real: MLTensor = element.isFloatingPoint ? self : cast(to: .float32)
    return .make(UnaryFunctionOperator(function), of: [real], element: real.element)
  }

  /// A function that leaves whole numbers as they are.
  private func round(_ function: UnaryFunction) -> MLTensor {
    element.isInteger ? self : apply(function)
  }

  private func compute(_ function: UnaryOperator.Function) -> MLTensor {
    let real: MLTensor = element.isFloatingPoint ? self : cast(to: .float32)
    return .make(UnaryOperator(function), of: [real], element: real.element)
  }

  /// The magnitude of each element.
  public func abs() -> MLTensor {
    if element.isUnsigned { return self }
    return element.heldInTensors == .int32 ? pointwiseMax(self, -self) : apply(.magnitude)
  }
  /// The inverse cosine of each element.
  public func acos() -> MLTensor { apply(.inverseCosine) }
  /// The inverse hyperbolic cosine of each element.
  public func acosh() -> MLTensor { apply(.inverseHyperbolicCosine) }
  /// The inverse sine of each element.
  public func asin() -> MLTensor { apply(.inverseSine) }
  /// The inverse hyperbolic sine of each element.
  public func asinh() -> MLTensor { apply(.inverseHyperbolicSine) }
  /// The inverse tangent of each element.
  public func atan() -> MLTensor { apply(.inverseTangent) }
  /// The inverse hyperbolic tangent of each element.
  public func atanh() -> MLTensor { apply(.inverseHyperbolicTangent) }
  /// Each element rounded up.
  public func ceil() -> MLTensor { round(.ceiling) }
  /// The cosine of each element.
  public func cos() -> MLTensor { apply(.cosine) }
  /// The hyperbolic cosine of each element.
  public func cosh() -> MLTensor { apply(.hyperbolicCosine) }
  /// e to the power of each element.
  public func exp() -> MLTensor { apply(.exponential) }
  /// 2 to the power of each element.
  public func exp2() -> MLTensor { apply(.powerOfTwo) }
  /// Each element rounded down.
  public func floor() -> MLTensor { round(.floor) }
  /// The natural logarithm of each element.
  public func log() -> MLTensor { apply(.logarithm) }
  /// 1 divided by each element.
  public func reciprocal() -> MLTensor { compute(.inverse(epsilon: 0)) }
  /// Each element rounded to the nearest whole number, halves to the even one.
  public func round() -> MLTensor { round(.round) }
  /// 1 divided by the square root of each element.
  public func rsqrt() -> MLTensor { compute(.reciprocalSquareRoot(epsilon: 0)) }
  /// −1, 0 or 1 by the sign of each element.
  public func sign() -> MLTensor {
    guard element.heldInTensors == .int32 else { return apply(.sign).cast(to: element) }
    let least: Int32 = element.isUnsigned ? 0 : -1
    return pointwiseMin(pointwiseMax(self, beside(least)), beside(Int32(1)))
  }
  /// The sine of each element.
  public func sin() -> MLTensor { apply(.sine) }
  /// The hyperbolic sine of each element.
  public func sinh() -> MLTensor { apply(.hyperbolicSine) }
  /// Each element times itself.
  public func squared() -> MLTensor { self * self }
  /// The square root of each element.
  public func squareRoot() -> MLTensor { apply(.squareRoot) }
  /// The tangent of each element.
  public func tan() -> MLTensor { apply(.tangent) }
  /// The hyperbolic tangent of each element.
  public func tanh() -> MLTensor { apply(.tanh) }

  /// e to the power of each element, divided by the sum of those along an axis.
  public func softmax(alongAxis axis: Int = -1) -> MLTensor {
    let real: MLTensor = element.isFloatingPoint ? self : cast(to: .float32)
    return .make(SoftmaxNDOperator(axis: self.axis(axis)), of: [real], element: real.element)
  }

  /// Each element, or a bound where it is beyond.
  public func clamped(to bounds: ClosedRange<Float>) -> MLTensor {
    pointwiseMin(pointwiseMax(self, beside(bounds.lowerBound)), beside(bounds.upperBound))
  }
  /// Each element, or a bound where it is less.
  public func clamped(to bounds: PartialRangeFrom<Float>) -> MLTensor {
    pointwiseMax(self, beside(bounds.lowerBound))
  }
  /// Each element, or a bound where it is greater.
  public func clamped(to bounds: PartialRangeThrough<Float>) -> MLTensor {
    pointwiseMin(self, beside(bounds.upperBound))
  }
  /// Each element, or a bound where it is beyond.
  public func clamped<Scalar: MLTensorScalar & Numeric>(
    to bounds: ClosedRange<Scalar>
  ) -> MLTensor {
    pointwiseMin(pointwiseMax(self, beside(bounds.lowerBound)), beside(bounds.upperBound))
  }
  /// Each element, or a bound where it is less.
  public func clamped<Scalar: MLTensorScalar & Numeric>(
    to bounds: PartialRangeFrom<Scalar>
  ) -> MLTensor {
    pointwiseMax(self, beside(bounds.lowerBound))
  }
  /// Each element, or a bound where it is greater.
  public func clamped<Scalar: MLTensorScalar & Numeric>(
    to bounds: PartialRangeThrough<Scalar>
  ) -> MLTensor {
    pointwiseMin(self, beside(bounds.upperBound))
  }
}

// MARK: - Types

extension MLTensor {
  /// Each element as one of another type. Whole numbers lose the fraction; truth values are true for what is
  /// not 0.
  public func cast<Scalar: MLTensorScalar>(to scalarType: Scalar.Type) -> MLTensor {
    cast(to: ElementType(scalarType))
  }

  /// Each element as one of the other tensor's type.
  public func cast(like other: MLTensor) -> MLTensor { cast(to: other.element) }

  func cast(to other: ElementType) -> MLTensor {
    if other == element { return self }
    if other == .bool { return MLTensor.compare(.isNotEqual, self, beside(Int32(0))) }
    let (isWhole, becomesWhole) = (
      element.heldInTensors == .int32, other.heldInTensors == .int32
    )
    let moved: MLTensor
    switch (isWhole, becomesWhole) {
    case (true, true):
      // The low bits are kept.
      return MLTensor(node, shape: shape, element: other).narrowed()
    case (false, true):
      // The fraction is cut off, and the type's range kept to.
      return MLTensor.make(
        CastOperator(to: other), of: [self], element: other, shape: shape, isExact: true
      ).heldAsInt32()
    case (true, false):
      moved = MLTensor.make(
        CastOperator(to: .float32), of: [computable], element: other, shape: shape, isExact: true)
    case (false, false): moved = MLTensor(node, shape: shape, element: other)
    }
    guard other == .float16, element != .bool else { return moved }
    return MLTensor.make(
      RoundOperator(to: .float16), of: [moved], element: other, shape: shape, isExact: true)
  }
}

// MARK: - Integers of other widths than int32

extension ElementType {
  /// Whether it is a type of integers without negative ones.
  fileprivate var isUnsigned: Bool { self != .bool && integerRange?.lowerBound == 0 }
}

extension MLTensor {
  /// What operators compute with: uint32, which is held as the int32 of the same bits, as itself; everything else as
  /// it is held.
  var computable: MLTensor {
    guard element == .uint32, node.type.element == .int32 else { return self }
    return .make(
      CastOperator(to: .uint32), of: [self], element: .uint32, shape: shape, isExact: true)
  }

  /// A result of integer arithmetic with the low bits of its type, held as int32. Other types stay as they are.
  func narrowed() -> MLTensor {
    switch element {
    case .int8, .int16, .uint8, .uint16:
      let narrow: MLTensor = .make(
        CastOperator(to: element), of: [self], element: element, shape: shape, isExact: true)
      return narrow.heldAsInt32()
    case .uint32: return heldAsInt32()
    default: return self
    }
  }

  /// An integer of any width as the int32 of the same low bits.
  private func heldAsInt32() -> MLTensor {
    guard node.type.element.isInteger, node.type.element != .int32 else { return self }
    return .make(
      CastOperator(to: .int32), of: [self], element: element, shape: shape, isExact: true)
  }
}
