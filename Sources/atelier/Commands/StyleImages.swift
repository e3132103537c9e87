import Arguments
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// The paintings that give the style for `atelier stylize --style-image`.
struct StyleImages {
  /// The options that belong to `--style-image`.
  static let options: [CommandSyntax.Option] = [
    .init(
      "style-image", value: "PAINTING", repeats: true,
      help: "Any painting, as --style with a picture file; several are mixed."),
    .init(
      "style-weight", value: "W", repeats: true,
      help: "The weight of each painting, in their order (default: 1)."),
    .init(
      "strength", value: "S",
      help: "From 0 (the photo's style) to 1 (the painting's style, default);\n"
        + "up to 1.5 for a style of the gallery or of a model."),
    .init(
      "predictor", value: "MODEL",
      help: "With --transformer: another pair of networks (.tflite, .onnx).\n"
        + "This one computes the style of a painting,"),
    .init("transformer", value: "MODEL", help: "and this one paints a photo in that style."),
  ]

  /// The suffix that the file name of a painting gets.
  let suffix: String
  private let networks: ArbitraryStyle
  private let style: ArbitraryStyle.Style
  private let strength: Double

  /// Reads the options, computes the styles of the named paintings, and mixes them by their weights. Returns nil if the
  /// options name no painting.
  init?(_ arguments: ParsedArguments, _ configuration: MLModelConfiguration) throws {
    let named: String? = Self.painting(arguments)
    let paintings: [String] = [named].compactMap { $0 } + arguments.values("style-image")
    let weights: [Double] = try arguments.values("style-weight").map {
      try Self.number($0, "style-weight", 0...Double.greatestFiniteMagnitude)
    }
    guard let first = paintings.first else {
      // Without a painting, --strength belongs to a style of the gallery or of the model.
      let hasStyle: Bool = arguments.has("style")
      for name in ["style-weight", "strength", "predictor", "transformer"]
      where arguments.has(name) && !(hasStyle && name == "strength") {
        throw UsageError("--\(name) belongs to --style-image, which is missing.")
      }
      return nil
    }
    strength = try Self.number(arguments.value("strength") ?? "1", "strength", 0...1)
    guard named != nil || !arguments.has("style"), !arguments.has("model"), !arguments.has("lite"),
      !arguments.has("input")
    else {
      throw UsageError(
        "--style-image uses its own networks; leave out --style, --model, --lite and --input."
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

  /// Returns the value of `--style` if it is the path of a picture file. Returns nil for any other value, which is the
  /// name of a gallery style.
  static func painting(_ arguments: ParsedArguments) -> String? {
    painting(arguments.value("style"))
  }

  /// Returns the name of a style if it is the file of a painting.
  static func painting(_ name: String?) -> String? {
    guard let path = name, FileManager.default.fileExists(atPath: path)
    else { return nil }
    let type: String = URL(fileURLWithPath: path).pathExtension.lowercased()
    return ContentPictures.extensions.contains(type) ? path : nil
  }

  /// Returns a painter for one photo. At less than full strength, the style depends on the photo, so each photo needs
  /// its own painter.
  func painter(of photo: Picture) throws -> Painter {
    try networks.painter(in: style, strength: strength, of: photo)
  }

  /// Returns a painter in the style of one painting at full strength, for all frames of a film.
  static func painter(in painting: String, _ configuration: MLModelConfiguration) throws -> Painter
  {
    let (predictor, transformer) = try pair(nil, nil)
    let networks = try ArbitraryStyle(
      predictor: predictor, transformer: transformer, configuration: configuration)
    let picture = try Picture(contentsOfFile: painting)
    return try networks.painter(in: networks.style(of: picture), strength: 1, of: picture)
  }

  private static func networks(_ arguments: ParsedArguments) throws -> (URL, URL) {
    try pair(arguments.value("predictor"), arguments.value("transformer"))
  }

  private static func pair(_ predictor: String?, _ transformer: String?) throws -> (URL, URL) {
    switch (predictor, transformer) {
    case (let predictor?, let transformer?):
      return (try ModelLocation.resolve(predictor), try ModelLocation.resolve(transformer))
    case (nil, nil):
      let files: [URL] = FetchableModel.arbitraryStyle.files()
      guard FetchableModel.arbitraryStyle.isFetched() else {
        throw CommandError(
          "The networks of --style-image are not fetched yet. Run `atelier fetch arbitrary-style`"
            + " first (3 MB).")
      }
      return (files[1], files[0])
    default: throw UsageError("--predictor and --transformer are a pair; give both of them.")
    }
  }

  private static func number(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws
    -> Double
  {
    guard let number = Double(text), range.contains(number) else {
      let last: String = range.upperBound == 1 ? "0 to 1" : "0 up"
      throw UsageError("--\(option) is '\(text)', expected a number from \(last).")
    }
    return number
  }
}
