/// A column whose type of values is known only when the program runs.
public struct MLUntypedColumn: Sendable, CustomStringConvertible {
  /// The values. All valid ones have the type `type`.
  let values: [MLDataValue]
  /// The type of the values.
  public let type: MLDataValue.ValueType
  /// The error that made the column; nil if there was none.
  public let error: (any Error)?

  /// Makes a column without rows.
  public init() { self.init(values: [], type: .invalid) }

  /// Makes a column from values.
  public init<S: Sequence>(_ source: S) where S.Element: MLDataValueConvertible {
    self.init(values: source.map(\.dataValue), type: S.Element.dataValueType)
  }

  /// Makes a column from cells. Integers become numbers if there are also numbers. Nil if numbers and text are mixed.
  init?(cells: [MLDataValue]) {
    var types: Set<MLDataValue.ValueType> = Set(cells.map(\.type))
    types.remove(.invalid)
    if types == [.int, .double] {
      self.init(
        values: cells.map { $0.doubleValue.map(MLDataValue.double) ?? .invalid }, type: .double)
    } else if types.count <= 1 {
      self.init(values: cells, type: types.first ?? .invalid)
    } else {
      return nil
    }
  }

  init(values: [MLDataValue], type: MLDataValue.ValueType) {
    self.values = values
    self.type = type
    error = nil
  }

  init(error: any Error) {
    values = []
    type = .invalid
    self.error = error
  }

  /// The number of rows.
  public var count: Int { values.count }
  /// Whether there are no rows.
  public var isEmpty: Bool { values.isEmpty }
  /// Whether no error made the column.
  public var isValid: Bool { error == nil }

  /// The value of a row.
  public subscript(index: Int) -> MLDataValue { values[index] }

  /// The rows of a range.
  public subscript(slice: Range<Int>) -> MLUntypedColumn {
    MLUntypedColumn(values: Array(values[slice]), type: type)
  }

  /// The rows for which the mask is not 0.
  public subscript(mask: MLUntypedColumn) -> MLUntypedColumn {
    MLUntypedColumn(
      values: zip(values, mask.values).filter { ($0.1.intValue ?? 0) != 0 }.map(\.0), type: type)
  }

  /// The column as integers. Nil if it holds anything else.
  public var ints: MLDataColumn<Int>? { column(type: Int.self) }
  /// The column as numbers. Nil if it holds text.
  public var doubles: MLDataColumn<Double>? { column(type: Double.self) }
  /// The column as text. Nil if it holds numbers.
  public var strings: MLDataColumn<String>? { column(type: String.self) }

  /// The column with values of a type. Nil if the column holds values of another type. Integers are also numbers.
  public func column<Element: MLDataValueConvertible>(
    type: Element.Type
  ) -> MLDataColumn<Element>? {
    let fits: Bool =
      self.type == Element.dataValueType || (self.type == .int && Element.dataValueType == .double)
    return fits ? MLDataColumn(values.compactMap(Element.init(from:))) : nil
  }

  /// The first rows.
  public func prefix(_ maxLength: Int = 10) -> MLUntypedColumn {
    MLUntypedColumn(values: Array(values.prefix(maxLength)), type: type)
  }

  /// The last rows.
  public func suffix(_ maxLength: Int = 10) -> MLUntypedColumn {
    MLUntypedColumn(values: Array(values.suffix(maxLength)), type: type)
  }

  /// Adds the rows of another column of the same type.
  public mutating func append(contentsOf column: MLUntypedColumn) {
    self =
      MLUntypedColumn(cells: values + column.values)
      ?? MLUntypedColumn(
        error: MLCreateError.type(
          reason: "A column of \(column.type) cannot be appended to a column of \(type)."))
  }

  /// Converts every value.
  public func map<T: MLDataValueConvertible>(
    _ transform: (MLDataValue) throws -> T
  ) rethrows -> MLUntypedColumn {
    MLUntypedColumn(try values.map(transform))
  }

  /// Converts values to another type: numbers to text, and text to numbers where it is a number. A value that cannot be
  /// converted is invalid.
  public func map<T: MLDataValueConvertible>(to type: T.Type) -> MLUntypedColumn {
    MLUntypedColumn(
      values: values.map { value in
        switch (T.dataValueType, value) {
        case (_, .invalid): .invalid
        case (.string, _): .string(value.description)
        case (.int, .string(let text)): Int(text).map(MLDataValue.int) ?? .invalid
        case (.double, .string(let text)): Double(text).map(MLDataValue.double) ?? .invalid
        default: T(from: value)?.dataValue ?? .invalid
        }
      }, type: T.dataValueType)
  }

  /// The rows without those that have no value.
  public func dropMissing() -> MLUntypedColumn {
    MLUntypedColumn(values: values.filter(\.isValid), type: type)
  }

  /// The column with a value in the place of missing ones.
  public func fillMissing(with value: MLDataValue) -> MLUntypedColumn {
    MLUntypedColumn(cells: values.map { $0.isValid ? $0 : value })
      ?? MLUntypedColumn(
        error: MLCreateError.type(
          reason: "A value of type \(value.type) cannot fill a column of \(type)."))
  }

  /// The distinct values in the order in which they first occur.
  public func dropDuplicates() -> MLUntypedColumn {
    var seen: Set<MLDataValue> = []
    return MLUntypedColumn(values: values.filter { seen.insert($0).inserted }, type: type)
  }

  /// The type, the number of rows and the first ten values.
  public var description: String {
    "\(type), \(count) rows: " + values.prefix(10).map(\.description).joined(separator: ", ")
      + (count > 10 ? ", …" : "")
  }

  /// A mask with 1 for each row whose value equals the given one.
  public static func == (column: MLUntypedColumn, value: some MLDataValueConvertible)
    -> MLUntypedColumn
  {
    MLUntypedColumn(column.values.map { $0 == value.dataValue ? 1 : 0 })
  }

  /// A mask with 1 for each row whose value differs from the given one.
  public static func != (column: MLUntypedColumn, value: some MLDataValueConvertible)
    -> MLUntypedColumn
  {
    MLUntypedColumn(column.values.map { $0 == value.dataValue ? 0 : 1 })
  }
}
