import Engine
import Platform

extension MLCustomLayerRegistry {
  /// Makes custom layers for networks that tools of this package build without a model.
  package static var engineFactory: CustomLayerFactory { CustomLayerBridge.factory }

  private static let makers: Locked<[String: CustomLayerFactory]> = Locked([:])

  /// Makes models use what a closure makes for a class name, from the next load on: for layers that are written
  /// in other languages.
  package static func register(_ make: @escaping CustomLayerFactory, for className: String) {
    makers.withLock { $0[className] = make }
  }

  /// The closure for a class name; nil where none is registered.
  static func maker(named className: String) -> CustomLayerFactory? {
    makers.withLock { $0[className] }
  }
}
