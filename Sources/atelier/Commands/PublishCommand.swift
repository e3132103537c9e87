import Arguments
import Encryption
import Files
import Foundation
import Imaging
import ModelTools
import StyleTransfer

/// `atelier publish`: adds a trained network to the gallery.
enum PublishCommand: Command {
  static let syntax = CommandSyntax(
    "publish", summary: "Adds a trained network and its description to the gallery.",
    operands: [.init("NAME", help: "The style's name in the table of paintings.")],
    options: [
      .init("model", value: "MODEL", isRequired: true, help: "The trained .mlmodel."),
      .init("lite", help: "The model is the style's small network."),
      .init(
        "painting", value: "FILE", isRequired: true,
        help: "The painting that it was trained on."),
      .init(
        "run", value: "FOLDER", help: "The folder of the training, NAME.training."),
      .init(
        "gallery", value: "FOLDER",
        help: "The folder with paintings.tsv (default: Gallery)."),
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
    let entry = try StyleDescription.Model(
      file: isLite ? StyleDescription.liteFile : StyleDescription.modelFile,
      algorithm: isLite ? "cnnLite" : "cnn", bytes: bytes.count,
      sha256: SHA256.hexDigest(of: bytes),
      settings: training?.settings ?? [:], losses: training?.losses ?? [:])
    let file: URL = folder.appendingPathComponent(StyleDescription.descriptionFile)
    let old: [StyleDescription.Model] = (try? StyleDescription(contentsOf: file))?.models ?? []
    let models: [StyleDescription.Model] = (old.filter { $0.file != entry.file } + [entry])
      .sorted { first, _ in first.file == StyleDescription.modelFile }
    let description = try StyleDescription(
      name: name, title: record.title, painter: record.painter, year: record.year,
      source: StyleDescription.Source(
        collection: record.collection, file: painting.lastPathComponent,
        sha256: SHA256.hexDigest(of: read(painting))),
      models: models, licence: licence)
    try Interruption.protected {
      try thumbnail(painting).write(
        toFile: folder.appendingPathComponent(StyleDescription.paintingFile).path, quality: 88)
      try WholeFile.write(bytes, to: folder.appendingPathComponent(entry.file).path)
      try WholeFile.write(description.encoded(), to: file.path)
    }
    Output.line("\(folder.path): \(entry.file) (\(bytes.count.byteText)), style.json, painting.jpg")
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

  /// Reads the record of a training. If there is a checkpoint, the record contains the settings from the checkpoint.
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

  /// The longer side of a painting in the gallery, in pixels. Painting by optimisation needs no larger picture of the
  /// style.
  private static let paintingSide = 640

  private static func thumbnail(_ file: URL) throws -> Picture {
    let painting = try Picture(contentsOf: file)
    let side: Int = min(paintingSide, painting.size.longerSide)
    return try painting.withoutAlpha.scaled(to: painting.size.scaled(toLongerSide: side))
  }
}
