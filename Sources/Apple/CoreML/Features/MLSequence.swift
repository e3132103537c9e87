import Foundation

/// A list of texts or of whole numbers, as a feature's value. It never changes.
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

  /// Makes a list without elements, of texts or of whole numbers.
  public convenience init(empty type: MLFeatureType) {
    precondition(
      type == .string || type == .int64,
      "A sequence holds strings or int64 values, not \(type.sentenceName).")
    self.init(.empty(type))
  }

  /// Makes a list of texts.
  public convenience init(strings stringValues: [String]) {
    self.init(.strings(stringValues))
  }

  /// Makes a list of whole numbers.
  public convenience init(int64s int64Values: [NSNumber]) {
    self.init(.integers(int64Values.map { $0.int64Value }))
  }

  /// What the elements are: `.string` or `.int64`.
  public var type: MLFeatureType {
    switch values {
    case .strings: .string
    case .integers: .int64
    case .empty(let type): type
    }
  }

  /// The texts; empty for a list of numbers.
  public var stringValues: [String] {
    if case .strings(let strings) = values { return strings }
    return []
  }

  /// The whole numbers; empty for a list of texts.
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

  /// Lists are equal when their types and elements are.
  override public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLSequence, type == other.type else { return false }
    return count == 0 ? other.count == 0 : values == other.values
  }

  /// A hash that equal lists share.
  override public var hash: Int { count }

  /// The elements.
  override public var description: String {
    type == .string ? "\(stringValues)" : "\(int64Values)"
  }
}
