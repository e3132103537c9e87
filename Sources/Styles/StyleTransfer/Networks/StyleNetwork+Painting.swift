import CoreML
import ModelFormat

extension StyleNetwork {
  /// A painter with the network as it is now. It is opened and planned once; keep it where more than one
  /// picture is painted.
  public func painter(
    configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws -> Painter {
    try Painter(
      try MLModel(specification: try model(storage: .float32), configuration: configuration),
      name: algorithm.rawValue)
  }
}
