import Arguments
import Compression
import CoreML
import Foundation
import Imaging
import ModelFormat
import StyleTransfer

/// `atelier compress`: stores the weights of a model in fewer bits.
enum CompressCommand: Command {
  static let syntax = CommandSyntax(
    "compress", summary: "Makes a model smaller: stores its weights in 16 to 1 bits.",
    operands: [.init("MODEL", .one, help: "A .mlmodel or .mlpackage, or a fetched model.")],
    options: [
      .init(
        "output", letter: "o", value: "FILE", isRequired: true,
        help: "The compressed model. With several widths or modes, each file\n"
          + "name gets them as a suffix."),
      .init(
        "bits", value: "N,…",
        help: "16 (float16) or 8 to 1, or several, as in 16,8,4 (default: 8)."),
      .init(
        "mode", value: "MODE,…",
        help: "linear (a scale per channel), linear-symmetric, kmeans (a lookup\n"
          + "table of cluster centres), several of these, or lut=FILE (your own\n"
          + "lookup table, JSON or .npy) (default: linear)."
      ),
      .init(
        "group-size", value: "N",
        help: "How many input channels share a scale, or how many output\n"
          + "channels share a lookup table. Only for ML Programs."),
      .init(
        "sparsity", value: "SHARE",
        help: "The share of weights that becomes 0, smallest first. Only for\nML Programs."),
      .init(
        "layers", value: "NAME,…", help: "The layers to compress (default: all)."),
      .init(
        "sample", value: "FOLDER", repeats: true,
        help: "Pictures, or folders of them: measures how much outputs change."),
      .init(
        "until", value: "DECIBELS",
        help: "Finds the smallest width for each layer at which the samples'\n"
          + "outputs have this PSNR; chooses among 8, 6, 4, 3 and 2 bits."),
      .init(
        "sheet", value: "FILE",
        help: "Writes a contact sheet of the first sample, one picture per width."),
      .init("json", help: "Prints JSON."),
    ] + ModelOptions.declarations,
    notes: """
      Biases, and the scales and offsets of norms, become float16. Updatable weights, and those of custom
      layers, do not change. Compressed weights stay compressed in memory while the model runs.
      The result of an encrypted model is encrypted with the same --key: name the output *.mlmodelc.
      """)

  private struct Row: Encodable {
    /// A width, and the number of layers for which the search of `--until` chose it.
    struct Width: Encodable {
      let bits: Int
      let layers: Int
    }

    /// The width of the weights in bits. Nil for the original, and nil if ``widths`` states the widths.
    var bits: Int?
    /// `linear`, `linear-symmetric`, `kmeans` or `lut`. Nil for the original and for float16.
    var mode: String?
    /// The widths that the search of `--until` chose, with the number of layers for each width. Nil without a search.
    var widths: [Width]?
    let file: String
    let bytes: Int
    var nearness: CompressionTrial.Result?

    /// Describes the compression in words.
    func words(showsMode: Bool) -> String {
      let widths: [String]? = widths?.map { "\($0.layers) × \($0.bits)" }
      guard let width = widths?.joined(separator: ", ") ?? bits.map(String.init) else {
        return "original"
      }
      return [width + " bits", showsMode ? mode : nil].compactMap { $0 }.joined(separator: ", ")
    }
  }

  /// The settings to try: a width and a mode.
  private struct Choice {
    var settings: CompressionSettings
    let mode: String?
  }

