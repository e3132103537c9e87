import Foundation

/// A value of a table's cell.
public enum MLDataValue: Sendable, Hashable, CustomStringConvertible {
  /// An integer.
  case int(Int)
  /// A number.
  case double(Double)
  /// Text.
  case string(String)
  /// A list of values.
  case sequence(SequenceType)
  /// No value.
  case invalid

  /// A list of values.
  public struct SequenceType: Sendable, Hashable, RandomAccessCollection {
    private let values: [MLDataValue]

    /// Makes a list without values.
    public init() { values = [] }
    /// Makes a list.
    public init<S: Sequence>(_ source: S) where S.Element: MLDataValueConvertible {
      values = source.map(\.dataValue)
    }
    /// The first position, 0.
    public var startIndex: Int { 0 }
    /// The number of values.
    public var endIndex: Int { values.count }
    /// The value at a position.
    public subscript(position: Int) -> MLDataValue { values[position] }
  }

  /// The type of a value.
  public enum ValueType: Sendable, Hashable, CustomStringConvertible {
    /// An integer.
    case int
    /// A number.
    case double
    /// Text.
    case string
    /// A list of values.
    case sequence
    /// No value.
    case invalid

    /// The name of the type.
    public var description: String {
      switch self {
      case .int: "Int"
      case .double: "Double"
      case .string: "String"
      case .sequence: "Sequence"
      case .invalid: "Invalid"
      }
    }
  }

  /// The type of the value.
  public var type: ValueType {
    switch self {
    case .int: .int
    case .double: .double
    case .string: .string
    case .sequence: .sequence
    case .invalid: .invalid
    }
  }

  /// Whether there is a value.
  public var isValid: Bool { self != .invalid }

  /// The integer, or the integer part of a number. Nil for text.
  public var intValue: Int? {
    switch self {
    case .int(let value): value
    case .double(let value): Int(exactly: value.rounded(.towardZero))
    case .string, .sequence, .invalid: nil
    }
  }

  /// The number. Nil for text.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .string, .sequence, .invalid: nil
    }
  }

  /// The text. Nil for numbers.
  public var stringValue: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The list. Nil for other values.
  public var sequenceValue: SequenceType? {
    if case .sequence(let values) = self { return values }
    return nil
  }

  /// The value as text, empty if there is none.
  public var description: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .sequence(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    case .invalid: ""
    }
  }
}

/// A type whose values can be in a table.
public protocol MLDataValueConvertible {
  /// Makes a value from a cell. Nil if the cell has another type of value.
  init?(from dataValue: MLDataValue)
  /// Makes the value 0, or empty text.
  init()
  /// The value as a cell.
  var dataValue: MLDataValue { get }
  /// The type of the cells.
  static var dataValueType: MLDataValue.ValueType { get }
}

extension Int: MLDataValueConvertible {
  /// Makes an integer from a cell with a number. Rounds towards zero.
  public init?(from dataValue: MLDataValue) {
    guard let value = dataValue.intValue else { return nil }
    self = value
  }
  /// The integer as a cell.
  public var dataValue: MLDataValue { .int(self) }
  /// The type of the cells.
  public static var dataValueType: MLDataValue.ValueType { .int }
}

extension Double: MLDataValueConvertible {
  /// Makes a number from a cell with a number.
  public init?(from dataValue: MLDataValue) {
    guard let value = dataValue.doubleValue else { return nil }
    self = value
  }
  /// The number as a cell.
  public var dataValue: MLDataValue { .double(self) }
  /// The type of the cells.
  public static var dataValueType: MLDataValue.ValueType { .double }
}

extension String: MLDataValueConvertible {
  /// Makes text from a cell with text.
  public init?(from dataValue: MLDataValue) {
    guard let value = dataValue.stringValue else { return nil }
    self = value
  }
  /// The text as a cell.
  public var dataValue: MLDataValue { .string(self) }
  /// The type of the cells.
  public static var dataValueType: MLDataValue.ValueType { .string }
}

extension Array: MLDataValueConvertible where Element: MLDataValueConvertible {
  /// Makes an array from a cell with a list. Nil if an element has another type.
  public init?(from dataValue: MLDataValue) {
    guard let values = dataValue.sequenceValue else { return nil }
    let elements: [Element] = values.compactMap(Element.init(from:))
    guard elements.count == values.count else { return nil }
    self = elements
  }
  /// The array as a cell.
  public var dataValue: MLDataValue { .sequence(MLDataValue.SequenceType(self)) }
  /// The type of the cells.
  public static var dataValueType: MLDataValue.ValueType { .sequence }
}
