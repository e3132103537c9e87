import Arguments
import Foundation
import StyleTransfer

/// `atelier styles`: what the gallery has.
enum StylesCommand: Command {
  static let syntax = CommandSyntax(
    "styles", summary: "Lists the styles of the gallery.",
    options: [.init("json", help: "Their cards as JSON.")],
    notes: """
      The gallery is the repository's folder Gallery, or the one that ATELIER_GALLERY names.
      `atelier stylize PHOTO --style NAME` paints with one of them.
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let gallery = try StyleGallery.installed()
    if arguments.has("json") {
      try Output.json(gallery.entries.map(\.card))
      return
    }
    guard !gallery.entries.isEmpty else {
      throw CommandError("The gallery '\(gallery.folder.path)' has no styles in it.")
    }
    Output.write(
      columns(
        gallery.entries.map { entry in
          let card: StyleCard = entry.card
          let lite: String = card.hasLite ? "; also --lite" : ""
          return (card.name, "\(card.title), \(card.painter), \(card.year)\(lite)")
        }))
  }
}
