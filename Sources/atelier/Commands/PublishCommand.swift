import Arguments
import Encryption
import Files
import Foundation
import Imaging
import ModelFormat
import ModelTools
import StyleTransfer

/// `atelier publish`: adds a trained network to the gallery.
enum PublishCommand: Command {
  static let syntax = CommandSyntax(
    "publish", summary: "Adds a trained network and the descriptions of its styles to the gallery.",
    operands: [
      .init(
        "NAME", .atLeastOne,
        help: "A style's name in the table of paintings. Of a model of several styles, the\n"
          + "named ones are published, and they replace those published before.")
    ],
    options: [
      .init("model", value: "MODEL", isRequired: true, help: "The trained .mlmodel."),
      .init("lite", help: "The model is a small network."),
      .init("painting", value: "FILE", help: "The painting of a model of one style."),
      .init(
        "paintings", value: "FOLDER",
        help: "The folder with the paintings of a model of several styles. The table\n"
          + "of paintings names their files."),
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
    let names: [String] = arguments.operands
    let records: [PaintingRecord] = try names.map { try record($0, in: gallery) }
    let location = URL(fileURLWithPath: arguments.value("model") ?? "")
    let training: TrainingRecord? = try arguments.value("run").map { try Self.training($0) }
    let algorithm: StyleAlgorithm = arguments.has("lite") ? .cnnLite : .cnn
    let model: Spec.Model = try ModelFile.open(location).model
    if MultiStyleNetwork.isMultiStyle(model) {
      guard let paintings = arguments.value("paintings"), !arguments.has("painting") else {
        throw UsageError("--paintings is missing, the folder with the paintings of the styles.")
      }
      let network = try MultiStyleNetwork(reading: model, name: location.lastPathComponent)
      try publish(network.keeping(names), records, algorithm, training, in: gallery, paintings)
    } else {
      guard let painting = arguments.value("painting"), names.count == 1 else {
        throw UsageError(
          "'\(location.lastPathComponent)' has one style; name that style and its --painting.")
      }
      let file: String =
        algorithm == .cnnLite ? StyleDescription.liteFile : StyleDescription.modelFile
      let bytes: Data = try read(location)
      let entry = try description(of: bytes, file: file, algorithm, training)
      try publish(records[0], URL(fileURLWithPath: painting), in: gallery) { old in
        (old.filter { $0.file != entry.file } + [entry])
          .sorted { first, _ in first.file == StyleDescription.modelFile }
      }
      let folder: URL = gallery.appendingPathComponent(names[0], isDirectory: true)
      try Interruption.protected {
        try WholeFile.write(bytes, to: folder.appendingPathComponent(file).path)
      }
      Output.line(
        "\(folder.path): \(file) (\(bytes.count.byteText)), style.json, painting.jpg")
    }
  }

  /// Publishes a network of several styles. Networks of single styles that it replaces are removed.
  private static func publish(
    _ network: MultiStyleNetwork, _ records: [PaintingRecord], _ algorithm: StyleAlgorithm,
    _ training: TrainingRecord?, in gallery: URL, _ paintings: String
  ) throws {
    let folder = URL(fileURLWithPath: paintings)
    for record in records {
      // A painting that is missing or no picture must be noticed before anything is written.
      _ = try Picture.probe(folder.appendingPathComponent(record.file).path)
    }
    let file: String = GalleryNetwork.file(algorithm)
    let replaced: String =
      algorithm == .cnnLite ? StyleDescription.liteFile : StyleDescription.modelFile
    let bytes = Data(
      try network.model(
        description: .init(
          summary: "Paints pictures in \(records.count) styles.", author: "Atelier", license: "MIT")
      ).serialized())
    let entry = GalleryNetwork.Record(
      network: try description(of: bytes, file: file, algorithm, training),
      styles: network.paintedNames)
    let list: [GalleryNetwork.Record] =
      try (GalleryNetwork.records(in: gallery).filter { $0.network.file != file } + [entry])
      .sorted { first, _ in first.network.algorithm == StyleAlgorithm.cnn.rawValue }
    try Interruption.protected {
      try WholeFile.write(bytes, to: gallery.appendingPathComponent(file).path)
      try WholeFile.write(
        GalleryNetwork.encoded(list),
        to: gallery.appendingPathComponent(GalleryNetwork.listFile).path)
    }
    for record in records {
      let painting: URL = folder.appendingPathComponent(record.file)
      try publish(record, painting, in: gallery) { old in old.filter { $0.file != replaced } }
      let alone: URL = gallery.appendingPathComponent("\(record.name)/\(replaced)")
      try? FileManager.default.removeItem(at: alone)
    }
    Output.line(
      "\(gallery.appendingPathComponent(file).path): \(records.count) styles"
        + " (\(bytes.count.byteText))")
  }

  /// Writes the description of a style and the small picture of its painting.
  ///
  /// - Parameter models: Returns the networks in the style's folder, given those that its description names.
  private static func publish(
    _ record: PaintingRecord, _ painting: URL, in gallery: URL,
    models: ([StyleDescription.Model]) -> [StyleDescription.Model]
  ) throws {
    let folder: URL = gallery.appendingPathComponent(record.name, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file: URL = folder.appendingPathComponent(StyleDescription.descriptionFile)
    let old: [StyleDescription.Model] = (try? StyleDescription(contentsOf: file))?.models ?? []
    let description = try StyleDescription(
      name: record.name, title: record.title, painter: record.painter, year: record.year,
      source: StyleDescription.Source(
        collection: record.collection, file: painting.lastPathComponent,
        sha256: SHA256.hexDigest(of: read(painting))),
      models: models(old), licence: licence)
    try Interruption.protected {
      try thumbnail(painting).write(
        toFile: folder.appendingPathComponent(StyleDescription.paintingFile).path, quality: 88)
      try WholeFile.write(description.encoded(), to: file.path)
    }
  }

  private static func description(
    of bytes: Data, file: String, _ algorithm: StyleAlgorithm, _ training: TrainingRecord?
  ) throws -> StyleDescription.Model {
    try StyleDescription.Model(
      file: file, algorithm: algorithm.rawValue, bytes: bytes.count,
      sha256: SHA256.hexDigest(of: bytes),
      settings: training?.settings ?? [:], losses: training?.losses ?? [:])
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
