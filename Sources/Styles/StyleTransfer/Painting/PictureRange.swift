/// The range of the numbers with which a network's array holds the samples of a picture.
public enum PictureRange: String, Sendable, CaseIterable {
  case zeroToOne = "0..1"
  case minusOneToOne = "-1..1"
  case bytes = "0..255"

  /// Returns the number in this range for a sample of 0…255.
  func number(ofSample sample: Double) -> Double {
    switch self {
    case .zeroToOne: sample / 255
    case .minusOneToOne: sample / 127.5 - 1
    case .bytes: sample
    }
  }

  /// Returns the sample of 0…255 for a number in this range. The sample is not clamped.
  func sample(ofNumber number: Float) -> Float {
    switch self {
    case .zeroToOne: number * 255
    case .minusOneToOne: (number + 1) * 127.5
    case .bytes: number
    }
  }

  /// Guesses the range of a network from its results for a picture in ``zeroToOne``. A network for 0…255 has larger
  /// results, and one for −1…1 has negative results.
  init(ofResults results: [Float]) {
    let finite: [Float] = results.filter(\.isFinite)
    let (least, most) = (finite.min() ?? 0, finite.max() ?? 0)
    self = most > 1.5 || least < -1.5 ? .bytes : least < -0.1 ? .minusOneToOne : .zeroToOne
  }
}
