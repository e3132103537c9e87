import Foundation
import ModelFormat

/// The values of a model's training parameters. A value is the default in the model file, or the value that a
/// configuration or a handler has set.
struct ModelParameters: @unchecked Sendable {
  // `@unchecked Sendable`: the numbers are immutable `NSNumber`s. This type does not store arrays of weights.

  private let descriptions: [MLParameterKey: MLParameterDescription]
  private var overrides: [MLParameterKey: NSNumber] = [:]

  /// Starts with the default values in the model file.
  init(_ description: MLModelDescription) {
    descriptions = description.parameterDescriptionsByKey
  }

  /// Sets values. Ignores weights and biases of layers.
  ///
  /// - Throws: ``MLModelError`` for a parameter that the model does not have, and for a value that the model does not
  ///   allow.
  mutating func set(_ values: [MLParameterKey: Any]) throws {
    for (key, value) in values where !key.isLayerParameter {
      guard let description = descriptions[key] else { throw unknown(key) }
      guard let number = value as? NSNumber else {
        throw MLModelError(
          .parameters,
          "The parameter '\(key)' is a \(type(of: value)); expected a number.")
      }
      try description.check(number)
      overrides[key] = number
    }
  }

  /// The values of all parameters, by key.
  var values: [MLParameterKey: Any] {
    var all: [MLParameterKey: Any] = [:]
    for (key, description) in descriptions { all[key] = overrides[key] ?? description.defaultValue }
    return all
  }

  /// Returns the value of a parameter, or nil if the model does not have the parameter.
  func number(_ key: MLParameterKey) -> Double? {
    (overrides[key] ?? descriptions[key]?.defaultValue as? NSNumber)?.doubleValue
  }

  /// Returns the value of an integer parameter, or nil if the model does not have the parameter.
  func integer(_ key: MLParameterKey) -> Int64? {
    (overrides[key] ?? descriptions[key]?.defaultValue as? NSNumber)?.int64Value
  }

  private func unknown(_ key: MLParameterKey) -> MLModelError {
    let known: [String] = descriptions.keys.map { "'\($0)'" }.sorted()
    return MLModelError(
      .parameters,
      "The model has no parameter '\(key)'; "
        + (known.isEmpty ? "it has none." : "it has \(known.joined(separator: ", "))."))
  }
}

extension MLModelDescription {
  /// Throws if a value is not allowed. Ignores parameters that the model does not have.
  func check(_ parameters: [MLParameterKey: Any]) throws {
    var known = ModelParameters(self)
    try known.set(parameters.filter { parameterDescriptionsByKey[$0.key] != nil })
  }
}

extension MLParameterDescription {
  /// Throws if the constraint does not allow the number, or if an integer parameter would get a fraction.
  func check(_ number: NSNumber) throws {
    let value: Double = number.doubleValue
    guard value.isFinite, !isInteger || Int64(exactly: value) != nil else {
      throw MLModelError(
        .parameters,
        "The parameter '\(key)' is \(value); expected \(isInteger ? "an integer" : "a finite number")."
      )
    }
    guard let constraint = numericConstraint, !constraint.allows(value) else { return }
    let text: String = isInteger ? String(number.int64Value) : String(value)
    throw MLModelError(
      .parameters, "The parameter '\(key)' is \(text); the model allows \(constraint.sentenceName)."
    )
  }
}

extension MLNumericConstraint {
  /// The allowed numbers as text for error messages, such as `1 to 1000` or `16, 32 and 64`.
  fileprivate var sentenceName: String {
    func text(_ number: Double) -> String {
      Int64(exactly: number).map { String($0) } ?? String(number)
    }
    guard let numbers = enumeratedNumbers else {
      return "\(text(minNumber.doubleValue)) to \(text(maxNumber.doubleValue))"
    }
    let list: [String] = numbers.map(\.doubleValue).sorted().map(text)
    guard let last = list.last else { return "nothing" }
    return list.count == 1
      ? "only \(last)" : list.dropLast().joined(separator: ", ") + " and " + last
  }
}
