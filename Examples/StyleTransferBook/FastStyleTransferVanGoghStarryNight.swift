import CoreML

/// The class that Xcode generates for a model in a project, with the members that this program needs.
final class FastStyleTransferVanGoghStarryNight {
  let model: MLModel

  init(contentsOf url: URL) throws {
    model = try MLModel(contentsOf: url)
  }
}
