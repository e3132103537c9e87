import Arguments
import CoreML
import Foundation
import Imaging
import ModelFormat
import StyleTransfer

/// The option `--excite` of `atelier predict`: pictures that excite channels of layers.
struct Excitation {
  private struct Target {
    let layer: String
    let channel: Int
  }

  /// A picture for JSON.
  private struct Report: Encodable {
    let layer: String
    let channel: Int
    let activation: Double
    let file: String
  }

  private let targets: [Target]
  private let side: Int?
  private let settings: FeatureVisualization.Settings

  /// The side of the picture for a model that takes pictures of any size.
  private static let defaultSide = 224
  /// The largest side that a model's own size may set. Larger pictures take minutes.
  private static let largestDefaultSide = 512

  /// Reads the options. Returns nil without `--excite`.
  init?(_ arguments: ParsedArguments, _ options: ModelOptions) throws {
    let words: [String] = arguments.values("excite")
    guard !words.isEmpty else {
      for name in ["excite-steps", "excite-size"] where arguments.has(name) {
        throw UsageError("--\(name) needs --excite LAYER:CHANNEL.")
      }
      return nil
    }
    targets = try words.map { text in
      guard let cut = text.lastIndex(of: ":"), cut > text.startIndex,
        let channel = Int(text[text.index(after: cut)...]), channel >= 0
      else {
        throw UsageError(
          "--excite is '\(text)', expected LAYER:CHANNEL with a channel of 0 or more, such as"
            + " relu4_2:16.")
      }
      return Target(layer: String(text[..<cut]), channel: channel)
    }
    side = try arguments.integer("excite-size", in: 16...4096)
    var settings = FeatureVisualization.Settings()
    settings.steps =
      try arguments.integer("excite-steps", in: 1...100_000) ?? settings.steps
    settings.execution = options.configuration.executionOptions()
    self.settings = settings
  }

  /// Makes the pictures and prints the activations as JSON.
  func run(_ location: URL, into folder: URL) throws {
    let file = try ModelFile.open(location)
    let network = try FeatureNetwork(file)
    let side: Int = side ?? Self.side(of: file.model)
    let pictures: URL = folder.appendingPathComponent("excite")
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    var reports: [Report] = []
    for target in targets {
      let visualization = try FeatureVisualization(
        network, layer: target.layer, channel: target.channel, side: side, settings: settings)
      let picture: Picture = try visualization.picture()
      let path: String = pictures.appendingPathComponent(
        "\(PredictCommand.fileName(target.layer))-\(target.channel).png"
      ).path
      let data: Data = try picture.encoded(as: .png)
      try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
      reports.append(
        Report(
          layer: target.layer, channel: target.channel,
          activation: try visualization.activation(of: picture), file: path))
    }
    try Output.json(reports)
  }

  /// Returns the side for the pictures of a model: the smaller side of its input.
  private static func side(of model: Spec.Model) -> Int {
    for input in model.description?.input ?? [] {
      if case .imageType(let image)? = input.type?.type, image.width > 0, image.height > 0 {
        return min(Int(min(image.width, image.height)), largestDefaultSide)
      }
    }
    return defaultSide
  }
}
