import Arguments
import Files
import Foundation
import Imaging
import StyleTransfer

/// `atelier sheet`: writes a contact sheet.
enum SheetCommand: Command {
  static let syntax = CommandSyntax(
    "sheet", summary: "Puts pictures side by side on a contact sheet, with their names.",
    operands: [
      .init("PICTURE", .atLeastOne, help: "Picture files; FILE=LABEL gives one another name.")
    ],
    options: [
      .init(
        "output", letter: "o", value: "FILE", isRequired: true,
        help: "The sheet (.jpg, .png, .webp, .tiff, .heic, .avif), or -."),
      PictureOptions.format,
      .init("json", help: "Prints JSON."),
      .init("columns", value: "N", help: "The number of columns."),
      .init(
        "side", value: "N", help: "The longer side of each picture in pixels (default: 480)."),
      .init("no-labels", help: "Leaves out the names."),
      .init(
        "blind",
        help: "Shuffles the pictures and numbers them from 1, for comparing by\n"
          + "eye. OUTPUT-key.tsv, beside the sheet, says which is which."),
      .init(
        "seed", value: "N", help: "Which order --blind draws (default: 1)."),
    ],
    notes: """
      Example: atelier sheet one.png other.png --blind --seed 7 -o sheet.png
      """, pipedFormat: "png")

  /// The sheet for JSON.
  private struct Report: Encodable {
    let sheet: String
    let width: Int
    let height: Int
    let key: String?
  }

  static func run(_ arguments: ParsedArguments) throws {
    let output: String = arguments.value("output") ?? ""
    let format = try PictureFormat(path: output)
    let columns: Int? = try arguments.integer("columns", in: 1...100)
    let side: Int = try arguments.integer("side", in: 16...8192) ?? 480
    let seed: Int? = try arguments.integer("seed", in: 0...Int.max)
    let isBlind: Bool = arguments.has("blind")
    guard isBlind || seed == nil else {
      throw UsageError("--seed belongs to --blind, which is missing.")
    }
    guard !isBlind || !arguments.has("no-labels") else {
      throw UsageError("--blind needs its numbers; leave out --no-labels.")
    }
    var files: [(path: String, label: String)] = arguments.operands.map { split($0) }
    if isBlind { files = BlindOrder.shuffled(files, seed: UInt64(seed ?? 1)) }
    let entries: [(picture: Picture, label: String)] = try files.enumerated().map { index, file in
      let label: String = arguments.has("no-labels") ? "" : file.label
      return (try Picture(contentsOfFile: file.path), isBlind ? "\(index + 1)" : label)
    }
    let sheet = ContactSheet(entries, columns: columns, side: side)
    let picture: Picture = try sheet.picture()
    let data: Data = try picture.encoded(as: format, origin: PictureOrigin(painter: "sheet"))
    try Interruption.protected {
      if isBlind { try write(keyOf: files.map(\.path), to: keyPath(output)) }
      try Picture.writeAtomically(data, toFile: output)
    }
    guard !arguments.has("json") else {
      return try Output.json(
        Report(
          sheet: output, width: picture.width, height: picture.height,
          key: isBlind ? keyPath(output) : nil))
    }
    Output.report("\(output) (\(picture.width) × \(picture.height))")
    if isBlind { Output.report("\(keyPath(output)) says which picture is which.") }
  }

  /// The path of the key, a file that lists which picture has which number on the sheet: `sheet-key.tsv` for
  /// `sheet.png`.
  private static func keyPath(_ output: String) -> String {
    (output as NSString).deletingPathExtension + "-key.tsv"
  }

  /// Writes the key: a line for each picture with its number and its file, and a tab between them.
  private static func write(keyOf paths: [String], to file: String) throws {
    let lines: [String] = paths.enumerated().map { index, path in "\(index + 1)\t\(path)\n" }
    try WholeFile.write(Data(("number\tfile\n" + lines.joined()).utf8), to: file)
  }

  /// Splits a word into a file's path and its label. The label is the text after the last `=`. Without a `=`, it is the
  /// file's name.
  private static func split(_ word: String) -> (path: String, label: String) {
    if !FileManager.default.fileExists(atPath: word), let sign = word.lastIndex(of: "=") {
      return (String(word[..<sign]), String(word[word.index(after: sign)...]))
    }
    return (word, URL(fileURLWithPath: word).deletingPathExtension().lastPathComponent)
  }
}
