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
    let source = URL(fileURLWithPath: String(cString: try given(source, "source")))
    let target = URL(fileURLWithPath: String(cString: try given(target, "target")))
    var reading: ReadingOptions =
      try options.map { try ReadingOptions(json: String(cString: $0)) } ?? .init()
    if let question {
      let asked = LayerQuestion(question, context)
      reading.customLayer = { try asked.answer(for: $0) }
    }
    // Classes that are registered say what their layers make; others are carried along.
    reading.makeCustomLayer = { request in
      (try? MLCustomLayerRegistry.engineFactory(request)) ?? CarriedCustomLayer(request.className)
    }
    try ModelWriters.write(try ModelReaders.read(source, options: reading), to: target)
  }
}

/// A caller's function that is asked about layers.
///
/// `@unchecked Sendable`: it is called on the thread of the conversion alone, while its caller waits.
private struct LayerQuestion: @unchecked Sendable {
  private let question: atelier_layer_question
  private let context: UnsafeMutableRawPointer?

  init(_ question: @escaping atelier_layer_question, _ context: UnsafeMutableRawPointer?) {
    (self.question, self.context) = (question, context)
  }

  func answer(for layer: UnknownLayer) throws -> CustomLayerRecipe? {
    let settings: Any =
      (try? JSONSerialization.jsonObject(with: Data(layer.configuration.utf8))) ?? [String: Any]()
    let words: [String: Any] = [
      "name": layer.name, "type": layer.type, "function": layer.function as Any? ?? NSNull(),
      "configuration": settings,
    ]
    let text: Data = try JSONSerialization.data(withJSONObject: words)
    let answer: String? = String(decoding: text, as: UTF8.self).withCString { words in
      question(words, context).map { String(cString: $0) }
    }
    return try answer.map { try CustomLayerRecipe(json: $0) }
  }
}

extension ReadingOptions {
  /// The options in the form that the header states.
  fileprivate init(json: String) throws {
    self.init()
    let words = try object(json, "options")
    companions = (words["companions"] as? [String] ?? []).map { URL(fileURLWithPath: $0) }
    addsCustomLayers = words["adds_custom_layers"] as? Bool ?? false
    for (name, value) in words["extents"] as? [String: Any] ?? [:] {
      guard let numbers = value as? [Int] else {
        throw CallError("The extents of '\(name)' are no list of whole numbers.")
      }
      extents[name] = numbers.map { $0 > 0 ? Extent($0) : Extent(from: 1) }
    }
  }
}

extension CustomLayerRecipe {
  /// The answer in the form that the header states.
  fileprivate init(json: String) throws {
    let words = try object(json, "answer")
    guard let name = words["class"] as? String, !name.isEmpty else {
      throw CallError("The answer for a layer names no class.")
    }
    self.init(name, summary: words["description"] as? String ?? "")
    for (key, value) in words["parameters"] as? [String: Any] ?? [:] {
      parameters[key] = try CustomLayerParameter(value, key)
    }
    if let lists = words["weights"] as? [[NSNumber]] {
      weights = lists.map { $0.map(\.floatValue) }
    }
    outputExtents = (words["shape"] as? [Int])?.map { Extent($0) }
  }
}

extension CustomLayerParameter {
  fileprivate init(_ value: Any, _ key: String) throws {
    if let text = value as? String {
      self = .string(text)
    } else if let number = value as? NSNumber {
      // JSON's truth values are kept as one byte, its numbers as more.
      switch String(cString: number.objCType) {
      case "c", "B": self = .bool(number.boolValue)
      case "d", "f": self = .double(number.doubleValue)
      default:
        let whole: Int64 = number.int64Value
        self = Int32(exactly: whole).map { .integer($0) } ?? .long(whole)
      }
    } else {
      throw CallError("The parameter '\(key)' is no number, truth value or text.")
    }
  }
}

/// A JSON object of a caller's.
func object(_ json: String, _ what: String) throws -> [String: Any] {
  guard let words = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
  else {
    throw CallError("The \(what) is no JSON object.")
  }
  return words
}
