import Foundation

/// An immutable sequence of strings or of integers: the value of a feature.
public final class MLSequence: NSObject, Sendable {
  private enum Values: Sendable, Hashable {
    case strings([String])
    case integers([Int64])
    case empty(MLFeatureType)
  }

  private let values: Values

  private init(_ values: Values) {
    self.values = values
  }

  /// Makes an empty sequence whose type is `.string` or `.int64`.
  public convenience init(empty type: MLFeatureType) {
    precondition(
      type == .string || type == .int64,
      "A sequence holds strings or int64 values, not \(type.sentenceName).")
    self.init(.empty(type))
  }

  /// Makes a sequence of strings.
  public convenience init(strings stringValues: [String]) {
    self.init(.strings(stringValues))
  }

  /// Makes a sequence of integers.
  public convenience init(int64s int64Values: [NSNumber]) {
    self.init(.integers(int64Values.map { $0.int64Value }))
  }

  /// The type of the elements: `.string` or `.int64`.
  public var type: MLFeatureType {
    switch values {
    case .strings: .string
    case .integers: .int64
    case .empty(let type): type
    }
  }

  /// The strings; empty for a sequence of integers.
  public var stringValues: [String] {
    if case .strings(let strings) = values { return strings }
    return []
  }

  /// The integers; empty for a sequence of strings.
  public var int64Values: [NSNumber] {
    if case .integers(let integers) = values { return integers.map { NSNumber(value: $0) } }
    return []
  }

  /// The number of elements.
  var count: Int {
    switch values {
    case .strings(let strings): strings.count
    case .integers(let integers): integers.count
    case .empty: 0
    }
  }

  /// Sequences are equal when their types and elements are equal.
  override public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLSequence, type == other.type else { return false }
    return count == 0 ? other.count == 0 : values == other.values
  }

  /// A hash of the number of elements.
  override public var hash: Int { count }

  /// The elements.
  override public var description: String {
    type == .string ? "\(stringValues)" : "\(int64Values)"
  }
}
