import Tensors

/// The scales and zero points of a tensor. An integer q of the tensor represents the number `scale · (q − zero point)`.
///
/// **Source:** `QuantizationParameters` in schema.fbs; “TensorFlow Lite 8-bit quantization specification”.
package struct LiteQuantization: Sendable, Hashable {
  /// One scale for the whole tensor, or one scale per index of the axis ``axis``.
  package let scales: [Float]
  /// The zero points, one per scale.
  package let zeros: [Int]
  /// The axis along which the scales differ, if there are several.
  package let axis: Int

  init(scales: [Float], zeros: [Int], axis: Int) {
    (self.scales, self.zeros, self.axis) = (scales, zeros, axis)
  }

  /// Reads the quantisation from a file's table. Nil if the tensor is not quantised.
  init?(_ table: FlatTable) throws {
    let scales: [Float] = try table.floats(2)
    guard try table.byte(4) == 0 else {
      throw EngineError(
        .unsupported,
        "it is quantised in blocks or by a custom scheme, expected per tensor or per channel.")
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
    else {
      throw EngineError(
        .invalidModel, "a scale or zero point is out of range; the file may be damaged.")
    }
    self.scales = scales
    self.zeros = zeros
    axis = try table.int(6)
  }

  /// Returns the grid of real numbers that integers of type `element` represent. Nil if there is more than one scale,
  /// or if `element` is not an integer type.
  package func grid(of element: LiteElement) -> QuantizedGrid? {
    guard scales.count == 1, scales[0] > 0, let range = element.stored?.integerRange,
      range.lowerBound >= Int32.min, range.upperBound <= UInt32.max
    else { return nil }
    return QuantizedGrid(
      scale: scales[0], zero: zeros[0], range: Int(range.lowerBound)...Int(range.upperBound))
  }
}

/// The real numbers that a quantised tensor can represent. An integer q represents the number `scale · (q − zero)`.
package struct QuantizedGrid: Sendable, Hashable {
  /// The difference between adjacent real numbers of the grid.
  package let scale: Float
  /// The zero point: the integer that represents 0.
  package let zero: Int
  /// The range of the stored integers.
  package let range: ClosedRange<Int>

  /// Returns the integer that represents the grid's number nearest to `value`. Halves round away from zero.
  package func integer(_ value: Float) -> Int {
    let steps: Float = (value / scale).rounded()
    guard !steps.isNaN else { return zero }
    return Int(bounding: steps, to: range.lowerBound - zero...range.upperBound - zero) + zero
  }

  /// Returns the real number that an integer represents.
  package func value(_ integer: Int) -> Float { scale * Float(integer - zero) }
}
