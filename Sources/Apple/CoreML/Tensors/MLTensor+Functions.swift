import Engine

extension MLTensor {
  /// Applies a function to each element. Converts integers to `float32` first.
  private func apply(_ function: UnaryFunction) -> MLTensor {
    let real: MLTensor = element.isFloatingPoint ? self : cast(to: .float32)
    return .make(UnaryFunctionOperator(function), of: [real], element: real.element)
  }

  /// Applies a rounding function to each element. Integers stay unchanged.
  private func round(_ function: UnaryFunction) -> MLTensor {
    element.isInteger ? self : apply(function)
  }

  private func compute(_ function: UnaryOperator.Function) -> MLTensor {
    let real: MLTensor = element.isFloatingPoint ? self : cast(to: .float32)
    return .make(UnaryOperator(function), of: [real], element: real.element)
  }

  /// Returns the magnitude of each element.
  public func abs() -> MLTensor {
    if element.isUnsigned { return self }
    return element.storageInGraphs == .int32 ? pointwiseMax(self, -self) : apply(.magnitude)
  }
  /// Returns the inverse cosine of each element.
  public func acos() -> MLTensor { apply(.inverseCosine) }
  /// Returns the inverse hyperbolic cosine of each element.
  public func acosh() -> MLTensor { apply(.inverseHyperbolicCosine) }
  /// Returns the inverse sine of each element.
  public func asin() -> MLTensor { apply(.inverseSine) }
  /// Returns the inverse hyperbolic sine of each element.
  public func asinh() -> MLTensor { apply(.inverseHyperbolicSine) }
  /// Returns the inverse tangent of each element.
  public func atan() -> MLTensor { apply(.inverseTangent) }
  /// Returns the inverse hyperbolic tangent of each element.
  public func atanh() -> MLTensor { apply(.inverseHyperbolicTangent) }
  /// Rounds each element up.
  public func ceil() -> MLTensor { round(.ceiling) }
  /// Returns the cosine of each element.
  public func cos() -> MLTensor { apply(.cosine) }
  /// Returns the hyperbolic cosine of each element.
  public func cosh() -> MLTensor { apply(.hyperbolicCosine) }
  /// Returns e to the power of each element.
  public func exp() -> MLTensor { apply(.exponential) }
  /// Returns 2 to the power of each element.
  public func exp2() -> MLTensor { apply(.powerOfTwo) }
  /// Rounds each element down.
  public func floor() -> MLTensor { round(.floor) }
  /// Returns the natural logarithm of each element.
  public func log() -> MLTensor { apply(.logarithm) }
  /// Returns 1 divided by each element.
  public func reciprocal() -> MLTensor { compute(.inverse(epsilon: 0)) }
  /// Rounds each element to the nearest integer. Rounds halves to the nearest even integer.
  public func round() -> MLTensor { round(.round) }
  /// Returns 1 divided by the square root of each element.
  public func rsqrt() -> MLTensor { compute(.reciprocalSquareRoot(epsilon: 0)) }
  /// Returns the sign of each element: −1, 0 or 1.
  public func sign() -> MLTensor {
    guard element.storageInGraphs == .int32 else { return apply(.sign).cast(to: element) }
    let least: Int32 = element.isUnsigned ? 0 : -1
    return pointwiseMin(pointwiseMax(self, scalarTensor(least)), scalarTensor(Int32(1)))
  }
  /// Returns the sine of each element.
  public func sin() -> MLTensor { apply(.sine) }
  /// Returns the hyperbolic sine of each element.
  public func sinh() -> MLTensor { apply(.hyperbolicSine) }
  /// Returns the square of each element.
  public func squared() -> MLTensor { self * self }
  /// Returns the square root of each element.
  public func squareRoot() -> MLTensor { apply(.squareRoot) }
  /// Returns the tangent of each element.
  public func tan() -> MLTensor { apply(.tangent) }
  /// Returns the hyperbolic tangent of each element.
  public func tanh() -> MLTensor { apply(.tanh) }

  /// Returns the softmax along an axis. This is e to the power of each element, divided by the sum of these powers
  /// along the axis.
  public func softmax(alongAxis axis: Int = -1) -> MLTensor {
    let real: MLTensor = element.isFloatingPoint ? self : cast(to: .float32)
    return .make(SoftmaxNDOperator(axis: self.axis(axis)), of: [real], element: real.element)
  }

