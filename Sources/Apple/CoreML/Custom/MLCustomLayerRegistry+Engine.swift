import Engine

extension MLCustomLayerRegistry {
  /// Makes custom layers for networks that tools of this package build without a model.
  package static var engineFactory: CustomLayerFactory { CustomLayerBridge.factory }
}
