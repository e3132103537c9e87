import ClassicalModels
import Foundation
import ModelFormat

/// Checks and reads the inputs of a classical model, in the order in which the model file lists them.
struct ClassicalInputs: Sendable {
  private(set) var descriptions: [MLFeatureDescription]

  init(_ description: MLModelDescription) throws {
    descriptions = description.inputNames.compactMap { description.inputDescriptionsByName[$0] }
    guard !descriptions.isEmpty else {
      throw MLModelError(.io, "The model has no input features. The file may be damaged.")
    }
  }

  /// Replaces the key type that the descriptions of dictionaries declare.
  mutating func setKeyType(_ keyType: MLFeatureType) {
    descriptions = descriptions.map { description in
      guard description.type == .dictionary else { return description }
      return MLFeatureDescription(
        name: description.name, type: .dictionary, isOptional: description.isOptional,
        shortDescription: description.shortDescription,
        constraint: .dictionary(MLDictionaryConstraint(keyType: keyType)))
    }
  }

  /// Checks the value of an input and converts it to the declared type. Returns nil if the input is optional and the
  /// caller leaves it out.
  static func value(
    of description: MLFeatureDescription, in provider: any MLFeatureProvider
  ) throws -> MLFeatureValue? {
    guard let raw = provider.featureValue(for: description.name) else {
      if description.isOptional { return nil }
      throw MLModelError(
        .featureType,
        "The input feature \"\(description.name)\" is required but the input does not have it; "
          + "\(provider.featureSummary).")
    }
    // An array of one element counts as a number, because a row of a table with one column is such an array.
    let isNumber: Bool = description.type == .double || description.type == .int64
    let value: MLFeatureValue =
      isNumber && raw.type == .multiArray ? raw.converted(for: description) : raw
    if let problem = description.problem(with: value) {
      throw MLModelError(.featureType, problem)
    }
    return value.isUndefined ? nil : value.asDeclared(by: description)
  }

  /// Returns the checked value of the only input. Throws if the model has no input or several inputs.
  func onlyValue(in provider: any MLFeatureProvider, model: String) throws -> MLFeatureValue {
    guard descriptions.count == 1, let description = descriptions.first else {
      throw MLModelError(
        .io, "The \(model) has \(descriptions.count) input features; expected one.")
    }
    guard let value = try ClassicalInputs.value(of: description, in: provider) else {
      throw MLModelError(
        .featureType,
        "The input feature \"\(description.name)\" has no value, but the \(model) needs one.")
    }
    return value
  }

  /// Returns the numbers of all inputs, concatenated. The numbers of an optional input that the caller leaves out are
  /// NaN.
  func numbers(in provider: any MLFeatureProvider) throws -> [Double] {
    var numbers: [Double] = []
    for description in descriptions {
      if let value = try ClassicalInputs.value(of: description, in: provider) {
        numbers += try value.numbers(name: description.name)
      } else {
        let shape: [Int] = description.multiArrayConstraint?.dimensions ?? []
        let count: Int = shape.reduce(1, saturatingProduct)
        guard count <= 1 << 24 else {
          throw MLModelError(
            .featureType,
            "The input feature \"\(description.name)\" was left out, but it is too large to be "
              + "filled with missing values.")
        }
        numbers += Array(repeating: Double.nan, count: max(0, count))
      }
    }
    return numbers
  }
}

private func saturatingProduct(_ left: Int, _ right: Int) -> Int {
  let (product, overflows) = left.multipliedReportingOverflow(by: right)
  return overflows ? Int.max : product
}

extension MLFeatureValue {
  /// Returns the value as numbers in row-major order.
  func numbers(name: String) throws -> [Double] {
    switch content {
    case .double(let value): return [value]
    case .int64(let value): return [Double(value)]
    case .multiArray(let array): return array.numbers
    default:
      throw MLModelError(
        .featureType,
        "The input feature \"\(name)\" is \(type.sentenceName), but the model computes with "
          + "numbers: a double, an int64 or a multi-array.")
    }
  }
}

extension MLMultiArray {
  /// The elements in row-major order.
  var numbers: [Double] {
    let layout: ArrayLayout = self.layout
    return Array(unsafeUninitializedCapacity: layout.count) { buffer, count in
      // Safe: the buffer has space for `layout.count` elements.
      if layout.count > 0, let start = buffer.baseAddress {
        convertElements(
          from: memory.start, dataType, layout, to: UnsafeMutableRawPointer(start), .double,
          ArrayLayout(shape: layout.shape))
      }
      count = layout.count
    }
  }

  /// Makes an array from elements in row-major order.
  convenience init(numbers: [Double], shape: [Int], dataType: MLMultiArrayDataType) throws {
    try self.init(shape: shape.map { NSNumber(value: $0) }, dataType: dataType)
    guard numbers.count == layout.count, !numbers.isEmpty else { return }
    var numbers: [Double] = numbers
    numbers.withUnsafeMutableBytes { bytes in
      // Safe: `start` and the array's memory each have `layout.count` elements without gaps.
      if let start = bytes.baseAddress {
        convertElements(from: start, .double, layout, to: memory.start, self.dataType, layout)
      }
    }
  }
}
