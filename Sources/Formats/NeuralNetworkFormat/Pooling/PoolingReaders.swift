import Graph

extension [LayerReader] {
  /// Pooling layers.
  package static let pooling: [LayerReader] = [.pooling, .pooling3D, .globalPooling3D]
}
