import ClassicalModels
import Foundation

extension ClassicalValue {
  /// Returns whether this value is a list with the given number of elements.
  func isList(of count: Int) -> Bool {
    if case .numbers(let numbers) = self { return numbers.count == count }
    return false
  }
}

extension MLFeatureValue {
  /// Returns the value in the type that classical models read.
  func classicalValue(for description: MLFeatureDescription) throws -> ClassicalValue {
    switch content {
    case .double(let value): return .double(value)
    case .int64(let value): return .integer(value)
    case .string(let value): return .string(value)
    case .multiArray(let array): return .numbers(array.numbers)
    case .dictionary, .probabilities:
      return classicalDictionary(keyType: description.dictionaryConstraint?.keyType)
    default:
      throw MLModelError(
        .featureType,
        "The input feature \"\(description.name)\" is \(type.sentenceName), which the model cannot "
          + "compute with.")
    }
  }

  private func classicalDictionary(keyType: MLFeatureType?) -> ClassicalValue {
    let dictionary: [AnyHashable: NSNumber] = dictionaryValue
    if keyType == .int64 {
      var numbers: [Int64: Double] = [:]
      for (key, value) in dictionary {
        if let key = integerKey(key) { numbers[key] = value.doubleValue }
      }
      return .integerDictionary(numbers)
    }
    var numbers: [String: Double] = [:]
    for (key, value) in dictionary {
      if let key = key.base as? String { numbers[key] = value.doubleValue }
    }
    return .stringDictionary(numbers)
  }
}

extension ClassicalOutputs {
  /// Converts a value to the feature type that `description` declares.
  ///
  /// - Parameter shape: The shape of an array if the declared shape has too few or too many elements. Nil means a shape
  ///   with one axis.
  static func value(
    _ value: ClassicalValue, for description: MLFeatureDescription, shape: [Int]? = nil
  ) throws -> MLFeatureValue {
    switch (value, description.type) {
    case (.integer(let number), .int64): return MLFeatureValue(int64: number)
    case (.integer(let number), _):
      return try self.value([Double(number)], for: description, shape: shape)
    case (.double(let number), _):
      return try self.value([number], for: description, shape: shape)
    case (.numbers(let numbers), _):
      return try self.value(numbers, for: description, shape: shape)
    case (.string(let text), .string): return MLFeatureValue(string: text)
    case (.stringDictionary(let numbers), .dictionary):
      var dictionary: [AnyHashable: NSNumber] = [:]
      for (key, number) in numbers { dictionary[key] = NSNumber(value: number) }
      return MLFeatureValue(.dictionary(dictionary), type: .dictionary)
    case (.integerDictionary(let numbers), .dictionary):
      var dictionary: [AnyHashable: NSNumber] = [:]
      for (key, number) in numbers { dictionary[Int(key)] = NSNumber(value: number) }
      return MLFeatureValue(.dictionary(dictionary), type: .dictionary)
    default:
      throw MLModelError(
        .io,
        "The output feature \"\(description.name)\" is declared as \(description.type.sentenceName), "
          + "which is not what the model computes. The model may be damaged.")
    }
  }
}

extension MLFeatureValue {
  /// Converts the value to the type that a later model of a pipeline declares. Converts between integers and
  /// floating-point numbers, between a number and an array of one element, and between array shapes with the same
  /// number of elements. Returns the unchanged value if the conversion would lose information or is none of these.
  func converted(for description: MLFeatureDescription) -> MLFeatureValue {
    switch (content, description.type) {
    case (.int64(let value), .double):
      return MLFeatureValue(double: Double(value))
    case (.double(let value), .int64):
      return Int64(exactly: value).map { MLFeatureValue(int64: $0) } ?? self
    case (.double, .multiArray), (.int64, .multiArray):
      return reshaped([type == .double ? doubleValue : Double(int64Value)], for: description)
    case (.multiArray(let array), .double) where array.count == 1:
      return MLFeatureValue(double: array[0].doubleValue)
    case (.multiArray(let array), .int64) where array.count == 1:
      return Int64(exactly: array[0].doubleValue).map { MLFeatureValue(int64: $0) } ?? self
    case (.multiArray(let array), .multiArray):
      guard let constraint = description.multiArrayConstraint,
        !constraint.allows(array.layout.shape)
      else { return self }
      return reshaped(array.numbers, for: description)
    default:
      return self
    }
  }

  /// If the value is an array and the description declares an integer type, truncates the elements to this type.
  /// Returns other values unchanged: a model that declares a floating-point type computes with the element type of the
  /// caller's array.
  func asDeclared(by description: MLFeatureDescription) -> MLFeatureValue {
    guard case .multiArray(let array) = content,
      let declared = description.multiArrayConstraint?.dataType, declared.isInteger,
      array.dataType != declared,
      let integers = try? MLMultiArray(
        shape: array.layout.shape.map { NSNumber(value: $0) }, dataType: declared)
    else { return self }
    array.transfer(to: integers)
    return MLFeatureValue(multiArray: integers)
  }

  private func reshaped(
    _ numbers: [Double], for description: MLFeatureDescription
  ) -> MLFeatureValue {
    guard let constraint = description.multiArrayConstraint,
      checkedElementCount(of: constraint.dimensions) == numbers.count,
      let array = try? MLMultiArray(
        numbers: numbers, shape: constraint.dimensions, dataType: constraint.dataType)
    else { return self }
    return MLFeatureValue(multiArray: array)
  }
}
