import Arguments
import CoreML
import Foundation
import ModelFormat
import StyleTransfer

/// A style or a mixture of styles of a model with several styles: the model that `--model` names, or the gallery's.
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
    try self.init(
      mixture, arguments,
      of: MultiStyleNetwork(reading: model, name: location.lastPathComponent))
  }

  /// Reads `--style` and `--strength` if they need the gallery's network of several styles: for a mixture, and for a
  /// strength. Returns nil for a style's name alone.
  init?(gallery arguments: ParsedArguments) throws {
    guard let mixture = arguments.value("style"), !arguments.has("model"),
      arguments.has("strength") || mixture.contains(where: { ",:".contains($0) })
    else { return nil }
    try self.init(
      mixture, arguments, of: Self.galleryNetwork(lite: arguments.has("lite")),
      further: arguments.has("lite") ? "-lite" : "")
  }

  private init(
    _ mixture: String, _ arguments: ParsedArguments, of styles: MultiStyleNetwork,
    further: String = ""
  ) throws {
    network = try styles.mixture(
      of: MultiStyleNetwork.shares(mixture), strength: StylesCommand.strength(arguments))
    suffix = "-" + mixture.replacing(",", with: "-").replacing(":", with: "") + further
  }

  /// Reads the large or the small network of the installed gallery.
  static func galleryNetwork(lite: Bool) throws -> MultiStyleNetwork {
    let folder: URL = try StyleGallery.installedFolder()
    guard let network = try GalleryNetwork.network(lite: lite, in: folder) else {
      throw CommandError(
        "The gallery '\(folder.path)' has no \(lite ? "small " : "")network of several styles, which"
          + " mixtures and --strength need. Name a style alone, or a --model.")
    }
    return try network.read()
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
