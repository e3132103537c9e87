import ModelFormat

/// Shifts values, then scales them: `scale · (x + shift)`.
public struct Scaler: Sendable {
  private let shifts: [Double]
  private let scales: [Double]

  /// Reads a model.
  public init(_ message: Spec.Scaler) {
    shifts = message.shiftValue.isEmpty ? [0] : message.shiftValue
    scales = message.scaleValue.isEmpty ? [1] : message.scaleValue
  }

  /// Returns the shifted and scaled values.
  public func apply(_ values: [Double]) throws -> [Double] {
    for (name, list) in [("shift", shifts), ("scale", scales)] {
      guard list.count == 1 || list.count == values.count else {
        throw ClassicalModelError.input(
          "The scaler has \(list.count) \(name) values, but its input has \(values.count) values; "
            + "it needs one for all or one for each.")
      }
    }
    return values.indices.map { index in
      let shift: Double = shifts.count == 1 ? shifts[0] : shifts[index]
      let scale: Double = scales.count == 1 ? scales[0] : scales[index]
      return scale * (values[index] + shift)
    }
  }
}
