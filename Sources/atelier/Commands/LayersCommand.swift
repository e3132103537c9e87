import Arguments
import Engine
import Operators
import ModelTools

/// `atelier layers`: lists the layers and operations that models may use.
enum LayersCommand: Command {
  static let syntax = CommandSyntax(
    "layers",
    summary: "Lists the supported layers of networks and operations of ML Programs.",
    options: [
      .init("json", help: "Prints JSON.")
    ])

  static func run(_ arguments: ParsedArguments) throws {
    let listing = LayerListing(.standard)
    if arguments.has("json") {
      try Output.json(listing)
    } else {
      for family in listing.families {
        Output.line(family.name)
        Output.write(columns(family.layers.map { ($0.specification, $0.summary) }))
      }
      for family in listing.programs {
        Output.line("\(family.name) (ML Programs)")
        Output.write(
          columns(
            family.operations.map { operation in
              ("\(operation.name)", "since iOS \(operation.since)")
            }))
      }
      Output.line(
        "\(listing.count) layers, \(listing.operationCount) operations of ML Programs")
    }
  }
}
