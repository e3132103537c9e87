/// The measurements of one painted picture by ``Judge``. `Documentation/Quality.md` says which values are good.
public struct Judgement: Sendable, Equatable, Codable {
  /// The standard deviation of OKLab's lightness in the painted picture, divided by that in the painting. 1 means equal
  /// contrast.
  public var contrast: Double
  /// The sliced Wasserstein distance in OKLab between the colours of the painted picture and of the painting.
  public var color: Double
  /// The mean distance from each feature of the painted picture to the nearest feature of the painting.
  public var near: Double
  /// The mean distance from each feature of the photo to the nearest feature of the painting.
  public var nearOfPhoto: Double
  /// The mean distance from each feature of the painting to the nearest feature of the painted picture.
  public var cover: Double
  /// LPIPS between the painted picture and the photo.
  public var lpips: Double
  /// DISTS between the painted picture and the photo.
  public var dists: Double
  /// The relative error of the Gram matrix by layer: `‖G − T‖² / ‖T‖²`, where `T` is the painting's.
  public var gramErrors: [String: Double]

  /// Returns the means of several judgements. Nil for an empty array.
  public static func mean(of all: [Judgement]) -> Judgement? {
    guard let first = all.first else { return nil }
    func mean(_ value: (Judgement) -> Double) -> Double {
      all.reduce(0) { $0 + value($1) } / Double(all.count)
    }
    return Judgement(
      contrast: mean(\.contrast), color: mean(\.color), near: mean(\.near),
      nearOfPhoto: mean(\.nearOfPhoto), cover: mean(\.cover), lpips: mean(\.lpips),
      dists: mean(\.dists),
      gramErrors: Dictionary(
        uniqueKeysWithValues: first.gramErrors.keys.map { layer in
          (layer, mean { $0.gramErrors[layer] ?? 0 })
        }))
  }
}
