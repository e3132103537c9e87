/// A column with values of one type.
public struct MLDataColumn<Element: MLDataValueConvertible>: CustomStringConvertible {
  private let values: [Element]
  /// The error that made the column; nil if there was none.
  public let error: (any Error)?

  /// Makes a column without rows.
  public init() { self.init([]) }

  /// Makes a column from values.
  public init<S: Sequence>(_ source: S) where S.Element == Element {
    values = Array(source)
    error = nil
  }

  init(error: any Error) {
    values = []
    self.error = error
  }

  /// The number of rows.
  public var count: Int { values.count }
  /// Whether there are no rows.
  public var isEmpty: Bool { values.isEmpty }
  /// Whether no error made the column.
  public var isValid: Bool { error == nil }

  /// The value of a row.
  public subscript(index: Int) -> Element { values[index] }

  /// The rows of a range.
  public subscript(slice: Range<Int>) -> MLDataColumn<Element> { MLDataColumn(values[slice]) }

  /// The value of a row. Nil if there is no such row.
  public func element(at index: Int) -> Element? {
    values.indices.contains(index) ? values[index] : nil
  }

  /// Converts every value.
  public func map<T: MLDataValueConvertible>(
    _ transform: (Element) throws -> T
  ) rethrows -> MLDataColumn<T> {
    MLDataColumn<T>(try values.map(transform))
  }

  /// The first rows.
  public func prefix(_ maxLength: Int = 10) -> MLDataColumn<Element> {
    MLDataColumn(values.prefix(maxLength))
  }

  /// The last rows.
  public func suffix(_ maxLength: Int = 10) -> MLDataColumn<Element> {
    MLDataColumn(values.suffix(maxLength))
  }

  /// Adds the rows of another column.
  public mutating func append(contentsOf column: MLDataColumn<Element>) {
    self = MLDataColumn(values + column.values)
  }

  /// The number of rows and the first ten values.
  public var description: String {
    "\(Element.dataValueType), \(count) rows: "
      + values.prefix(10).map(\.dataValue.description).joined(separator: ", ")
      + (count > 10 ? ", …" : "")
  }
}

extension MLDataColumn: Sequence {
  /// Iterates over the values.
  public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}

extension MLDataColumn where Element: Comparable {
  /// The least value. Nil without rows.
  public func min() -> Element? { values.min() }
  /// The greatest value. Nil without rows.
  public func max() -> Element? { values.max() }
}

extension MLDataColumn where Element == Double {
  /// The sum of the values.
  public func sum() -> Double? { isEmpty ? nil : values.reduce(0, +) }
  /// The mean of the values. Nil without rows.
  public func mean() -> Double? { sum().map { $0 / Double(count) } }
  /// The standard deviation of the values, of all rows as the population. Nil without rows.
  public func std() -> Double? {
    guard let mean = mean() else { return nil }
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)).squareRoot()
  }
}

extension MLDataColumn where Element == Int {
  /// The sum of the values. Nil if it is beyond the range of `Int`, or without rows.
  public func sum() -> Int? {
    guard !isEmpty else { return nil }
    var sum = 0
    for value in values {
      let (result, isBeyond) = sum.addingReportingOverflow(value)
      guard !isBeyond else { return nil }
      sum = result
    }
    return sum
  }
  /// The mean of the values. Nil without rows.
  public func mean() -> Double? {
    isEmpty ? nil : values.reduce(0) { $0 + Double($1) } / Double(count)
  }
}
