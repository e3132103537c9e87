import CoreML
import CoreVideo
import Foundation
import Imaging
import Service

/// A description of a model's input or output. A page makes a form field from this description.
struct FeatureForm: Codable, Sendable {
  let name: String
  /// The type: `picture`, `array`, `number`, `integer`, `text`, `dictionary` or `other`.
  let kind: String
  /// Whether a prediction may leave out the input.
  let isOptional: Bool
  /// The width of a picture in pixels. Like `height`, it is nil for other types.
  var width: Int?
  var height: Int?
  /// The declared shape of an array. Nil for other types.
  var shape: [Int]?

  /// Describes a feature of a model.
  init(_ feature: MLFeatureDescription) {
    name = feature.name
    isOptional = feature.isOptional
    switch feature.type {
    case .image:
      kind = "picture"
      width = feature.imageConstraint?.pixelsWide
      height = feature.imageConstraint?.pixelsHigh
    case .multiArray:
      kind = "array"
      shape = feature.multiArrayConstraint?.shape.map(\.intValue)
    case .double: kind = "number"
    case .int64: kind = "integer"
    case .string: kind = "text"
    case .dictionary: kind = "dictionary"
    default: kind = "other"
    }
  }
}

/// Converts the inputs that a client sends, as JSON or as a form with files, to feature values.
enum FeatureReading {
  /// The maximum number of elements of an array in a request.
  private static let mostNumbers = 4_000_000

  /// Converts an input from JSON or from a file to the type of a feature.
  static func value(
    _ stated: Any?, file: Data?, for feature: MLFeatureDescription,
    decode: (Data) throws -> Picture
  ) throws -> MLFeatureValue? {
    func wrong(_ expected: String) -> HTTPError {
      HTTPError(400, "bad_input", "The input '\(feature.name)' must be \(expected).")
    }
    if stated == nil, file == nil {
      guard feature.isOptional else { throw wrong("given") }
      return nil
    }
    switch feature.type {
    case .image:
      guard let constraint = feature.imageConstraint, let file else {
        throw wrong("a picture: a file of the form, or {\"picture\": ID}")
      }
      let picture = try decode(file)
      try Picture.requireMemory(
        forInputOf: constraint.pixelsWide, height: constraint.pixelsHigh)
      return MLFeatureValue(
        pixelBuffer: try picture.pixelBuffer(
          format: constraint.pixelFormatType, fittedToWidth: constraint.pixelsWide,
          height: constraint.pixelsHigh, mode: .scaleFill))
    case .int64:
      guard
        let number = stated as? NSNumber
          ?? (stated as? String).flatMap({ Int64($0) }).map({
            NSNumber(value: $0)
          })
      else { throw wrong("an integer") }
      guard let integer = exact(number) else { throw wrong("an integer of 64 bits") }
      return MLFeatureValue(int64: integer)
    case .double:
      guard
        let number = stated as? NSNumber
          ?? (stated as? String).flatMap({ Double($0) }).map({
            NSNumber(value: $0)
          })
      else { throw wrong("a number") }
      return MLFeatureValue(double: number.doubleValue)
    case .string:
      guard let text = stated as? String else { throw wrong("a text") }
      return MLFeatureValue(string: text)
    case .dictionary:
      guard let object = parsed(stated) as? [String: Any] else {
        throw wrong("an object of numbers")
      }
      var numbers: [String: NSNumber] = [:]
      for (key, value) in object {
        guard let number = value as? NSNumber else { throw wrong("an object of numbers") }
        numbers[key] = number
      }
      return try MLFeatureValue(dictionary: numbers)
    case .multiArray:
      var numbers: [Double] = []
      guard let list = parsed(stated), let shape = flatten(list, &numbers) else {
        throw wrong("numbers in (nested) lists of equal lengths, at most \(mostNumbers)")
      }
      let declared = feature.multiArrayConstraint?.shape.map(\.intValue) ?? []
      var count = 1
      for extent in declared { count = count.multipliedReportingOverflow(by: extent).partialValue }
      let fits = shape.count <= 1 && !declared.isEmpty && count == numbers.count
      return MLFeatureValue(
        multiArray: try MLMultiArray(
          checking: numbers, shape: fits ? declared : shape,
          dataType: feature.multiArrayConstraint?.dataType ?? .float32))
    default: throw wrong("of another type: this type cannot be sent over HTTP")
    }
  }

