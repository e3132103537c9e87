import Graph

/// The text of a `.param` file: the layers of a network in the order of execution.
///
/// **Source:** ncnn, docs/developer-guide/param-and-model-file-structure.md.
struct NCNNDescription {
  /// The layers in the order of the file.
  let layers: [NCNNLayer]

  /// The first line of a file.
  private static let magic = "7767517"

  /// Reads the text of a file.
  ///
  /// - Throws: ``EngineError`` that names the line.
  init(_ bytes: [UInt8]) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw EngineError(
        .invalidModel,
        "the file is not text. A binary description (.param.bin) has no names; give the .param file."
      )
    }
    let lines: [(number: Int, words: [Substring])] = text.split(
      separator: "\n", omittingEmptySubsequences: false
    ).enumerated().map { ($0 + 1, $1.split { $0 == " " || $0 == "\t" || $0 == "\r" }) }
      .filter { !$0.words.isEmpty }
    guard lines.first?.words == [Substring(Self.magic)] else {
      throw EngineError(
        .invalidModel,
        "the first line is '\(lines.first?.words.joined(separator: " ") ?? "")', expected \(Self.magic)."
      )
    }
    guard lines.count > 1, lines[1].words.count == 2, let count = Int(lines[1].words[0]) else {
      throw EngineError(.invalidModel, "the second line does not state the number of layers.")
    }
    layers = try lines.dropFirst(2).map { line in
      do {
        return try NCNNLayer(line.words)
      } catch let error as EngineError {
        throw EngineError(error.code, "line \(line.number): \(error.message)")
      }
    }
    guard layers.count == count else {
      throw EngineError(
        .invalidModel,
        "the file has \(layers.count) layers, but states \(count). It may be truncated.")
    }
  }
}

/// A layer in a `.param` file.
struct NCNNLayer {
  /// The layer type, such as `InnerProduct`.
  let type: String
  /// The layer's name.
  let name: String
  /// The names of the layer's inputs.
  let bottoms: [String]
  /// The names of the layer's outputs.
  let tops: [String]
  /// The layer's parameters.
  let parameters: NCNNParameters

  /// Reads the words of a line: type, name, number of inputs, number of outputs, inputs, outputs, parameters.
  init(_ words: [Substring]) throws {
    guard words.count >= 4, let inputs = Int(words[2]), let outputs = Int(words[3]),
      (0...words.count).contains(inputs), (0...words.count).contains(outputs),
      words.count >= 4 + inputs + outputs
    else {
      throw EngineError(
        .invalidModel,
        "expected a type, a name, two numbers, and as many names of inputs and outputs, found '\(words.joined(separator: " "))'."
      )
    }
    type = String(words[0])
    name = String(words[1])
    bottoms = words[4..<4 + inputs].map(String.init)
    tops = words[(4 + inputs)..<(4 + inputs + outputs)].map(String.init)
    parameters = try NCNNParameters(words.dropFirst(4 + inputs + outputs))
  }
}

/// The parameters of a layer: numbers and lists of numbers by the number of the parameter.
struct NCNNParameters {
  /// The values of a parameter, as text. `isList` tells a list with one element from a number.
  private struct Entry {
    let words: [Substring]
    let isList: Bool
  }

  private var entries: [Int: Entry] = [:]

  /// The number of a parameter that holds a list is this number minus that of the parameter.
  private static let firstList = -23300

  /// Reads words of the form `id=value`. A list is `-23300-id=count,value,…`, or `id=value,…`.
  init(_ words: ArraySlice<Substring>) throws {
    for word in words {
      let parts: [Substring] = word.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let id = Int(parts[0]), !parts[1].isEmpty else {
        throw EngineError(
          .invalidModel, "'\(word)' is no parameter, expected a number, '=' and a value.")
      }
      var values: [Substring] = parts[1].split(separator: ",", omittingEmptySubsequences: true)
      guard id <= Self.firstList else {
        entries[id] = Entry(words: values, isList: values.count > 1)
        continue
      }
      guard let count = values.first.flatMap({ Int($0) }), count == values.count - 1 else {
        throw EngineError(
          .invalidModel, "the list '\(word)' does not have as many values as it states.")
      }
      values.removeFirst()
      entries[Self.firstList - id] = Entry(words: values, isList: true)
    }
  }

  /// Returns whether the file states a parameter.
  func has(_ id: Int) -> Bool { entries[id] != nil }

  /// Returns an integer.
  func int(_ id: Int, or standard: Int) throws -> Int {
    guard let entry = entries[id] else { return standard }
    guard !entry.isList, let value = entry.words.first.flatMap({ Int($0) }) else {
      throw fault(id, entry, "an integer")
    }
    return value
  }

  /// Returns a number.
  func float(_ id: Int, or standard: Float) throws -> Float {
    guard let entry = entries[id] else { return standard }
    guard !entry.isList, let value = entry.words.first.flatMap({ Float($0) }) else {
      throw fault(id, entry, "a number")
    }
    return value
  }

  /// Returns a list of integers. Empty if the file does not state the parameter.
  func ints(_ id: Int) throws -> [Int] {
    guard let entry = entries[id] else { return [] }
    return try entry.words.map { word in
      guard let value = Int(word) else { throw fault(id, entry, "integers") }
      return value
    }
  }

  /// Returns a list of numbers. Empty if the file does not state the parameter.
  func floats(_ id: Int) throws -> [Float] {
    guard let entry = entries[id] else { return [] }
    return try entry.words.map { word in
      guard let value = Float(word) else { throw fault(id, entry, "numbers") }
      return value
    }
  }

  private func fault(_ id: Int, _ entry: Entry, _ expected: String) -> EngineError {
    EngineError(
      .invalidModel,
      "the parameter \(id) is '\(entry.words.joined(separator: ","))', expected \(expected).")
  }

  /// The parameters in a form in which a reader can check them.
  var comparable: [String: KnownFields.Value] {
    Dictionary(
      uniqueKeysWithValues: entries.map { id, entry in
        let values: [KnownFields.Value] = entry.words.map { word in
          Double(word).map { .number($0) } ?? .text(String(word))
        }
        return (String(id), entry.isList ? .list(values) : values.first ?? .nothing)
      })
  }
}
