import Arguments
import CoreML
import Foundation

/// The style that `atelier stylize --model MODEL --style STYLE` chooses for a network with an input for the style.
struct ChosenStyle {
  /// The file of the network.
  let model: URL
  /// The suffix that the file name of a painting gets.
  let suffix: String
  private let input: String
  private let block: NumberBlock

  /// Reads `--style` and `--style-names`. Returns nil without `--style`, and for a model without an input for the style.
  init?(_ arguments: ParsedArguments, model name: String) throws {
    let namesFile: String? = arguments.value("style-names")
    guard let style = arguments.value("style") else {
      guard namesFile == nil else {
        throw UsageError("--style-names names styles; choose one with --style.")
      }
      return nil
    }
    try self.init(style, namesFile: namesFile, model: name)
  }

  /// Finds a style in a model. Returns nil for a model without an input for the style.
  init?(_ style: String, namesFile: String? = nil, model name: String) throws {
    let location: URL = try ModelLocation.resolve(name)
    guard let (input, found) = StyleIndex.only(in: location) else {
      guard namesFile == nil else {
        throw UsageError(
          "--style-names is for a network with an input for the style;"
            + " '\(location.lastPathComponent)' has none.")
      }
      return nil
    }
    let index: StyleIndex = try namesFile.map { try found.named(byFile: $0) } ?? found
    guard let block = try index.block(style, option: "--style") else {
      throw UsageError("--style is '\(style)', expected a style: \(index.choices).")
    }
    (model, self.input, self.block) = (location, input, block)
    // A list of weights is too long for a file name.
    let word: String = style.contains("[") || style.count > 40 ? "mixture" : style
    suffix =
      "-\(location.deletingPathExtension().lastPathComponent)-"
      + PredictCommand.fileName(word.replacing(",", with: "-").replacing(":", with: ""))
  }

  /// Throws if the network has an input for the style that has no value.
  static func requireChoice(at location: URL, given: [String]) throws {
    guard let (input, index) = StyleIndex.only(in: location), !given.contains(input) else { return }
    throw UsageError(
      "'\(location.lastPathComponent)' has \(index.count) styles; choose with --style:"
        + " \(index.choices).")
  }

  /// Returns the value of the network's input for the style.
  func value(for model: MLModel) throws -> [String: MLFeatureValue] {
    let constraint = model.modelDescription.inputDescriptionsByName[input]?.multiArrayConstraint
    return [
      input: MLFeatureValue(
        multiArray: try block.multiArray(type: constraint?.dataType ?? .float32))
    ]
  }
}