  static func run(_ arguments: ParsedArguments) throws {
    let location: URL = try ModelLocation.resolve(arguments.operands[0])
    let output = URL(fileURLWithPath: arguments.value("output") ?? "")
    let options = try ModelOptions(arguments)
    let configuration = options.configuration
    let file = try ModelFile.open(location, configuration)
    let destination = try CompressedFile(output, of: location, file, key: options.decryptionKey)
    // Computes in float32 on the CPU, because the rounding of bfloat16 would hide the error of the compressed weights.
    if arguments.value("compute-units") == nil { configuration.computeUnits = .cpuOnly }
    let trial: CompressionTrial? = try trial(of: location, arguments, configuration)
    let (choices, showsMode) = try all(arguments)
    var rows: [Row] = [Row(file: location.lastPathComponent, bytes: location.fileBytes)]
    var pictures: [(picture: Picture, label: String)] =
      trial?.picture.map { [($0, "original, \(rows[0].bytes.sizeText)")] } ?? []
    for choice in choices {
      let chosen = try searched(choice.settings, destination, trial, arguments)
      let suffix: String = ["\(choice.settings.bits)", showsMode ? choice.mode : nil]
        .compactMap { $0 }.joined(separator: "-")
      let url: URL = choices.count == 1 ? output : output.named(suffix)
      try destination.write(chosen, to: url)
      let measured = try trial?.run(url)
      var row = Row(file: url.path, bytes: url.fileBytes, nearness: measured?.result)
      let counts: [Int: Int] = chosen.widths.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      row.bits = counts.isEmpty ? chosen.bits : nil
      row.widths =
        counts.isEmpty
        ? nil : counts.sorted { $0.key > $1.key }.map { Row.Width(bits: $0.key, layers: $0.value) }
      row.mode = choice.mode
      rows.append(row)
      if let picture = measured?.picture {
        let decibels: String =
          row.nearness?.decibels.map { ", \($0.text(decimals: 1)) dB" } ?? ""
        let words: String = row.words(showsMode: showsMode)
        pictures.append((picture, "\(words), \(row.bytes.sizeText)\(decibels)"))
      }
    }
    try writeSheet(pictures, arguments)
    arguments.has("json") ? try Output.json(rows) : print(rows, showsMode: showsMode)
  }

  // MARK: - Options

  private static func widths(_ arguments: ParsedArguments) throws -> [Int] {
    let text: String = arguments.value("bits") ?? "8"
    let widths: [Int] = text.split(separator: ",").compactMap { Int($0) }
    guard widths.count == text.split(separator: ",").count, !widths.isEmpty,
      widths.allSatisfy({ (1...8).contains($0) || $0 == 16 })
    else {
      throw UsageError("--bits is '\(text)', expected 16 or 1 to 8, or several as in 16,8,4.")
    }
    return widths
  }

  /// Returns all combinations of the given widths and modes. The width 16 occurs only once, because float16 is the same
  /// in all modes. Also returns whether the table must show modes.
  private static func all(
    _ arguments: ParsedArguments
  ) throws -> (choices: [Choice], showsMode: Bool) {
    let text: String = arguments.value("mode") ?? "linear"
    let words: [String] =
      text.hasPrefix("lut=") ? [text] : text.split(separator: ",").map(String.init)
    let modes: [CompressionSettings.Mode] = try words.map { try mode($0) }
    let pairs: [(CompressionSettings.Mode, String)] =
      modes.isEmpty ? [(try mode(text), text)] : Array(zip(modes, words))
    let choices: [Choice] = try widths(arguments).flatMap { bits -> [Choice] in
      try (bits < 16 ? pairs : Array(pairs.prefix(1))).map { mode, word in
        Choice(
          settings: try settings(arguments, bits, mode),
          mode: bits == 16 ? nil : word.hasPrefix("lut=") ? "lut" : word)
      }
    }
    return (choices, pairs.count > 1)
  }

  private static func settings(
    _ arguments: ParsedArguments, _ bits: Int, _ mode: CompressionSettings.Mode
  ) throws -> CompressionSettings {
    var settings = CompressionSettings(bits: bits, mode: mode)
    settings.groupSize = try arguments.integer("group-size", in: 1...1_000_000)
    if let text = arguments.value("sparsity") {
      guard let share = Double(text), share >= 0, share < 1 else {
        throw UsageError("--sparsity is '\(text)', expected a share from 0 to below 1.")
      }
      settings.sparsity = share
    }
    settings.layers = arguments.value("layers").map {
      Set($0.split(separator: ",").map(String.init))
    }
    return settings
  }

  private static func mode(_ text: String) throws -> CompressionSettings.Mode {
    if text.hasPrefix("lut=") {
      guard let block = try NumberBlock(String(text.dropFirst(4)), declared: []) else {
        throw UsageError(
          "--mode is '\(text)', expected lut=FILE with a .json or .npy file of numbers.")
      }
      return .table(block.values.map { Float($0) })
    }
    let modes: [String: CompressionSettings.Mode] = [
      "linear": .linear, "linear-symmetric": .linearSymmetric, "kmeans": .kMeans,
    ]
    guard let mode = modes[text] else {
      throw UsageError(
        "--mode is '\(text)', expected linear, linear-symmetric, kmeans or lut=FILE.")
    }
    return mode
  }

