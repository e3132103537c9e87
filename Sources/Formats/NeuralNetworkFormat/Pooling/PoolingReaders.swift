import Graph

extension [LayerReader] {
  /// The layers that summarise windows of a feature map.
  package static let pooling: [LayerReader] = [.pooling, .pooling3D, .globalPooling3D]
}
