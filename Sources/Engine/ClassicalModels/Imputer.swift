import ModelFormat

/// Replaces missing values.
public struct Imputer: Sendable {
  private let imputed: Spec.Imputer.OneOfImputedValue
  private let missing: Spec.Imputer.OneOfReplaceValue?

  /// Reads and checks a model.
  public init(_ message: Spec.Imputer) throws {
    guard let imputed = message.imputedValue else {
      throw ClassicalModelError.model(
        "The imputer has no imputed value. The model may be damaged.")
    }
    self.imputed = imputed
    missing = message.replaceValue
  }

  /// Returns whether a number represents a missing value: NaN unless the model says otherwise.
  private func isMissing(_ number: Double) -> Bool {
    switch missing {
    case .replaceDoubleValue(let value)?: value.isNaN ? number.isNaN : number == value
    case .replaceInt64Value(let value)?: number == Double(value)
    case .replaceStringValue?: false
    case nil: number.isNaN
    }
  }

  private func isMissing(_ text: String) -> Bool {
    if case .replaceStringValue(let value)? = missing { return text == value }
    return missing == nil && text.isEmpty
  }

  /// Returns the value with missing parts replaced.
  public func apply(_ value: ClassicalValue) throws -> ClassicalValue {
    switch (value, imputed) {
    case (.double(let number), .imputedDoubleValue(let other)):
      return isMissing(number) ? .double(other) : value
    case (.double(let number), .imputedInt64Value(let other)):
      return isMissing(number) ? .double(Double(other)) : value
    case (.integer(let number), .imputedInt64Value(let other)):
      return isMissing(Double(number)) ? .integer(other) : value
    case (.integer(let number), .imputedDoubleValue(let other)):
      return isMissing(Double(number)) ? .double(other) : value
    case (.string(let text), .imputedStringValue(let other)):
      return isMissing(text) ? .string(other) : value
    case (.numbers(let numbers), .imputedDoubleArray(let others)):
      return .numbers(try replaced(numbers, by: others.vector))
    case (.numbers(let numbers), .imputedInt64Array(let others)):
      return .numbers(try replaced(numbers, by: others.vector.map(Double.init)))
    case (.numbers(let numbers), .imputedDoubleValue(let other)):
      return .numbers(numbers.map { isMissing($0) ? other : $0 })
    case (.numbers(let numbers), .imputedInt64Value(let other)):
      return .numbers(numbers.map { isMissing($0) ? Double(other) : $0 })
    case (.stringDictionary(let numbers), .imputedStringDictionary(let others)):
      return .stringDictionary(replaced(numbers, by: others.map))
    case (.integerDictionary(let numbers), .imputedInt64Dictionary(let others)):
      return .integerDictionary(replaced(numbers, by: others.map))
    default:
      throw ClassicalModelError.input(
        "The imputer's input is \(value.sentenceName), expected the type of its imputed value.")
    }
  }

  private func replaced(_ numbers: [Double], by others: [Double]) throws -> [Double] {
    guard numbers.count == others.count || others.count == 1 else {
      throw ClassicalModelError.input(
        "The imputer has \(others.count) imputed values, but its input has \(numbers.count) "
          + "values.")
    }
    return numbers.enumerated().map { index, number in
      guard isMissing(number) else { return number }
      return others.count == 1 ? others[0] : others[index]
    }
  }

  private func replaced<Key: Hashable>(
    _ numbers: [Key: Double], by others: [Key: Double]
  ) -> [Key: Double] {
    var result: [Key: Double] = numbers
    for (key, other) in others {
      if let number = numbers[key], !isMissing(number) { continue }
      result[key] = other
    }
    return result
  }
}
