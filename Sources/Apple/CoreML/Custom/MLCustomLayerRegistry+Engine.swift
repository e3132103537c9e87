import Engine
import Operators
import Platform

extension MLCustomLayerRegistry {
  /// The function that makes custom layers for networks that this package's tools build without an `MLModel`.
  package static var engineFactory: CustomLayerFactory { CustomLayerBridge.factory }

  /// The function that makes custom layers for a tool that only reads a model and writes it again. If the class of a
  /// layer is known, the layer reports its output shapes. Otherwise, a placeholder represents the layer.
  package static var passthroughFactory: CustomLayerFactory {
    { request in
      guard maker(named: request.className) != nil || layerType(named: request.className) != nil
      else { return PassthroughCustomLayer(request.className) }
      return try CustomLayerBridge.factory(request)
    }
  }

  private static let makers: Locked<[String: CustomLayerFactory]> = Locked([:])

  /// Registers a closure that makes all layers whose class name in the model is `className`. Layers that are not
  /// written in Swift need such a closure. Models that are loaded after this call use the closure.
  package static func register(_ make: @escaping CustomLayerFactory, for className: String) {
    makers.withLock { $0[className] = make }
  }

  /// Returns the closure that is registered for a class name, or nil.
  static func maker(named className: String) -> CustomLayerFactory? {
    makers.withLock { $0[className] }
  }
}
