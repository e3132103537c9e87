import Engine
import Imaging

/// A wrong exposure: what lies beyond a value is all white, or all black.
///
/// Skies burn out and shadows drown in photos that are painted, and large photos have large flat areas. A
/// network that has seen few of them fills them with colours that no painting has.
enum Exposure {
  /// Values from this one on, 0…255, become white.
  case over(Float)
  /// Values up to this one become black.
  case under(Float)

  /// A third of all pictures are exposed wrongly; nil for the others.
  init?(_ generator: inout SampleGenerator) {
    let kind: UInt64 = generator.next() % 6
    let share: Double = generator.uniform(0...1)
    switch kind {
    case 0: self = .over(Float(90 + 120 * share))
    case 1: self = .under(Float(50 + 100 * share))
    default: return nil
    }
  }

  /// What becomes of a value.
  func callAsFunction(_ value: Float) -> Float {
    switch self {
    case .over(let limit): return min(255, value * 255 / limit)
    case .under(let limit): return max(0, (value - limit) * 255 / (255 - limit))
    }
  }
}
