import Foundation
import Tensors

/// The settings of a layer or a model in a file: JSON values by name. Versions of Keras use different names for some
/// settings. So functions of this type take several names and read the first setting that exists.
struct KerasSettings {
  let values: [String: Any]

  init(_ values: [String: Any]) { self.values = values }

  /// Reads a JSON object.
  ///
  /// - Throws: ``EngineError`` if the text is not a JSON object.
  init(json text: [UInt8], _ what: String) throws {
    guard let object = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else {
      throw EngineError(
        .invalidModel, "\(what) is not a JSON object (\(text.count) bytes). It may be truncated.")
    }
    values = object
  }

  private func value(_ names: [String]) -> (name: String, value: Any)? {
    for name in names {
      if let value = values[name], !(value is NSNull) { return (name, value) }
    }
    return nil
  }

  private func wrong(_ name: String, _ value: Any, _ expected: String) -> EngineError {
    EngineError(
      .invalidModel, "'\(name)' is \(String("\(value)".prefix(60))), expected \(expected).")
  }

  /// Returns whether a setting has a value other than null.
  func has(_ name: String) -> Bool { value([name]) != nil }

  /// Returns an object. Nil if the setting is missing.
  func object(_ names: String...) -> KerasSettings? {
    (value(names)?.value as? [String: Any]).map { KerasSettings($0) }
  }

  /// Returns a list of objects.
  func objects(_ name: String) throws -> [KerasSettings] {
    guard let list = values[name] as? [Any] else {
      throw EngineError(.invalidModel, "the list '\(name)' is missing.")
    }
    return try list.map { item in
      guard let object = item as? [String: Any] else { throw wrong(name, item, "an object") }
      return KerasSettings(object)
    }
  }

  /// Returns a string. Nil if the setting is missing.
  func text(_ names: String...) throws -> String? {
    guard let (name, value) = value(names) else { return nil }
    guard let text = value as? String else { throw wrong(name, value, "a string") }
    return text
  }

  /// Returns a number, or `standard` if the setting is missing.
  func number(_ names: String..., or standard: Double) throws -> Double {
    guard let (name, value) = value(names) else { return standard }
    guard let number = value as? NSNumber else { throw wrong(name, value, "a number") }
    return number.doubleValue
  }

  /// Returns a number. Nil if the setting is missing.
  func optionalNumber(_ name: String) throws -> Double? {
    has(name) ? try number(name, or: 0) : nil
  }

  /// Returns an integer. Nil if the setting is missing.
  func int(_ names: String...) throws -> Int? {
    guard let (name, value) = value(names) else { return nil }
    return try integer(value, name)
  }

  /// Returns a boolean, or `standard` if the setting is missing.
  func bool(_ names: String..., or standard: Bool) throws -> Bool {
    guard let (name, value) = value(names) else { return standard }
    guard let truth = value as? NSNumber else { throw wrong(name, value, "true or false") }
    return truth.boolValue
  }

  /// Returns a list of integers. A single integer becomes a list of one integer. Nil if the setting is missing.
  func ints(_ names: String...) throws -> [Int]? {
    guard let (name, value) = value(names) else { return nil }
    guard let list = value as? [Any] else { return [try integer(value, name)] }
    return try list.map { try integer($0, name) }
  }

  /// Returns a list of extents. A null in the file is a dynamic extent. Nil if the setting is missing.
  func extents(_ names: String...) throws -> [Int?]? {
    guard let (name, value) = value(names) else { return nil }
    // The setting may hold something other than a list, for example a dictionary with one shape for each of several
    // inputs.
    guard let list = value as? [Any] else { return nil }
    return try list.map { $0 is NSNull ? nil : try integer($0, name) }
  }

  /// Returns a list of numbers. A single number becomes a list of one number. Nil if the setting is missing.
  func numbers(_ name: String) throws -> [Double]? {
    guard let value = value([name])?.value else { return nil }
    var found: [Double] = []
    try flatten(value, name, into: &found)
    return found
  }

  private func flatten(_ value: Any, _ name: String, into found: inout [Double]) throws {
    if let number = value as? NSNumber {
      found.append(number.doubleValue)
    } else if let list = value as? [Any] {
      for item in list { try flatten(item, name, into: &found) }
    } else {
      throw wrong(name, value, "numbers")
    }
  }

  private func integer(_ value: Any, _ name: String) throws -> Int {
    guard let number = value as? NSNumber, let integer = Int(exactly: number.doubleValue),
      Int.statedRange.contains(integer)
    else { throw wrong(name, value, "an integer") }
    return integer
  }

  /// The settings as JSON text.
  var json: String {
    (try? JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])).map {
      String(decoding: $0, as: UTF8.self)
    } ?? "{}"
  }
}
