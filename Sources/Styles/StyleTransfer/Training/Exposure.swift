import Engine
import Imaging

/// An over- or underexposure for data augmentation: all values beyond a limit become white, or black.
///
/// Photos have overexposed skies and underexposed shadows, and large photos have large flat areas. A network that was
/// trained on few such areas fills them with colours that no painting has.
enum Exposure: Equatable {
  /// Overexposure: values of at least this one, of 0…255, become white.
  case over(Float)
  /// Underexposure: values of at most this one, of 0…255, become black.
  case under(Float)

  /// Draws a random exposure for one of `count` pictures on average. Nil for the others, and for all if `count` is 0.
  init?(oneOf count: Int, _ generator: inout SplitMix64) {
    guard count > 0 else { return nil }
    let kind: UInt64 = generator.next() % UInt64(2 * count)
    let share: Double = generator.uniform(0...1)
    switch kind {
    case 0: self = .over(Float(90 + 120 * share))
    case 1: self = .under(Float(50 + 100 * share))
    default: return nil
    }
  }

  /// Returns the value after the exposure.
  func callAsFunction(_ value: Float) -> Float {
    switch self {
    case .over(let limit): return min(255, value * 255 / limit)
    case .under(let limit): return max(0, (value - limit) * 255 / (255 - limit))
    }
  }
}
