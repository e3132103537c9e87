import CoreML
import ModelFormat

extension StyleNetwork {
  /// Returns a painter with the current network. The painter opens and plans the network once, so reuse the painter for
  /// several pictures.
  public func painter(
    configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws -> Painter {
    try Painter(
      try MLModel(specification: try model(storage: .float32), configuration: configuration),
      name: algorithm.rawValue)
  }
}
