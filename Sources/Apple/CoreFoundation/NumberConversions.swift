// On Apple's systems, `shape.map(NSNumber.init)` makes numbers of integers. Foundation on Linux has two initialisers
// with one `Int`, `init(value:)` and `init(integerLiteral:)`, and the compiler cannot choose between them. For arrays of
// `Int`, it chooses the `map` of this file, whose argument accepts only one initialiser. Ranges have no such method,
// because the compiler needs too much time for nested closures over ranges if it has to consider one more method.

/// An integer that becomes an `NSNumber`. Only `map(_:)` makes values of this type.
public struct NumberInteger: Sendable {
  fileprivate let value: Int
}

extension NSNumber {
  /// Makes a number from an integer.
  public convenience init(value: NumberInteger) {
    self.init(value: value.value)
  }
}

extension Array where Element == Int {
  /// Returns a number for each integer: `shape.map(NSNumber.init)`.
  public func map(_ transform: (NumberInteger) -> NSNumber) -> [NSNumber] {
    map { (element: Int) -> NSNumber in transform(NumberInteger(value: element)) }
  }
}

extension CGFloat {
  /// Makes the nearest number. Foundation on Linux has this initialiser for Swift's other types of numbers.
  public init(truncating number: NSNumber) {
    self = CGFloat(number.doubleValue)
  }

  /// Makes the same number. Returns nil if `CGFloat` cannot hold it.
  public init?(exactly number: NSNumber) {
    guard let value = NativeType(exactly: number) else { return nil }
    self = CGFloat(value)
  }
}
