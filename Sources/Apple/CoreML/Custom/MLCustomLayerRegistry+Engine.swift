import Engine
import Operators
import Platform

extension MLCustomLayerRegistry {
  /// Makes custom layers for networks that tools of this package build without a model.
  package static var engineFactory: CustomLayerFactory { CustomLayerBridge.factory }

  /// Makes custom layers for models that are read to be written again: objects of the classes that are here, which say
  /// what they make; layers of other classes are carried along.
  package static var carryingFactory: CustomLayerFactory {
    { request in
      guard maker(named: request.className) != nil || layerType(named: request.className) != nil
      else { return CarriedCustomLayer(request.className) }
      return try CustomLayerBridge.factory(request)
    }
  }

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
