import Foundation

/// The name of a parameter or metric, and the part of the model that it belongs to.
open class MLKey: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: all stored properties are constants of sendable types.

  /// The name.
  public let name: String

  /// The layer or sub-model that the key belongs to; nil for the whole model.
  public let scope: String?

  init(name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
  }

  /// Keys are equal when class, name and scope are.
  override open func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLKey, type(of: other) == type(of: self) else { return false }
    return name == other.name && scope == other.scope
  }

  /// A hash that equal keys share.
  override open var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(scope)
    return hasher.finalize()
  }

  /// Scope and name.
  override open var description: String { scope.map { "\($0).\(name)" } ?? name }
}