  /// Returns a number as an integer. Nil if the number has a fraction or does not fit into an integer.
  private static func exact(_ number: NSNumber) -> Int64? {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): Int64(exactly: number.doubleValue)
    case UInt8(ascii: "Q"): Int64(exactly: number.uint64Value)
    default: number.int64Value
    }
  }

  /// Parses a text, such as a form's field, as JSON. Returns other values unchanged. A text such as `1, 2, 3` is parsed
  /// as a list.
  private static func parsed(_ stated: Any?) -> Any? {
    guard let text = stated as? String else { return stated }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let json = trimmed.hasPrefix("[") || trimmed.hasPrefix("{") ? trimmed : "[\(trimmed)]"
    return try? JSONSerialization.jsonObject(with: Data(json.utf8))
  }

  /// Appends the numbers of nested lists to `numbers` and returns the lists' extents. Returns nil if the lists are
  /// ragged, too long, or contain anything but numbers.
  private static func flatten(_ value: Any, _ numbers: inout [Double], depth: Int = 0) -> [Int]? {
    if let number = value as? NSNumber {
      guard numbers.count < mostNumbers else { return nil }
      numbers.append(number.doubleValue)
      return []
    }
    guard let items = value as? [Any], !items.isEmpty, depth < 16 else { return nil }
    var inner: [Int]?
    for item in items {
      guard let shape = flatten(item, &numbers, depth: depth + 1), inner == nil || inner == shape
      else { return nil }
      inner = shape
    }
    return [items.count] + (inner ?? [])
  }
}

/// An output as JSON.
enum FeatureAnswer: Encodable, Sendable {
  case number(Double)
  case integer(Int64)
  case text(String)
  case numbers([String: Double])
  case array(shape: [Int], values: [Double], isComplete: Bool)
  case picture(width: Int, height: Int, data: String)

  /// The response contains at most this number of an array's elements.
  private static let mostValues = 20_000

  /// Converts an output. A picture becomes a PNG in a `data:` URL.
  init(_ value: MLFeatureValue) throws {
    switch value.type {
    case .int64: self = .integer(value.int64Value)
    case .double: self = .number(value.doubleValue)
    case .string: self = .text(value.stringValue)
    case .dictionary:
      var numbers: [String: Double] = [:]
      for (key, number) in value.dictionaryValue { numbers["\(key.base)"] = number.doubleValue }
      self = .numbers(numbers)
    case .image:
      guard let buffer = value.imageBufferValue else {
        self = .text("no picture")
        return
      }
      let picture = try Picture(buffer)
      self = .picture(
        width: picture.width, height: picture.height,
        data: "data:image/png;base64," + (try picture.encoded(as: .png)).base64EncodedString())
    case .multiArray:
      guard let array = value.multiArrayValue else {
        self = .text("no array")
        return
      }
      let count = min(array.count, Self.mostValues)
      self = .array(
        shape: array.shape.map(\.intValue), values: (0..<count).map { array[$0].doubleValue },
        isComplete: count == array.count)
    default: self = .text("\(value)")
    }
  }

  private enum Keys: String, CodingKey { case kind, value, shape, isComplete, width, height }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    func kind(_ word: String) throws { try container.encode(word, forKey: .kind) }
    switch self {
    case .number(let value):
      try kind("number")
      try container.encode(value, forKey: .value)
    case .integer(let value):
      try kind("integer")
      try container.encode(value, forKey: .value)
    case .text(let value):
      try kind("text")
      try container.encode(value, forKey: .value)
    case .numbers(let value):
      try kind("dictionary")
      try container.encode(value, forKey: .value)
    case .array(let shape, let values, let isComplete):
      try kind("array")
      try container.encode(shape, forKey: .shape)
      try container.encode(values, forKey: .value)
      try container.encode(isComplete, forKey: .isComplete)
    case .picture(let width, let height, let data):
      try kind("picture")
      try container.encode(width, forKey: .width)
      try container.encode(height, forKey: .height)
      try container.encode(data, forKey: .value)
    }
  }
}
