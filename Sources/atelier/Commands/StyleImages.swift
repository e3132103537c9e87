import Arguments
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// The paintings in whose style `atelier stylize --style-image` paints.
struct StyleImages {
  /// The options that belong to it.
  static let options: [CommandSyntax.Option] = [
    .init(
      "style-image", value: "PAINTING", repeats: true,
      help: "Or any painting; several are mixed. Needs `atelier fetch\narbitrary-style`."),
    .init(
      "style-weight", value: "W", repeats: true,
      help: "The share of each painting in its order; 1 unless told otherwise."),
    .init(
      "strength", value: "S",
      help: "From 0, the photo's own style, to 1, the painting's (the\ndefault)."),
    .init(
      "predictor", value: "MODEL",
      help: "With --transformer: another pair of networks, the one that\n"
        + "sees paintings (.tflite, .onnx), and"),
    .init("transformer", value: "MODEL", help: "the one that paints by what the other saw."),
  ]

  /// What a painting's file adds to the photo's name.
  let suffix: String
  private let networks: ArbitraryStyle
  private let style: ArbitraryStyle.Style
  private let strength: Double

  /// Reads the options, and looks at the paintings; nil where none is given.
  init?(_ arguments: ParsedArguments, _ configuration: MLModelConfiguration) throws {
    let paintings: [String] = arguments.values("style-image")
    let weights: [Double] = try arguments.values("style-weight").map {
      try Self.number($0, "style-weight", 0...Double.greatestFiniteMagnitude)
    }
    strength = try Self.number(arguments.value("strength") ?? "1", "strength", 0...1)
    guard let first = paintings.first else {
      for name in ["style-weight", "strength", "predictor", "transformer"] where arguments.has(name)
      {
        throw UsageError("--\(name) belongs to --style-image, which is missing.")
      }
      return nil
    }
    guard !arguments.has("style"), !arguments.has("model"), !arguments.has("lite"),
      !arguments.has("input")
    else {
      throw UsageError(
        "--style-image paints with networks of its own; leave out --style, --model, --lite and --input."
      )
    }
    guard weights.count <= paintings.count else {
      throw UsageError(
        "--style-weight is given \(weights.count) times for \(paintings.count) paintings.")
    }
    let (predictor, transformer) = try Self.networks(arguments)
    let pair = try ArbitraryStyle(
      predictor: predictor, transformer: transformer, configuration: configuration)
    networks = pair
    style = try ArbitraryStyle.Style(
      mixing: try paintings.enumerated().map { index, path in
        (
          try pair.style(of: try Picture(contentsOfFile: path)),
          index < weights.count ? weights[index] : 1
        )
      })
    suffix = "-" + URL(fileURLWithPath: first).deletingPathExtension().lastPathComponent
  }

  /// A painter of one photo.
  func painter(of photo: Picture) throws -> Painter {
    try networks.painter(in: style, strength: strength, of: photo)
  }

  private static func networks(_ arguments: ParsedArguments) throws -> (URL, URL) {
    switch (arguments.value("predictor"), arguments.value("transformer")) {
    case (let predictor?, let transformer?):
      return (try ModelLocation.resolve(predictor), try ModelLocation.resolve(transformer))
    case (nil, nil):
      let files: [URL] = FetchableModel.arbitraryStyle.files()
      guard FetchableModel.arbitraryStyle.isFetched() else {
        throw CommandError(
          "The networks of --style-image are not there yet; `atelier fetch arbitrary-style`"
            + " downloads them once (3 MB).")
      }
      return (files[1], files[0])
    default: throw UsageError("--predictor and --transformer are a pair; give both of them.")
    }
  }

  private static func number(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws
    -> Double
  {
    guard let number = Double(text), range.contains(number) else {
      let last: String = range.upperBound == 1 ? "0 to 1" : "0 on"
      throw UsageError("--\(option) is '\(text)', expected a number from \(last).")
    }
    return number
  }
}
