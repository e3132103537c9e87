import Foundation
import Platform

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// Makes a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Makes a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Turns false to true and back.
  public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
  /// Returns whether a value is nil.
  public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
  /// Returns whether a value is not nil.
  public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
}

/// A conversion of a value to another one, and possibly back. Subclasses override ``transformedValue(_:)``.
open class ValueTransformer: NSObject {
  // Sendable: as on Apple's systems, any thread uses a transformer that is stored under a name.
  private struct Registry: @unchecked Sendable {
    var transformers: [NSValueTransformerName: ValueTransformer] = [:]
  }
  private static let registry = Locked(Registry())

  /// The function of a transformer that was found by its name.
  private let function: ((Any?) -> Any?)?
  private let inverse: ((Any?) -> Any?)?

  /// Makes a transformer.
  public override init() { (function, inverse) = (nil, nil) }

  /// Finds a transformer by its name. Nil if there is none.
  public init?(forName name: NSValueTransformerName) {
    switch name {
    case .negateBooleanTransformerName:
      let negate: (Any?) -> Any? = { !(($0 as? NSNumber)?.boolValue ?? ($0 as? Bool) ?? false) }
      (function, inverse) = (negate, negate)
    case .isNilTransformerName: (function, inverse) = ({ $0 == nil }, nil)
    case .isNotNilTransformerName: (function, inverse) = ({ $0 != nil }, nil)
    default:
      guard let found = Self.registry.withLock({ $0.transformers[name] }) else { return nil }
      (function, inverse) = (found.transformedValue, found.reverseTransformedValue)
    }
  }

  /// Stores a transformer under a name, or removes it if it is nil.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    registry.withLock { $0.transformers[name] = transformer }
  }

  /// The names under which programs stored transformers.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    registry.withLock { Array($0.transformers.keys) }
  }

  /// The class of the results.
  open class func transformedValueClass() -> AnyClass { NSObject.self }

  /// Whether the transformer has a way back. True, unless a subclass says otherwise.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Returns the result for a value. Without an override, it is the value itself.
  open func transformedValue(_ value: Any?) -> Any? { function.map { $0(value) } ?? value }

  /// Returns the value for a result. Without an override, it is that of ``transformedValue(_:)``.
  open func reverseTransformedValue(_ value: Any?) -> Any? {
    inverse.map { $0(value) } ?? transformedValue(value)
  }
}
