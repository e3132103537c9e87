import Arguments
import CoreGraphics
import Foundation
import Imaging
import Vision

/// `atelier see`: prints what Vision's requests find in a photo.
enum SeeCommand: Command {
  static let syntax = CommandSyntax(
    "see", summary: "Finds faces, hands, bodies, persons, barcodes and text in a photo.",
    operands: [.init("PHOTO", help: "A picture file.")],
    options: [
      .init(
        "find", value: "THINGS",
        help: "What to find, separated by commas: "
          + "\(Thing.allCases.map(\.rawValue).joined(separator: ", "))\n(default: all)."),
      .init(
        "output", letter: "o", value: "FILE", help: "Writes the photo with the finds drawn on it."),
      .init(
        "mask", value: "FILE",
        help: "Writes the mask of persons: white where there is a person."),
      .init("json", help: "Prints JSON."),
      .init("times", help: "Runs each request six times and prints the shortest time."),
    ],
    notes: """
      Positions are in pixels of the photo, from its top left corner. The networks are MediaPipe's, and
      PaddleOCR's for English and Chinese text. `atelier fetch vision` downloads them once. Barcodes need
      the library zbar (Debian: libzbar0).
      """)

  /// The kinds of things that the command can find.
  enum Thing: String, CaseIterable {
    case faces
    case hands
    case bodies
    case persons
    case barcodes
    case text
  }

  static func run(_ arguments: ParsedArguments) throws {
    let things: Set<Thing> = try things(arguments)
    for name in ["output", "mask"] {
      if let path = arguments.value(name) { _ = try PictureFormat(path: path) }
    }
    if arguments.has("mask"), !things.contains(.persons) {
      throw UsageError("--mask needs persons; add persons to --find, or leave --find out.")
    }
    let picture = try Picture(contentsOfFile: arguments.operands[0])
    let sight = try Sight(picture, things, measures: arguments.has("times"))
    if let path = arguments.value("output") {
      try sight.drawing(on: picture).write(toFile: path)
    }
    if let path = arguments.value("mask"), let mask = sight.mask {
      try Picture(mask).write(toFile: path)
    }
    guard !arguments.has("json") else { return try Output.json(sight) }
    for line in sight.lines { Output.line(line) }
  }

  private static func things(_ arguments: ParsedArguments) throws -> Set<Thing> {
    guard let words = arguments.value("find") else { return Set(Thing.allCases) }
    return try Set(
      words.split(separator: ",").map { word in
        guard let thing = Thing(rawValue: String(word)) else {
          let known: String = Thing.allCases.map(\.rawValue).joined(separator: ", ")
          throw UsageError("--find has '\(word)', expected some of \(known).")
        }
        return thing
      })
  }
}
