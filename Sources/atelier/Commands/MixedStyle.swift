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
    guard let mixture = arguments.value("style") else { return nil }
    try self.init(mixture, strength: StylesCommand.strength(arguments), model: location)
  }

  /// Reads a mixture of the styles of a model. Returns nil for a model without several styles.
  init?(_ mixture: String, strength: Double = 1, model location: URL) throws {
    guard location.pathExtension == "mlmodel",
      let model: Spec.Model = try? ModelFile.open(location).model,
      MultiStyleNetwork.isMultiStyle(model)
    else { return nil }
    try self.init(
      mixture, strength: strength,
      of: MultiStyleNetwork(reading: model, name: location.lastPathComponent))
  }

  /// Reads a mixture of the gallery's styles.
  init(gallery mixture: String, lite: Bool) throws {
    try self.init(
      mixture, strength: 1, of: Self.galleryNetwork(lite: lite), further: lite ? "-lite" : "")
  }

  /// Whether the value of `--style` is a mixture, not the name of a style.
  static func isMixture(_ text: String) -> Bool { text.contains(where: { ",:".contains($0) }) }

  /// Reads `--style` and `--strength` if they need the gallery's network of several styles: for a mixture, and for a
  /// strength. Returns nil for a style's name alone.
  init?(gallery arguments: ParsedArguments) throws {
    guard let mixture = arguments.value("style"), !arguments.has("model"),
      arguments.has("strength") || Self.isMixture(mixture)
    else { return nil }
    try self.init(
      mixture, strength: StylesCommand.strength(arguments),
      of: Self.galleryNetwork(lite: arguments.has("lite")),
      further: arguments.has("lite") ? "-lite" : "")
  }

  private init(
    _ mixture: String, strength: Double, of styles: MultiStyleNetwork, further: String = ""
  ) throws {
    network = try styles.mixture(of: MultiStyleNetwork.shares(mixture), strength: strength)
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
