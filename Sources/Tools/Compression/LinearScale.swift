/// A scale and a place of zero for codes of few bits: `scale · (code − zero)`.
struct LinearScale: Hashable, Sendable {
  /// The distance of two neighbouring codes' numbers.
  var scale: Float
  /// The code of the number 0; it may lie between codes, and outside of them.
  var zero: Float

  /// What codes are allowed to be.
  struct Codes: Sendable {
    /// The width in bits.
    let bits: Int
    /// Whether codes stand on both sides of zero, whose code is 0.
    let isSymmetric: Bool
    /// Whether the code of zero is a whole number among the codes.
    var hasWholeZero = false

    /// The least and the largest code.
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

  /// The pair for which codes are nearest to the numbers, in the mean of the squares.
  ///
  /// The whole range of the numbers is tried first, then ranges that leave the largest ones out: for few bits the
  /// many small numbers count for more.
  init(_ values: [Float], _ codes: Codes) {
    var least: Float = values.min() ?? 0
    var most: Float = values.max() ?? 0
    if codes.hasWholeZero { (least, most) = (min(least, 0), max(most, 0)) }
    let range: ClosedRange<Float> = codes.range
    var best: (error: Double, pair: LinearScale)?
    // Above six bits there is nothing to win.
    let shares: [Float] = codes.bits > 6 ? [1] : (0...20).map { 1 - 0.035 * Float($0) }
    for share in shares {
      var pair: LinearScale
      if codes.isSymmetric {
        let magnitude: Float = max(abs(least), abs(most)) * share
        pair = LinearScale(scale: magnitude / max(range.upperBound, 1), zero: 0)
        if !(pair.scale > 0) { pair.scale = 1 }
      } else {
        let (low, width): (Float, Float) = (
          (least + most) / 2 - (most - least) / 2 * share, (most - least) * share
        )
        let scale: Float = width / range.upperBound
        // Equal numbers need no distance.
        let isFlat: Bool = !(scale > 0 && (low / scale).isFinite)
        pair = LinearScale(
          scale: isFlat ? (low == 0 ? 1 : low) : scale,
          zero: isFlat ? (low == 0 ? 0 : -1) : -low / scale)
        if codes.hasWholeZero {
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

  /// The number that a code means.
  func value(_ code: Float) -> Float { scale * (code - zero) }

  /// The code that is nearest to a number.
  func code(_ value: Float, _ range: ClosedRange<Float>) -> Float {
    min(max((value / scale + zero).rounded(), range.lowerBound), range.upperBound)
  }

  private func error(_ values: [Float], _ range: ClosedRange<Float>) -> Double {
    var sum: Double = 0
    for value in values {
      let difference = Double(self.value(code(value, range)) - value)
      sum += difference * difference
    }
    return sum
  }
}
