import Tensors

/// How the whole numbers of a tensor stand for real ones: `scale · (code − zero)`.
///
/// **Source:** `QuantizationParameters` in schema.fbs; “TensorFlow Lite 8-bit quantization specification”.
package struct LiteQuantization: Sendable, Hashable {
  /// A factor for the whole tensor, or one for each place of ``axis``.
  package let scales: [Float]
  /// The codes that stand for 0, as many as there are factors.
  package let zeros: [Int]
  /// The axis whose places have factors of their own.
  package let axis: Int

  init(scales: [Float], zeros: [Int], axis: Int) {
    (self.scales, self.zeros, self.axis) = (scales, zeros, axis)
  }

  /// What a file says; nil where the numbers stand for themselves.
  init?(_ table: FlatTable) throws {
    let scales: [Float] = try table.floats(2)
    guard try table.byte(4) == 0 else {
      throw EngineError(
        .unsupported,
        "it is quantised in blocks or in a way of its own, expected by tensor or by channel.")
    }
    guard !scales.isEmpty else { return nil }
    var zeros: [Int] = try table.ints(3, as: Int64.self) ?? []
    if zeros.isEmpty { zeros = [0] }
    if zeros.count == 1 { zeros = [Int](repeating: zeros[0], count: scales.count) }
    guard zeros.count == scales.count else {
      throw EngineError(
        .invalidModel, "it has \(scales.count) scales but \(zeros.count) zero points.")
    }
    guard scales.allSatisfy({ $0.isFinite && $0 >= 0 }),
      zeros.allSatisfy({ Int.statedRange.contains($0) })
    else { throw EngineError(.invalidModel, "a scale or zero point is no number that can be.") }
    self.scales = scales
    self.zeros = zeros
    axis = try table.int(6)
  }

  /// Real numbers that codes of one element type stand for, where one factor holds for the whole tensor.
  package func grid(of element: LiteElement) -> QuantizedGrid? {
    guard scales.count == 1, scales[0] > 0, let range = element.stored?.integerRange,
      range.lowerBound >= Int32.min, range.upperBound <= UInt32.max
    else { return nil }
    return QuantizedGrid(
      scale: scales[0], zero: zeros[0], codes: Int(range.lowerBound)...Int(range.upperBound))
  }
}

/// The real numbers that the codes of a tensor stand for: `scale · (code − zero)`.
package struct QuantizedGrid: Sendable, Hashable {
  /// The distance between neighbours.
  package let scale: Float
  /// The code of 0.
  package let zero: Int
  /// The codes that there are.
  package let codes: ClosedRange<Int>

  /// The code of the nearest real number, halves away from zero.
  package func code(_ value: Float) -> Int {
    let steps: Float = (value / scale).rounded()
    guard !steps.isNaN else { return zero }
    return Int(bounding: steps, to: codes.lowerBound - zero...codes.upperBound - zero) + zero
  }

  /// The real number of a code.
  package func value(_ code: Int) -> Float { scale * Float(code - zero) }
}
