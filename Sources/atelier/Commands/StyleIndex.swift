import Arguments
import CoreML
import Foundation
import ModelFormat
import StyleTransfer

/// An input that chooses one of the styles of a network, as a vector with one number for each style.
///
/// `tfcoreml` declares such a vector as an array of one element, and writes the length of the vector only into the
/// input's description: “This input is a sequence of length 26”. Networks of `atelier train` declare the vector's
/// extents, and list the names of the styles in the metadata.
struct StyleIndex {
  /// The number of styles.
  let count: Int
  /// The names of the styles. Empty if neither the model nor the user names them.
  private(set) var names: [String]
  /// The shape of the vector.
  let shape: [Int]

  /// Returns the inputs of a model file that choose a style, by their names. Returns none for other formats than
  /// `.mlmodel`.
  static func all(in location: URL) -> [String: StyleIndex] {
    guard location.pathExtension.lowercased() == "mlmodel",
      let model: Spec.Model = try? ModelFile.open(location).model
    else { return [:] }
    let list: String? = model.description?.metadata?.userDefined[MultiStyleNetwork.namesKey]
    let names: [String] = list?.split(separator: ",").map(String.init) ?? []
    var found: [String: StyleIndex] = [:]
    for input in model.description?.input ?? [] {
      guard case .multiArrayType(let array)? = input.type?.type else { continue }
      let extents: [Int] = array.shape.map(Int.init)
      guard extents.allSatisfy({ $0 > 0 }) else { continue }
      if let length = length(input.shortDescription), extents.allSatisfy({ $0 == 1 }) {
        // A sequence has two axes more than each of its elements: the sequence and the batch.
        found[input.name] = StyleIndex(
          count: length, names: names.count == length ? names : [],
          shape: [length, 1] + extents)
      } else if !names.isEmpty, extents.max() == names.count,
        extents.count(where: { $0 != 1 }) <= 1
      {
        found[input.name] = StyleIndex(count: names.count, names: names, shape: extents)
      }
    }
    return found
  }

  private static func length(_ description: String) -> Int? {
    description.firstMatch(of: /sequence of length (\d+)/).flatMap { Int($0.output.1) }
      .flatMap { $0 > 1 ? $0 : nil }
  }

  /// Returns the only input of a model file that chooses a style. Returns nil if there is none, or if there are several.
  static func only(in location: URL) -> (input: String, index: StyleIndex)? {
    let all: [String: StyleIndex] = all(in: location)
    return all.count == 1 ? all.first.map { ($0.key, $0.value) } : nil
  }

  /// Returns the styles with names from a file, one on each line.
  func named(byFile path: String) throws -> StyleIndex {
    guard let data = try InputFile.contents(path), let text = String(data: data, encoding: .utf8)
    else { throw CommandError("The names of styles '\(path)' cannot be read as text.") }
    let lines: [String] = text.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard lines.count == count, Set(lines).count == count else {
      throw CommandError(
        "The file '\(path)' has \(lines.count) names (\(Set(lines).count) different ones), expected"
          + " \(count): one for each style of the model.")
    }
    var styles: StyleIndex = self
    styles.names = lines
    return styles
  }

  /// Returns the vector for a text: the number of a style, counted from 0, its name, a mixture such as 3:0.6,wave:0.4, or
  /// a list with a weight for each style. Returns nil if the text is the path of a file.
  ///
  /// - Parameter option: The option in error messages, such as `--style`.
  func block(_ text: String, option: String) throws -> NumberBlock? {
    let ending: String = URL(fileURLWithPath: text).pathExtension.lowercased()
    guard !["npy", "json"].contains(ending) else { return nil }
    var values = [Double](repeating: 0, count: count)
    if let position = position(of: text) {
      values[position] = 1
      return NumberBlock(shape: shape, values: values)
    }
    if text.contains(":") {
      for share in try MultiStyleNetwork.shares(text) {
        guard let position = position(of: share.name) else { throw refusal(share.name, option) }
        values[position] += share.weight
      }
      let sum: Double = values.reduce(0, +)
      guard sum > 0 else { throw refusal(text, option) }
      return NumberBlock(shape: shape, values: values.map { $0 / sum })
    }
    guard let list = try NumberBlock(text, declared: []), Int(text) == nil else {
      throw refusal(text, option)
    }
    guard list.values.count == count else {
      throw UsageError(
        "\(option) has \(list.values.count) numbers, expected \(count): a weight for each"
          + " style. A single style is a number from 0 to \(count - 1).")
    }
    return NumberBlock(shape: shape, values: list.values)
  }

  /// The ways to choose a style, in words.
  var choices: String {
    let known: String = names.isEmpty ? "" : "a name (\(names.joined(separator: ", "))), "
    return "\(known)a number from 0 to \(count - 1), or a list of \(count) weights"
  }

  /// Returns the position of a style by its number or its name.
  private func position(of text: String) -> Int? {
    Int(text).flatMap { (0..<count).contains($0) ? $0 : nil } ?? names.firstIndex(of: text)
  }

  private func refusal(_ text: String, _ option: String) -> UsageError {
    UsageError("\(option) is '\(text)', expected a style: \(choices).")
  }
}
