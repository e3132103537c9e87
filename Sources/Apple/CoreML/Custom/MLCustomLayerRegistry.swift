import Platform

/// Which Swift classes stand for the class names of custom layers in models.
///
/// Not in Apple's framework, where the Objective-C runtime does this. Registering is needed only
/// where a class has another name than the model says; all others are found by their names.
public enum MLCustomLayerRegistry {
  /// `@unchecked Sendable`: a metatype is a constant of the program.
  private struct Layer: @unchecked Sendable {
    let type: any MLCustomLayer.Type
  }

  private static let registered: Locked<[String: Layer]> = Locked([:])

  /// Makes models use a class for a class name, from the next load on.
  public static func register(_ type: any MLCustomLayer.Type, for className: String) {
    let layer = Layer(type: type)
    registered.withLock { $0[className] = layer }
  }

  /// The class for a name: the registered one, or else the class of that name, with or without
  /// its module, that conforms to ``MLCustomLayer`` in the program or any loaded library.
  public static func layerType(named className: String) -> (any MLCustomLayer.Type)? {
    if let layer = registered.withLock({ $0[className] }) { return layer.type }
    let found: Any.Type? = ConformanceScan.firstType(
      named: className, conformingTo: (any MLCustomLayer).self)
    return found as? any MLCustomLayer.Type
  }

  /// The class of a custom model, found as that of a layer is.
  static func modelType(named className: String) -> (any MLCustomModel.Type)? {
    let found: Any.Type? = ConformanceScan.firstType(
      named: className, conformingTo: (any MLCustomModel).self)
    return found as? any MLCustomModel.Type
  }
}
