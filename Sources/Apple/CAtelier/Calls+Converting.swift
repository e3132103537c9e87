import CAtelierHeader
import Conversion
import CoreML
import Engine
import Foundation
import Graph

@c @implementation
public func atelier_convert(
  _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?, _ question: atelier_layer_question?,
  _ context: UnsafeMutableRawPointer?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let source = URL(fileURLWithPath: String(cString: try nonNull(source, "source")))
    let target = URL(fileURLWithPath: String(cString: try nonNull(target, "target")))
    var reading: ReadingOptions =
      try options.map { try ReadingOptions(json: String(cString: $0)) } ?? .init()
    if let question {
      let resolver = LayerResolver(question, context)
      reading.customLayer = { try resolver.resolve($0) }
    }
    // If the class of a custom layer is registered, the layer reports its output shapes to the reader. Otherwise, a
    // placeholder represents the layer.
    reading.makeCustomLayer = { request in
      (try? MLCustomLayerRegistry.engineFactory(request))
        ?? PassthroughCustomLayer(request.className)
    }
    try ModelWriters.write(try ModelReaders.read(source, options: reading), to: target)
  }
}

/// A caller's function that resolves unknown layers.
///
/// `@unchecked Sendable`: only the thread of the conversion calls the function, and the caller waits meanwhile.
private struct LayerResolver: @unchecked Sendable {
  private let function: atelier_layer_question
  private let context: UnsafeMutableRawPointer?

  init(_ function: @escaping atelier_layer_question, _ context: UnsafeMutableRawPointer?) {
    (self.function, self.context) = (function, context)
  }

  /// Returns the custom layer that replaces an unknown layer, or nil if the caller's function does not resolve it.
  func resolve(_ layer: UnknownLayer) throws -> CustomLayerRecipe? {
    let settings: Any =
      (try? JSONSerialization.jsonObject(with: Data(layer.configuration.utf8))) ?? [String: Any]()
    let fields: [String: Any] = [
      "name": layer.name, "type": layer.type, "function": layer.function as Any? ?? NSNull(),
      "configuration": settings,
    ]
    let text: Data = try JSONSerialization.data(withJSONObject: fields)
    let recipe: String? = String(decoding: text, as: UTF8.self).withCString { fields in
      function(fields, context).map { String(cString: $0) }
    }
    return try recipe.map { try CustomLayerRecipe(json: $0) }
  }
}

extension ReadingOptions {
  /// Reads the options from JSON in the format that the header atelier.h documents.
  fileprivate init(json: String) throws {
    self.init()
    let fields = try jsonObject(json, "options")
    companions = (fields["companions"] as? [String] ?? []).map { URL(fileURLWithPath: $0) }
    addsCustomLayers = fields["adds_custom_layers"] as? Bool ?? false
    for (name, value) in fields["extents"] as? [String: Any] ?? [:] {
      guard let numbers = value as? [Int] else {
        throw CallError("The extents of '\(name)' are not a list of integers.")
      }
      extents[name] = numbers.map { $0 > 0 ? Extent($0) : Extent(from: 1) }
    }
  }
}

extension CustomLayerRecipe {
  /// Reads a custom layer from JSON in the format that the header atelier.h documents.
  fileprivate init(json: String) throws {
    let fields = try jsonObject(json, "custom layer")
    guard let name = fields["class"] as? String, !name.isEmpty else {
      throw CallError("The description of a custom layer has no class.")
    }
    self.init(name, summary: fields["description"] as? String ?? "")
    for (key, value) in fields["parameters"] as? [String: Any] ?? [:] {
      parameters[key] = try CustomLayerParameter(value, key)
    }
    if let lists = fields["weights"] as? [[NSNumber]] {
      weights = lists.map { $0.map(\.floatValue) }
    }
    outputExtents = (fields["shape"] as? [Int])?.map { Extent($0) }
  }
}

extension CustomLayerParameter {
  fileprivate init(_ value: Any, _ key: String) throws {
    if let text = value as? String {
      self = .string(text)
    } else if let number = value as? NSNumber {
      // A Boolean in JSON becomes an NSNumber whose Objective-C type has one byte. The types of numbers are larger.
      switch String(cString: number.objCType) {
      case "c", "B": self = .bool(number.boolValue)
      case "d", "f": self = .double(number.doubleValue)
      default:
        let integer: Int64 = number.int64Value
        self = Int32(exactly: integer).map { .integer($0) } ?? .long(integer)
      }
    } else {
      throw CallError("The parameter '\(key)' is not a number, a Boolean or a string.")
    }
  }
}

/// Parses a JSON object from the caller.
func jsonObject(_ json: String, _ what: String) throws -> [String: Any] {
  guard let fields = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
  else {
    throw CallError("The JSON of the \(what) is not an object.")
  }
  return fields
}