  private static func trial(
    of model: URL, _ arguments: ParsedArguments, _ configuration: MLModelConfiguration
  ) throws -> CompressionTrial? {
    let words: [String] = arguments.values("sample")
    guard !words.isEmpty else {
      for option in ["until", "sheet"] where arguments.value(option) != nil {
        throw UsageError("--\(option) needs sample pictures; add --sample FOLDER.")
      }
      return nil
    }
    return try CompressionTrial(
      model, pictures: PhotoSearch(words, isRecursive: false).photos.map(\.path),
      configuration: configuration)
  }

  // MARK: - The search

  private static func searched(
    _ settings: CompressionSettings, _ destination: CompressedFile, _ trial: CompressionTrial?,
    _ arguments: ParsedArguments
  ) throws -> CompressionSettings {
    guard let text = arguments.value("until"), let trial else { return settings }
    guard let target = Double(text), target > 0, target < 200 else {
      throw UsageError("--until is '\(text)', expected decibels, such as 40.")
    }
    let isProgram: Bool = if case .mlProgram? = destination.file.model.type { true } else { false }
    let linear: Bool = settings.mode == .linear || settings.mode == .linearSymmetric
    var display = StepDisplay()
    defer { display.end() }
    return try destination.withFolder { folder in
      try WidthSearch(
        target: target, widths: isProgram && linear ? [8, 4] : [8, 6, 4, 3, 2], settings
      ).settings(
        for: destination.file, in: folder,
        measure: { try trial.run($0).result.decibels ?? .infinity },
        progress: { share, layer in display.show(share: share, layer) })
    }
  }

  // MARK: - Output

  private static func writeSheet(
    _ pictures: [(picture: Picture, label: String)], _ arguments: ParsedArguments
  ) throws {
    guard let path = arguments.value("sheet") else { return }
    guard pictures.count > 1 else {
      throw CommandError(
        "The model has no picture as output, so there is nothing for a contact sheet. Leave out"
          + " --sheet.")
    }
    let format = try PictureFormat(path: path)
    let data: Data = try ContactSheet(pictures).picture().encoded(
      as: format, origin: PictureOrigin(painter: "compress"))
    try Interruption.protected { try Picture.writeAtomically(data, toFile: path) }
  }

  /// Prints a table with a row per result. A row has the compression, the size, how similar the outputs are, and the
  /// file.
  private static func print(_ rows: [Row], showsMode: Bool) {
    let table: [[String]] = rows.map { row in
      var nearness: [String] = ["", ""]
      if let near = row.nearness {
        let decibels = "\(near.decibels?.text(decimals: 1) ?? "∞") dB"
        if let structure = near.structure {
          nearness = ["PSNR \(decibels)", "SSIM \(structure.text(decimals: 4))"]
        } else if near.agreement == nil || near.decibels != nil {
          nearness[0] = decibels
        }
        if let agreement = near.agreement {
          nearness[1] = "top-1 agreement \((agreement * 100).text(decimals: 1)) %"
        }
      }
      return [row.words(showsMode: showsMode), row.bytes.sizeText] + nearness + [row.file]
    }
    let widths: [Int] = (0..<5).map { column in table.map { $0[column].count }.max() ?? 0 }
    for row in table {
      let cells: [String] = zip(row, widths).filter { $1 > 0 }.map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      Output.line(cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces))
    }
  }
}

extension URL {
  /// Returns this location with a suffix before the extension: `model-8.mlmodel`.
  fileprivate func named(_ suffix: String) -> URL {
    let stem: String = deletingPathExtension().lastPathComponent
    return deletingLastPathComponent().appendingPathComponent(
      "\(stem)-\(suffix).\(pathExtension)")
  }

  /// The size of a file, or of all files in a folder, in bytes.
  fileprivate var fileBytes: Int {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    guard manager.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
      return ((try? manager.attributesOfItem(atPath: path)[.size]) as? Int) ?? 0
    }
    return (manager.subpaths(atPath: path) ?? []).reduce(0) { total, name in
      let inner: URL = appendingPathComponent(name)
      let attributes = try? manager.attributesOfItem(atPath: inner.path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular else { return total }
      return total + ((attributes?[.size] as? Int) ?? 0)
    }
  }
}

extension Int {
  /// A number of bytes in megabytes: `1.12 MB`.
  fileprivate var sizeText: String { "\((Double(self) / 1e6).text(decimals: 2)) MB" }
}
