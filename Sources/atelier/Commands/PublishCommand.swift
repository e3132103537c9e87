import Arguments
import Files
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier card`: hangs a trained network into the gallery.
enum CardCommand: Command {
  static let syntax = CommandSyntax(
    "card", summary: "Puts a trained network into the gallery, with a card.",
    operands: [.init("NAME", help: "The style's name in the table of paintings.")],
    options: [
      .init("model", value: "MODEL", isRequired: true, help: "The trained .mlmodel."),
      .init("lite", help: "It is the style's small network."),
      .init("painting", value: "FILE", isRequired: true, help: "The painting it was trained from."),
      .init(
        "run", value: "FOLDER", help: "The training's folder, NAME.training."),
      .init(
        "gallery", value: "FOLDER",
        help: "The gallery, with paintings.tsv; Gallery unless told otherwise."),
    ])

  private static let licence =
    "The networks: MIT, as Atelier. The painting: public domain."

  static func run(_ arguments: ParsedArguments) throws {
    let gallery = URL(fileURLWithPath: arguments.value("gallery") ?? "Gallery")
    let name: String = arguments.operands[0]
    let record: PaintingRecord = try record(name, in: gallery)
    let painting = URL(fileURLWithPath: arguments.value("painting") ?? "")
    let model = URL(fileURLWithPath: arguments.value("model") ?? "")
    let training: TrainingRecord? = try arguments.value("run").map { try Self.training($0) }
    let folder: URL = gallery.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

    let bytes: Data = try read(model)
    let isLite: Bool = arguments.has("lite")
    let entry = StyleCard.Model(
      file: isLite ? StyleCard.liteFile : StyleCard.modelFile,
      algorithm: isLite ? "cnnLite" : "cnn", bytes: bytes.count, sha256: digest(bytes),
      settings: training?.settings ?? [:], losses: training?.losses ?? [:])
    let file: URL = folder.appendingPathComponent(StyleCard.cardFile)
    let old: [StyleCard.Model] = (try? StyleCard(contentsOf: file))?.models ?? []
    let models: [StyleCard.Model] = (old.filter { $0.file != entry.file } + [entry])
      .sorted { first, _ in first.file == StyleCard.modelFile }
    let card = StyleCard(
      name: name, title: record.title, painter: record.painter, year: record.year,
      source: StyleCard.Source(
        collection: record.collection, file: painting.lastPathComponent,
        sha256: digest(try read(painting))),
      models: models, licence: licence)
    try Interruption.protected {
      try thumbnail(painting).write(
        toFile: folder.appendingPathComponent("painting.jpg").path, quality: 85)
      try WholeFile.write(bytes, to: folder.appendingPathComponent(entry.file).path)
      try WholeFile.write(card.encoded(), to: file.path)
    }
    Output.line("\(folder.path): \(entry.file) (\(bytes.count.byteText)), card.json, painting.jpg")
  }

  private static func record(_ name: String, in gallery: URL) throws -> PaintingRecord {
    let table: URL = gallery.appendingPathComponent("paintings.tsv")
    let records: [PaintingRecord] = try PaintingRecord.table(
      String(decoding: try read(table), as: UTF8.self))
    guard let record = records.first(where: { $0.name == name }) else {
      throw CommandError(
        "'\(name)' is not in '\(table.path)'. Add a line with the painting's title, painter and"
          + " year.")
    }
    return record
  }

  /// What a training's folder says: the checkpoint's settings, where there is one.
  private static func training(_ path: String) throws -> TrainingRecord {
    let folder = StyleTrainingFolder(URL(fileURLWithPath: path))
    var record = try TrainingRecord(folder: folder.url)
    if let checkpoint = try StyleTraining.checkpoint(in: folder) {
      try record.setSettings(checkpoint.settings)
    }
    for column in ["iteration", "learning_rate"] { record.losses[column] = nil }
    return record
  }

  private static func read(_ file: URL) throws -> Data {
    guard let data = try? Data(contentsOf: file) else {
      throw CommandError("File '\(file.path)' cannot be read. Check the path.")
    }
    return data
  }

  private static func thumbnail(_ file: URL) throws -> Picture {
    let painting = try Picture(contentsOf: file)
    return try painting.withoutAlpha.scaled(to: painting.size.scaled(toLongerSide: 320))
  }

  private static func digest(_ data: Data) -> String {
    var digest = SHA256()
    data.withUnsafeBytes { digest.update($0) }
    return digest.hexDigest()
  }
}
