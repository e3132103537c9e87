import CoreML

/// What Xcode makes of a model that is dragged into a project, as far as this program needs it.
final class FastStyleTransferVanGoghStarryNight {
  let model: MLModel

  init(contentsOf url: URL) throws {
    model = try MLModel(contentsOf: url)
  }
}
