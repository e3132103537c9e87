import Arguments
import Conversion
import Foundation
import ModelFormat
import ModelTools
import StyleTransfer

/// `atelier styles`: lists the styles of the gallery or of a model, and writes models of mixtures.
enum StylesCommand: Command {
  static let syntax = CommandSyntax(
    "styles", summary: "Lists styles, and writes models of one style or a mixture.",
    options: [
      .init(
        "model", letter: "m", value: "MODEL",
        help: "A model of several styles, which `atelier train` writes for\n"
          + "several paintings (default: the gallery)."),
      .init("lite", help: "Takes the gallery's small network."),
      .init("json", help: "Prints the list as JSON."),
      .init(
        "style", letter: "s", value: "MIXTURE",
        help: "Writes a model of one style: NAME, or NAME:WEIGHT,NAME:WEIGHT."),
      .init(
        "strength", value: "S",
        help: "The strength of that style, from 0 (the photo) to 1.5\n(default: 1)."),
      .init(
        "add", value: "STYLE",
        help: "Writes MODEL with another style, which `atelier train --base`\nwrote."),
      .init("name", value: "NAME", help: "The name of that style (default: the file's)."),
      .init(
        "output", letter: "o", value: "FILE",
        help: "The model to write: .mlmodel or .mlpackage for --style,\n.mlmodel for --add."),
    ],
    notes: """
      The gallery is the repository's folder Gallery, or the folder that ATELIER_GALLERY names.
      `atelier stylize PHOTO --style NAME` paints with one of its styles.

      Examples: atelier styles
                atelier styles --style scream -o Scream.mlmodel
                atelier styles --model many.mlmodel --style wave:0.6,scream:0.4 -o both.mlmodel
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let network: MultiStyleNetwork
    if let path = arguments.value("model") {
      guard !arguments.has("lite") else {
        throw UsageError("--lite chooses among the gallery's networks; leave it or --model out.")
      }
      let source: URL = try ModelLocation.resolve(path)
      network = try MultiStyleNetwork(
        reading: ModelFile.open(source).model, name: source.lastPathComponent)
    } else if arguments.has("style") {
      network = try MixedStyle.galleryNetwork(lite: arguments.has("lite"))
    } else {
      for name in ["strength", "add", "name", "output", "lite"] where arguments.has(name) {
        throw UsageError(
          name == "add" || name == "name"
            ? "--\(name) needs a --model of several styles, which is missing."
            : "--\(name) needs --style, which is missing.")
      }
      return try listGallery(asJSON: arguments.has("json"))
    }
    let target: URL? = arguments.value("output").map { URL(fileURLWithPath: $0) }
    switch (arguments.value("style"), arguments.value("add"), target) {
    case (nil, nil, nil):
      if arguments.has("json") {
        try Output.json(network.names)
      } else {
        for name in network.names { Output.line(name) }
      }
    case (let mixture?, nil, let target?):
      try export(mixture, of: network, arguments, to: target)
    case (nil, let added?, let target?):
      try add(added, to: network, arguments, target)
    case (_?, _?, _): throw UsageError("--style and --add exclude each other.")
    case (nil, nil, _?): throw UsageError("--output needs --style or --add.")
    default: throw UsageError("--output is missing, the model to write.")
    }
  }

  private static func export(
    _ mixture: String, of network: MultiStyleNetwork, _ arguments: ParsedArguments, to target: URL
  ) throws {
    let strength: Double = try Self.strength(arguments)
    let style: StyleNetwork = try network.mixture(
      of: MultiStyleNetwork.shares(mixture), strength: strength)
    let model = try style.model(
      description: .style(mixture, strength: strength))
    guard target.pathExtension != "mlmodel" else {
      try model.write(to: target)
      Output.line(target.path)
      return
    }
    let draft = FileManager.default.temporaryDirectory.appendingPathComponent(
      "\(UUID().uuidString).mlmodel")
    defer { try? FileManager.default.removeItem(at: draft) }
    try model.write(to: draft)
    try Interruption.protected { _ = try ModelConversion().convert(draft, to: target) }
    Output.line(target.path)
  }

  private static func add(
    _ added: String, to network: MultiStyleNetwork, _ arguments: ParsedArguments, _ target: URL
  ) throws {
    guard target.pathExtension == "mlmodel" else {
      throw UsageError("--output is '\(target.lastPathComponent)', expected a .mlmodel file.")
    }
    let file: URL = try ModelLocation.resolve(added)
    let style = try StyleNetwork(
      network.network.algorithm, reading: ModelFile.open(file).model, name: added)
    let name: String =
      arguments.value("name") ?? file.deletingPathExtension().lastPathComponent
    try network.adding(style, name: name).model().write(to: target)
    Output.line("\(target.path) (\(network.names.count + 1) styles)")
  }

  /// Returns the value of `--strength`, from 0 to 1.5.
  static func strength(_ arguments: ParsedArguments) throws -> Double {
    guard let text = arguments.value("strength") else { return 1 }
    guard let strength = Double(text), (0...1.5).contains(strength) else {
      throw UsageError("--strength is '\(text)', expected a number from 0 to 1.5.")
    }
    return strength
  }

  private static func listGallery(asJSON: Bool) throws {
    let gallery = try StyleGallery.installed()
    if asJSON {
      try Output.json(gallery.entries.map(\.description))
      return
    }
    guard !gallery.entries.isEmpty else {
      throw CommandError("The gallery '\(gallery.folder.path)' contains no styles.")
    }
    Output.write(
      columns(
        gallery.entries.map { entry in
          let description: StyleDescription = entry.description
          let lite: String = entry.hasLite ? "; also --lite" : ""
          return (
            description.name,
            "\(description.title), \(description.painter), \(description.year)\(lite)"
          )
        }))
  }
}
