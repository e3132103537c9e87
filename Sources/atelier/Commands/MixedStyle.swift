import Arguments
import CoreML
import Foundation
import ModelFormat
import StyleTransfer

/// A style or a mixture of styles of a model with several styles, which `atelier stylize --model` paints.
struct MixedStyle {
  /// The suffix that the file name of a painting gets.
  let suffix: String
  private let network: StyleNetwork

  /// Reads `--style` and `--strength` if `--model` names a model of several styles. Returns nil without `--style`, and for
  /// other models.
  init?(_ arguments: ParsedArguments, model location: URL) throws {
    guard let mixture = arguments.value("style"), location.pathExtension == "mlmodel",
      let model: Spec.Model = try? ModelFile.open(location).model,
      MultiStyleNetwork.isMultiStyle(model)
    else { return nil }
    let styles = try MultiStyleNetwork(reading: model, name: location.lastPathComponent)
    network = try styles.mixture(
      of: MultiStyleNetwork.shares(mixture), strength: StylesCommand.strength(arguments))
    suffix = "-" + mixture.replacing(",", with: "-").replacing(":", with: "")
  }

  /// Throws if an opened model has several styles and the command line gives no weights for them.
  static func requireChoice(
    for model: MLModel, name: String, inputs: [(name: String, text: String)]
  ) throws {
    let entries = model.modelDescription.metadata[.creatorDefinedKey] as? [String: String]
    guard inputs.isEmpty, let names = entries?[MultiStyleNetwork.namesKey] else { return }
    let painted: [Substring] = names.split(separator: ",").filter {
      $0 != MultiStyleNetwork.photoName
    }
    throw UsageError(
      "'\(name)' has several styles; choose with --style: \(painted.joined(separator: ", ")).")
  }

  /// Returns a painter with the mixture's network.
  func painter(_ configuration: MLModelConfiguration) throws -> Painter {
    try network.painter(configuration: configuration)
  }
}
