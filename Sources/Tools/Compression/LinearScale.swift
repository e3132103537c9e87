/// The scale and the zero point of quantised numbers: an integer stands for `scale · (integer − zero)`.
struct LinearScale: Hashable, Sendable {
  /// The difference between the numbers that two adjacent integers stand for.
  var scale: Float
  /// The zero point: the integer that stands for the number 0. It may be fractional, and outside of the integers'
  /// range.
  var zero: Float

  /// The width and signedness of the integers.
  struct IntegerFormat: Sendable {
    /// The width of an integer in bits.
    let bits: Int
    /// Whether the integers are signed and the zero point is 0.
    let isSymmetric: Bool
    /// Whether the zero point must be an integer within ``range``.
    var hasIntegerZeroPoint = false

    /// The smallest and the largest integer.
    var range: ClosedRange<Float> {
      let count = Float(1 << bits)
      guard isSymmetric else { return 0...count - 1 }
      return bits == 1 ? -1...0 : -(count / 2 - 1)...count / 2 - 1
    }
  }

  init(scale: Float, zero: Float) {
    self.scale = scale
    self.zero = zero
  }

  /// Finds the scale and zero point with the least mean squared error of the quantised numbers.
  ///
  /// Tries the complete range of the numbers first, then narrower ranges that clip the largest numbers. With few bits,
  /// the precision of the many small numbers matters more than that of the few largest numbers.
  init(_ values: [Float], _ format: IntegerFormat) {
    var least: Float = values.min() ?? 0
    var most: Float = values.max() ?? 0
    if format.hasIntegerZeroPoint { (least, most) = (min(least, 0), max(most, 0)) }
    let range: ClosedRange<Float> = format.range
    var best: (error: Double, pair: LinearScale)?
    // With more than 6 bits, clipping does not reduce the error.
    let shares: [Float] = format.bits > 6 ? [1] : (0...20).map { 1 - 0.035 * Float($0) }
    for share in shares {
      var pair: LinearScale
      if format.isSymmetric {
        let magnitude: Float = max(abs(least), abs(most)) * share
        pair = LinearScale(scale: magnitude / max(range.upperBound, 1), zero: 0)
        if !(pair.scale > 0) { pair.scale = 1 }
      } else {
        let (low, width): (Float, Float) = (
          (least + most) / 2 - (most - least) / 2 * share, (most - least) * share
        )
        let scale: Float = width / range.upperBound
        // If all numbers are equal, the scale would be 0, and dividing by the scale would be impossible.
        let isFlat: Bool = !(scale > 0 && (low / scale).isFinite)
        pair = LinearScale(
          scale: isFlat ? (low == 0 ? 1 : low) : scale,
          zero: isFlat ? (low == 0 ? 0 : -1) : -low / scale)
        if format.hasIntegerZeroPoint {
          pair =
            isFlat
            ? LinearScale(scale: 1, zero: 0)
            : LinearScale(
              scale: scale, zero: min(max(pair.zero.rounded(), 0), range.upperBound))
        }
      }
      let error: Double = pair.error(values, range)
      if error < best?.error ?? .infinity { best = (error, pair) }
    }
    self = best?.pair ?? LinearScale(scale: 1, zero: 0)
  }

  /// Dequantises an integer: returns the number that it stands for.
  func value(_ integer: Float) -> Float { scale * (integer - zero) }

  /// Quantises a number: returns the integer in the range that stands for the nearest number.
  func integer(_ value: Float, _ range: ClosedRange<Float>) -> Float {
    min(max((value / scale + zero).rounded(), range.lowerBound), range.upperBound)
  }

  private func error(_ values: [Float], _ range: ClosedRange<Float>) -> Double {
    var sum: Double = 0
    for value in values {
      let difference = Double(self.value(integer(value, range)) - value)
      sum += difference * difference
    }
    return sum
  }
}
