import Foundation
import ModelFormat

/// The parameters of a model and its training: their defaults, and what a configuration or a handler
/// has set in their place.
struct ModelParameters: @unchecked Sendable {
  // `@unchecked Sendable`: the numbers are `NSNumber`s, which never change; arrays of weights are left
  // out.

  private let descriptions: [MLParameterKey: MLParameterDescription]
  private var given: [MLParameterKey: NSNumber] = [:]

  /// The defaults of a model.
  init(_ description: MLModelDescription) {
    descriptions = description.parameterDescriptionsByKey
  }

  /// Sets values; weights and biases of layers are not looked at.
  ///
  /// - Throws: ``MLModelError`` for a parameter that the model does not have, and for a value that it
  ///   does not allow.
  mutating func set(_ values: [MLParameterKey: Any]) throws {
    for (key, value) in values where !key.isLayerParameter {
      guard let description = descriptions[key] else { throw unknown(key) }
      guard let number = value as? NSNumber else {
        throw MLModelError(
          .parameters,
          "The parameter '\(key)' is a \(type(of: value)); expected a number.")
      }
      try description.check(number)
      given[key] = number
    }
  }

  /// All values.
  var values: [MLParameterKey: Any] {
    var all: [MLParameterKey: Any] = [:]
    for (key, description) in descriptions { all[key] = given[key] ?? description.defaultValue }
    return all
  }

  /// A value; nil where the model has no such parameter.
  func number(_ key: MLParameterKey) -> Double? {
    (given[key] ?? descriptions[key]?.defaultValue as? NSNumber)?.doubleValue
  }

  /// A whole number; nil where the model has no such parameter.
  func integer(_ key: MLParameterKey) -> Int64? {
    (given[key] ?? descriptions[key]?.defaultValue as? NSNumber)?.int64Value
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
  /// Throws where a value is not allowed for a parameter that the model has.
  func check(_ parameters: [MLParameterKey: Any]) throws {
    var known = ModelParameters(self)
    try known.set(parameters.filter { parameterDescriptionsByKey[$0.key] != nil })
  }
}

extension MLParameterDescription {
  /// Throws unless the constraint allows the number, and a whole number is one.
  func check(_ number: NSNumber) throws {
    let value: Double = number.doubleValue
    guard value.isFinite, !isWhole || Int64(exactly: value) != nil else {
      throw MLModelError(
        .parameters,
        "The parameter '\(key)' is \(value); expected a \(isWhole ? "whole" : "finite") number.")
    }
    guard let constraint = numericConstraint, !constraint.allows(value) else { return }
    let text: String = isWhole ? String(number.int64Value) : String(value)
    throw MLModelError(
      .parameters, "The parameter '\(key)' is \(text); the model allows \(constraint.sentenceName)."
    )
  }
}

extension MLNumericConstraint {
  /// What is allowed, for errors: `1 to 1000`, or `16, 32 and 64`.
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