  /// Clamps each element to a range.
  public func clamped(to bounds: ClosedRange<Float>) -> MLTensor {
    pointwiseMin(
      pointwiseMax(self, scalarTensor(bounds.lowerBound)), scalarTensor(bounds.upperBound))
  }
  /// Replaces elements below the lower bound with the bound.
  public func clamped(to bounds: PartialRangeFrom<Float>) -> MLTensor {
    pointwiseMax(self, scalarTensor(bounds.lowerBound))
  }
  /// Replaces elements above the upper bound with the bound.
  public func clamped(to bounds: PartialRangeThrough<Float>) -> MLTensor {
    pointwiseMin(self, scalarTensor(bounds.upperBound))
  }
  /// Clamps each element to a range.
  public func clamped<Scalar: MLTensorScalar & Numeric>(
    to bounds: ClosedRange<Scalar>
  ) -> MLTensor {
    pointwiseMin(
      pointwiseMax(self, scalarTensor(bounds.lowerBound)), scalarTensor(bounds.upperBound))
  }
  /// Replaces elements below the lower bound with the bound.
  public func clamped<Scalar: MLTensorScalar & Numeric>(
    to bounds: PartialRangeFrom<Scalar>
  ) -> MLTensor {
    pointwiseMax(self, scalarTensor(bounds.lowerBound))
  }
  /// Replaces elements above the upper bound with the bound.
  public func clamped<Scalar: MLTensorScalar & Numeric>(
    to bounds: PartialRangeThrough<Scalar>
  ) -> MLTensor {
    pointwiseMin(self, scalarTensor(bounds.upperBound))
  }
}

// MARK: - Types

extension MLTensor {
  /// Converts each element to another type. Conversion from a floating-point type to an integer type truncates towards
  /// zero and clamps. Conversion between integer types keeps the low bits. Conversion to `Bool` gives true for elements
  /// other than 0.
  public func cast<Scalar: MLTensorScalar>(to scalarType: Scalar.Type) -> MLTensor {
    cast(to: ElementType(scalarType))
  }

  /// Converts each element to the other tensor's type.
  public func cast(like other: MLTensor) -> MLTensor { cast(to: other.element) }

  func cast(to other: ElementType) -> MLTensor {
    if other == element { return self }
    if other == .bool { return MLTensor.compare(.isNotEqual, self, scalarTensor(Int32(0))) }
    let (isInteger, becomesInteger) = (
      element.storageInGraphs == .int32, other.storageInGraphs == .int32
    )
    let moved: MLTensor
    switch (isInteger, becomesInteger) {
    case (true, true):
      // The conversion to a narrower integer type keeps the low bits of each element.
      return MLTensor(node, shape: shape, element: other).narrowed()
    case (false, true):
      // The cast truncates the fraction and clamps to the type's range.
      return MLTensor.make(
        CastOperator(to: other), of: [self], element: other, shape: shape, isExact: true
      ).storedAsInt32()
    case (true, false):
      moved = MLTensor.make(
        CastOperator(to: .float32), of: [operand], element: other, shape: shape, isExact: true)
    case (false, false): moved = MLTensor(node, shape: shape, element: other)
    }
    guard other == .float16, element != .bool else { return moved }
    return MLTensor.make(
      RoundOperator(to: .float16), of: [moved], element: other, shape: shape, isExact: true)
  }
}

// MARK: - Integers of other widths than int32

extension ElementType {
  /// Whether this is an unsigned integer type.
  fileprivate var isUnsigned: Bool { self != .bool && integerRange?.lowerBound == 0 }
}

extension MLTensor {
  /// The tensor in the form that operators read. Tensors store uint32 elements as int32 with the same bits, so this
  /// property casts them back to uint32. Tensors of other types stay unchanged.
  var operand: MLTensor {
    guard element == .uint32, node.type.element == .int32 else { return self }
    return .make(
      CastOperator(to: .uint32), of: [self], element: .uint32, shape: shape, isExact: true)
  }

  /// Truncates the elements of a tensor of narrow integers to the low bits that fit the element type, and stores them
  /// as int32. Tensors of other types stay unchanged.
  func narrowed() -> MLTensor {
    switch element {
    case .int8, .int16, .uint8, .uint16:
      let narrow: MLTensor = .make(
        CastOperator(to: element), of: [self], element: element, shape: shape, isExact: true)
      return narrow.storedAsInt32()
    case .uint32: return storedAsInt32()
    default: return self
    }
  }

  /// Returns this tensor with its integers, of any width, stored as int32 with the same low bits.
  private func storedAsInt32() -> MLTensor {
    guard node.type.element.isInteger, node.type.element != .int32 else { return self }
    return .make(
      CastOperator(to: .int32), of: [self], element: element, shape: shape, isExact: true)
  }
}
