import Arguments
import Engine
import Foundation
import Operators
import ModelTools

/// `atelier layers`: what models may use.
enum LayersCommand: Command {
  static let syntax = CommandSyntax(
    "layers", summary: "Lists the layers that are supported.",
    options: [
      .init("json", help: "As JSON."),
      .init("markdown", help: "As the page Documentation/Support.md."),
      .init(
        "tests", value: "FILE",
        help: "For the page: which of coremltools' tests predict with each layer."),
    ])

  static func run(_ arguments: ParsedArguments) throws {
    let listing = LayerListing(.standard)
    if arguments.has("json") {
      try Output.json(listing)
    } else if arguments.has("markdown") {
      let tests: ExercisedLayers? = try arguments.value("tests").map {
        try ExercisedLayers(contentsOf: URL(fileURLWithPath: $0))
      }
      Output.write(listing.markdown(tests))
    } else {
      for family in listing.families {
        Output.line(family.name)
        Output.write(columns(family.layers.map { ($0.specification, $0.summary) }))
      }
      Output.line("\(listing.count) layers")
    }
  }
}
