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
  /// The names of the styles. Empty if the model does not name them.
  let names: [String]
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

  /// Returns the vector for a text: the number of a style, counted from 0, its name, or a list with a weight for each
  /// style. Returns nil if the text is the path of a file.
  func block(_ text: String, input: String) throws -> NumberBlock? {
    let ending: String = URL(fileURLWithPath: text).pathExtension.lowercased()
    guard !["npy", "json"].contains(ending) else { return nil }
    var values = [Double](repeating: 0, count: count)
    let number: Int? = Int(text) ?? names.firstIndex(of: text)
    if let number {
      guard values.indices.contains(number) else { throw refusal(text, input) }
      values[number] = 1
      return NumberBlock(shape: shape, values: values)
    }
    guard let list = try NumberBlock(text, declared: []) else { throw refusal(text, input) }
    guard list.values.count == count else {
      throw UsageError(
        "--input \(input) has \(list.values.count) numbers, expected \(count): a weight for each"
          + " style. A single style is a number from 0 to \(count - 1).")
    }
    return NumberBlock(shape: shape, values: list.values)
  }

  private func refusal(_ text: String, _ input: String) -> UsageError {
    let known: String = names.isEmpty ? "" : "a name (\(names.joined(separator: ", "))), "
    return UsageError(
      "--input \(input) is '\(text)', expected a style: \(known)a number from 0 to \(count - 1), or a"
        + " list of \(count) weights.")
  }
}
