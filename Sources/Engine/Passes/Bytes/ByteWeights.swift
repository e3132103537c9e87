import Graph

/// Constant 8-bit weights, stored as integers from −128 to 127 and one factor per output channel. The factor converts
/// the integers to real numbers.
struct ByteWeights {
  /// The integers in the layout of the weights, or transposed if the initialiser's `isTransposed` was true.
  let integers: Constant
  /// The factor of each output channel.
  let factors: [Float]

  /// Reads the integers and factors from a constant. Nil if the constant does not store 8-bit integers with factors.
  ///
  /// - Parameters:
  ///   - axis: the axis of the constant that holds the output channels.
  ///   - isTransposed: whether to transpose the integers. If it is true, the constant must be a matrix.
  init?(_ constant: Constant, axis: Int, isTransposed: Bool = false) {
    guard constant.shape.rank > axis, constant.type.element == .float32,
      let stored = constant.stored
    else { return nil }
    let channels: Int = constant.shape[axis]
    let integerValues: Constant, scales: [Float]
    switch stored.meaning {
    case .plain(_, .int8, _):
      (integerValues, scales) = (constant, [1])
    case .affine(let numbers, let scaled):
      guard let element = numbers.stored?.storedElement,
        let shift = scaled.commonZero, element.isByte(less: shift),
        let known = try? scaled.scale.floats(),
        known.count == 1 || known.count == channels && scaled.scale.shape[axis] == channels
      else { return nil }
      scales = known
      integerValues =
        shift == 0
        ? Constant(constant.shape, recipe: "integers", of: [numbers]) { try numbers.floats() }
        : Constant(constant.shape, recipe: "integers less \(shift)", of: [numbers]) {
          try numbers.floats().map { $0 - Float(shift) }
        }
    default: return nil
    }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    factors = scales.count == channels ? scales : [Float](repeating: scales[0], count: channels)
    integers = isTransposed ? integerValues.transposedMatrix() : integerValues
  }
}

extension StoredValues.ScaledIntegers {
  /// The zero point of all quantised values. Nil if their zero points differ or are not integers.
  fileprivate var commonZero: Int? {
    guard let zero else { return 0 }
    guard let zeros = try? zero.floats(), let first = zeros.first,
      let integer = Int(exactly: first),
      zeros.allSatisfy({ $0 == first })
    else { return nil }
    return integer
  }
}

extension ElementType {
  /// Returns whether, for each number n of the type, n − `shift` is between −128 and 127.
  fileprivate func isByte(less shift: Int) -> Bool {
    guard let range = integerRange, bitCount <= 8, self != .bool else { return false }
    return range.lowerBound - Int64(shift) >= -128 && range.upperBound - Int64(shift) <= 127
  }
}
