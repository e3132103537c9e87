import Foundation
import Tensors

/// What a file says of a layer or a model: values of JSON by names. Versions of Keras call some of them by other
/// names; the first that is there counts.
struct KerasSettings {
  let values: [String: Any]

  init(_ values: [String: Any]) { self.values = values }

  /// The object in a text.
  ///
  /// - Throws: ``EngineError`` where it is no JSON.
  init(json text: [UInt8], _ what: String) throws {
    guard let object = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else {
      throw EngineError(
        .invalidModel, "\(what) is no JSON object (\(text.count) bytes). Is it cut off?")
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

  /// Whether there is a value that is not null.
  func has(_ name: String) -> Bool { value([name]) != nil }

  /// An object; nil where it is missing.
  func object(_ names: String...) -> KerasSettings? {
    (value(names)?.value as? [String: Any]).map { KerasSettings($0) }
  }

  /// A list of objects.
  func objects(_ name: String) throws -> [KerasSettings] {
    guard let list = values[name] as? [Any] else {
      throw EngineError(.invalidModel, "there is no list '\(name)'.")
    }
    return try list.map { item in
      guard let object = item as? [String: Any] else { throw wrong(name, item, "an object") }
      return KerasSettings(object)
    }
  }

  /// A text; nil where it is missing.
  func text(_ names: String...) throws -> String? {
    guard let (name, value) = value(names) else { return nil }
    guard let text = value as? String else { throw wrong(name, value, "a text") }
    return text
  }

  /// A number; another one where it is missing.
  func number(_ names: String..., or standard: Double) throws -> Double {
    guard let (name, value) = value(names) else { return standard }
    guard let number = value as? NSNumber else { throw wrong(name, value, "a number") }
    return number.doubleValue
  }

  /// A number; nil where it is missing.
  func optionalNumber(_ name: String) throws -> Double? {
    has(name) ? try number(name, or: 0) : nil
  }

  /// A whole number; nil where it is missing.
  func int(_ names: String...) throws -> Int? {
    guard let (name, value) = value(names) else { return nil }
    return try whole(value, name)
  }

  /// A truth value; another one where it is missing.
  func bool(_ names: String..., or standard: Bool) throws -> Bool {
    guard let (name, value) = value(names) else { return standard }
    guard let truth = value as? NSNumber else { throw wrong(name, value, "true or false") }
    return truth.boolValue
  }

  /// Whole numbers, or one; nil where they are missing.
  func ints(_ names: String...) throws -> [Int]? {
    guard let (name, value) = value(names) else { return nil }
    guard let list = value as? [Any] else { return [try whole(value, name)] }
    return try list.map { try whole($0, name) }
  }

  /// Extents, of which some are free: null in the file.
  func extents(_ names: String...) throws -> [Int?]? {
    guard let (name, value) = value(names) else { return nil }
    // A model that is built for several inputs states a list of them.
    guard let list = value as? [Any] else { return nil }
    return try list.map { $0 is NSNull ? nil : try whole($0, name) }
  }

  /// Numbers, or one; nil where they are missing.
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

  private func whole(_ value: Any, _ name: String) throws -> Int {
    guard let number = value as? NSNumber, let whole = Int(exactly: number.doubleValue),
      Int.statedRange.contains(whole)
    else { throw wrong(name, value, "a whole number") }
    return whole
  }

  /// The values as text.
  var json: String {
    (try? JSONSerialization.data(withJSONObject: values, options: [.sortedKeys])).map {
      String(decoding: $0, as: UTF8.self)
    } ?? "{}"
  }
}
