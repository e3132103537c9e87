import Arguments
import Foundation
import Imaging
import StyleTransfer

/// `atelier sheet`: pictures side by side.
enum SheetCommand: Command {
  static let syntax = CommandSyntax(
    "sheet", summary: "Puts pictures side by side on a contact sheet, with their names.",
    operands: [
      .init("PICTURE", .atLeastOne, help: "Picture files; FILE=LABEL gives one another name.")
    ],
    options: [
      .init(
        "output", letter: "o", value: "FILE", isRequired: true,
        help: "The sheet (.jpg, .png, .webp, .tiff)."),
      .init("columns", value: "N", help: "Pictures beside each other."),
      .init(
        "side", value: "N", help: "The longer side of each picture; 480 unless told otherwise."),
      .init("no-labels", help: "Leaves the names out."),
    ])

  static func run(_ arguments: ParsedArguments) throws {
    let output: String = arguments.value("output") ?? ""
    let format = try PictureFormat(path: output)
    let columns: Int? = try arguments.integer("columns", in: 1...100)
    let side: Int = try arguments.integer("side", in: 16...8192) ?? 480
    let entries: [(picture: Picture, label: String)] = try arguments.operands.map { word in
      let (path, label) = split(word)
      return (try Picture(contentsOfFile: path), arguments.has("no-labels") ? "" : label)
    }
    let sheet = ContactSheet(entries, columns: columns, side: side)
    let picture: Picture = try sheet.picture()
    let data: Data = try picture.encoded(as: format, origin: PictureOrigin(painter: "sheet"))
    try Interruption.protected { try Picture.writeAtomically(data, toFile: output) }
    Output.line("\(output) (\(picture.width) × \(picture.height))")
  }

  /// A file and its label: what stands behind the last `=`, else the file's name.
  private static func split(_ word: String) -> (path: String, label: String) {
    if !FileManager.default.fileExists(atPath: word), let sign = word.lastIndex(of: "=") {
      return (String(word[..<sign]), String(word[word.index(after: sign)...]))
    }
    return (word, URL(fileURLWithPath: word).deletingPathExtension().lastPathComponent)
  }
}
