import Arguments
import CoreML
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier judge`: measures painted pictures.
enum JudgeCommand: Command {
  static let syntax = CommandSyntax(
    "judge", summary: "Measures how close painted pictures are to the painting and to the photo.",
    operands: [.init("PAINTED", .atLeastOne, help: "Painted pictures.")],
    options: [
      .init(
        "photo", value: "P", repeats: true, isRequired: true,
        help: "The photo that was painted: one for each PAINTED in their\n"
          + "order, or one for all."),
      .init(
        "painting", value: "S", isRequired: true, help: "The painting that gave the style."),
      .init(
        "size", value: "N",
        help: "The longer side, in pixels, to which all pictures are scaled\n"
          + "(default: 512)."),
      .init("json", help: "Prints a JSON array."),
      ModelOptions.threads,
    ],
    notes: """
      Needs `atelier fetch vgg16` and `atelier fetch judge` once. contrast is best near 1; photo's near is
      what the photo itself has; the other numbers are distances: 0 is equal. Documentation/Quality.md
      explains each.

      Example: atelier judge painted.png --photo photo.jpg --painting scream.jpg
      """)

  /// A line of the JSON array.
  private struct Line: Encodable {
    let painted: String
    let photo: String
    let painting: String
    let size: Int
    let judgement: Judgement
  }

  static func run(_ arguments: ParsedArguments) throws {
    let size: Int = try arguments.integer("size", in: 32...2048) ?? 512
    let painted: [String] = arguments.operands
    var photos: [String] = arguments.values("photo")
    if photos.count == 1 { photos = painted.map { _ in photos[0] } }
    guard photos.count == painted.count else {
      throw UsageError(
        "--photo is given \(photos.count) times for \(painted.count) painted pictures; give one for"
          + " each, or one for all.")
    }
    let painting: String = arguments.value("painting") ?? ""
    let source: Picture = try Picture(contentsOfFile: painting)
    let configuration = try ModelOptions(arguments).configuration
    // Computes in float32, so that the numbers are the same on every processor except for rounding. Kernels are not
    // timed, because timing them for each new picture size would take longer than the fastest kernels save.
    configuration.computeUnits = .cpuOnly
    configuration.measuresKernels = false
    let network = try FeatureNetwork(contentsOf: try ModelLocation.resolve("vgg16"))
    let weights = try PerceptualWeights(contentsOf: FetchableModel.judge.file())
    let judge = Judge(
      network: network, weights: weights, side: size, options: configuration.executionOptions())
    let style: Judge.Painting = try judge.painting(source)
    let lines: [Line] = try zip(painted, photos).map { painted, photo in
      Line(
        painted: painted, photo: photo, painting: painting, size: size,
        judgement: try judge.judge(
          try Picture(contentsOfFile: painted), photo: try Picture(contentsOfFile: photo),
          painting: style))
    }
    if arguments.has("json") {
      try Output.json(lines)
    } else {
      Output.write(table(lines.map { ($0.painted, $0.judgement) }))
    }
  }

  /// The columns of numbers: their names and values.
  private static var columns: [(name: String, value: (Judgement) -> Double)] {
    [
      ("contrast", \.contrast), ("colour", \.color), ("near", \.near),
      ("photo's near", \.nearOfPhoto), ("cover", \.cover), ("LPIPS", \.lpips), ("DISTS", \.dists),
    ]
      + Judge.layers.map { layer in
        (name: "Gram \(layer)", value: { $0.gramErrors[layer] ?? .nan })
      }
  }

  /// Returns a table with a line for each picture and, if there are several, their means.
  private static func table(_ judgements: [(name: String, judgement: Judgement)]) -> String {
    var lines = judgements
    if lines.count > 1, let mean = Judgement.mean(of: lines.map(\.judgement)) {
      lines.append(("mean", mean))
    }
    let width: Int = lines.map(\.name.count).max() ?? 0
    var text: String = String(repeating: " ", count: width)
    for column in columns { text += "  " + column.name }
    text += "\n"
    for line in lines {
      text += line.name + String(repeating: " ", count: width - line.name.count)
      for column in columns {
        let number: String = column.value(line.judgement).text(decimals: 3)
        text += "  " + String(repeating: " ", count: max(0, column.name.count - number.count))
        text += number
      }
      text += "\n"
    }
    return text
  }
}
