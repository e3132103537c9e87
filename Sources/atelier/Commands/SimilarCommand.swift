import Arguments
import CoreGraphics
import Foundation
import Imaging
import Vision

/// `atelier similar`: photos that show the same.
enum SimilarCommand: Command {
  static let syntax = CommandSyntax(
    "similar", summary: "Finds the photos of a folder that show what a photo shows, nearest first.",
    operands: [
      .init("PHOTO", help: "A picture file."),
      .init("PLACE", .atLeastOne, help: "Picture files, and folders of them."),
    ],
    options: [
      .init("top", value: "N", help: "How many; 10 unless told otherwise."),
      .init("json", help: "As JSON."),
    ],
    notes: """
      The distance is that of feature prints, 0 for the same picture and at most 2. They come from
      SqueezeNet, which `atelier fetch squeezenet` downloads once.
      """)

  private struct Match: Encodable {
    let photo: String
    let distance: Float
  }

  static func run(_ arguments: ParsedArguments) throws {
    let count: Int = try arguments.integer("top", in: 1...1_000_000) ?? 10
    let files: [String] = try PhotoList.pictures(Array(arguments.operands.dropFirst()))
    let wanted: VNFeaturePrintObservation = try print(of: arguments.operands[0])
    var matches: [Match] = []
    for file in files {
      do {
        var distance: Float = 0
        try wanted.computeDistance(&distance, to: print(of: file))
        matches.append(Match(photo: file, distance: distance))
      } catch  where files.count > 1 {
        Output.errorLine("atelier similar: '\(file)' is left out: \(sentence(of: error))")
      }
    }
    matches.sort { ($0.distance, $0.photo) < ($1.distance, $1.photo) }
    let nearest = Array(matches.prefix(count))
    guard !arguments.has("json") else { return try Output.json(nearest) }
    for match in nearest {
      Output.line("\(Double(match.distance).text(decimals: 3))  \(match.photo)")
    }
  }

  private static func print(of file: String) throws -> VNFeaturePrintObservation {
    guard FileManager.default.fileExists(atPath: file) else {
      throw CommandError("Photo '\(file)': there is no such file. Check the path.")
    }
    let request = VNGenerateImageFeaturePrintRequest()
    try VNImageRequestHandler(url: URL(fileURLWithPath: file)).perform([request])
    guard let print = request.results?.first else {
      throw CommandError("Photo '\(file)' has no feature print.")
    }
    return print
  }
}
