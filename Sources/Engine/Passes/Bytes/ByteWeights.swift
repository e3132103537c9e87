import Graph

/// Constant weights of 8 bits: whole numbers of −128 to 127 with a factor a channel.
struct ByteWeights {
  /// The whole numbers, in the order of the weights.
  let codes: Constant
  /// A factor an output channel.
  let factors: [Float]

  /// Nil where the weights are no such numbers.
  ///
  /// - Parameters:
  ///   - axis: that of the output channels.
  ///   - isTransposed: whether a matrix is to be turned.
  init?(_ constant: Constant, axis: Int, isTransposed: Bool = false) {
    guard constant.shape.rank > axis, constant.type.element == .float32,
      let stored = constant.stored
    else { return nil }
    let channels: Int = constant.shape[axis]
    let whole: Constant, scales: [Float]
    switch stored.meaning {
    case .plain(_, .int8, _):
      (whole, scales) = (constant, [1])
    case .affine(let numbers, let scaled):
      guard let element = numbers.stored?.storedElement,
        let shift = scaled.commonZero, element.isByte(less: shift),
        let known = try? scaled.scale.floats(),
        known.count == 1 || known.count == channels && scaled.scale.shape[axis] == channels
      else { return nil }
      scales = known
      whole =
        shift == 0
        ? Constant(constant.shape, recipe: "codes", of: [numbers]) { try numbers.floats() }
        : Constant(constant.shape, recipe: "codes less \(shift)", of: [numbers]) {
          try numbers.floats().map { $0 - Float(shift) }
        }
    default: return nil
    }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    factors = scales.count == channels ? scales : [Float](repeating: scales[0], count: channels)
    codes = isTransposed ? whole.transposedMatrix() : whole
  }
}

extension StoredValues.ScaledCodes {
  /// The whole number that is subtracted from all codes; nil where there are several, or fractions.
  fileprivate var commonZero: Int? {
    guard let zero else { return 0 }
    guard let zeros = try? zero.floats(), let first = zeros.first, let whole = Int(exactly: first),
      zeros.allSatisfy({ $0 == first })
    else { return nil }
    return whole
  }
}

extension ElementType {
  /// Whether all numbers of the type, less another one, are of −128 to 127.
  fileprivate func isByte(less shift: Int) -> Bool {
    guard let range = integerRange, bitCount <= 8, self != .bool else { return false }
    return range.lowerBound - Int64(shift) >= -128 && range.upperBound - Int64(shift) <= 127
  }
}

extension Constant {
  /// A matrix with its axes exchanged.
  fileprivate func transposedMatrix() -> Constant {
    let (rows, columns) = (shape[0], shape[1])
    return Constant([columns, rows], recipe: "transposed", of: [self]) { [self] in
      let values: [Float] = try floats()
      var result = [Float](repeating: 0, count: values.count)
      for row in 0..<rows {
        for column in 0..<columns { result[column * rows + row] = values[row * columns + column] }
      }
      return result
    }
  }
}
