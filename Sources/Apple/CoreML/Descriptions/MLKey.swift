import Foundation

/// The name of a parameter or metric, and the part of the model to which it belongs.
open class MLKey: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: all stored properties are constants of sendable types.

  /// The name.
  public let name: String

  /// The name of the layer or submodel to which the key belongs; nil for the whole model.
  public let scope: String?

  init(name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
  }

  /// Keys are equal when their classes, names and scopes are equal.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLKey, type(of: other) == type(of: self) else { return false }
    return name == other.name && scope == other.scope
  }

  /// A hash of name and scope.
  override open var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(scope)
    return hasher.finalize()
  }

  /// The scope and the name, as `dense.weights`.
  override open var description: String { scope.map { "\($0).\(name)" } ?? name }
}
