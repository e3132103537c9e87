import Platform

/// The Swift classes that are registered for the class names of custom layers in models.
///
/// Not in Apple's framework, where the Objective-C runtime finds classes by name. Register a class only if its name
/// differs from the class name in the model. Otherwise, the framework finds the class without registration.
public enum MLCustomLayerRegistry {
  /// `@unchecked Sendable`: a metatype is a constant.
  private struct Layer: @unchecked Sendable {
    let type: any MLCustomLayer.Type
  }

  private static let registered: Locked<[String: Layer]> = Locked([:])

  /// Registers a Swift class for a class name in models. Models that are loaded after this call use the class.
  public static func register(_ type: any MLCustomLayer.Type, for className: String) {
    let layer = Layer(type: type)
    registered.withLock { $0[className] = layer }
  }

  /// Returns the class that is registered for a name. If no class is registered, searches the program and the loaded
  /// libraries for a class that conforms to ``MLCustomLayer`` and has this name, with or without the module. Returns
  /// nil if no class is found.
  public static func layerType(named className: String) -> (any MLCustomLayer.Type)? {
    if let layer = registered.withLock({ $0[className] }) { return layer.type }
    let found: Any.Type? = ConformanceScan.firstType(
      named: className, conformingTo: (any MLCustomLayer).self)
    return found as? any MLCustomLayer.Type
  }

  /// Returns the custom model class with the given name, or nil if there is no such class.
  static func modelType(named className: String) -> (any MLCustomModel.Type)? {
    let found: Any.Type? = ConformanceScan.firstType(
      named: className, conformingTo: (any MLCustomModel).self)
    return found as? any MLCustomModel.Type
  }
}
