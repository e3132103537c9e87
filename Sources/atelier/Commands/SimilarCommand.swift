import Arguments
import CoreGraphics
import Foundation
import Imaging
import Vision

/// `atelier similar`: finds photos with similar content.
enum SimilarCommand: Command {
  static let syntax = CommandSyntax(
    "similar", summary: "Finds photos that show the same as a photo, most similar first.",
    operands: [
      .init("PHOTO", help: "A picture file."),
      .init("PLACE", .atLeastOne, help: "Picture files, and folders of them."),
    ],
    options: [
      .init("top", value: "N", help: "How many photos (default: 10)."),
      .init("recursive", letter: "r", help: "Also searches subfolders."),
      .init("json", help: "Prints JSON."),
    ],
    notes: """
      Prints the distance of feature prints: 0 for the same picture, at most 2. Feature prints come from
      SqueezeNet, which `atelier fetch squeezenet` downloads once.
      """)

  private struct Match: Encodable {
    let photo: String
    let distance: Float
  }

  static func run(_ arguments: ParsedArguments) throws {
    let count: Int = try arguments.integer("top", in: 1...1_000_000) ?? 10
    let search = try PhotoSearch(
      Array(arguments.operands.dropFirst()), isRecursive: arguments.has("recursive"))
    if let note = search.note { Output.note(note) }
    let files: [String] = search.photos.map(\.path)
    let wanted: VNFeaturePrintObservation = try print(of: arguments.operands[0])
    var matches: [Match] = []
    for file in files {
      do {
        var distance: Float = 0
        try wanted.computeDistance(&distance, to: print(of: file))
        matches.append(Match(photo: file, distance: distance))
      } catch  where files.count > 1 {
        Output.errorLine("atelier similar: '\(file)' is skipped: \(sentence(of: error))")
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
