import Foundation
import ModelTools

/// Apple's public names by module, and which of them exist and work. Read from the table that `Scripts/apple_names.py`
/// writes.
struct AppleNames: Sendable {
  /// Whether a name exists.
  private enum State: String {
    case works
    case hasNoEffect = "no effect"
    case absent
  }

  private let rows: [(module: String, name: String, state: State)]

  /// Reads the table in a folder.
  ///
  /// - Throws: `ModelToolsError` that contains the malformed line.
  init(in folder: URL) throws {
    let file: URL = folder.appendingPathComponent("apple_names.tsv")
    let text = try String(contentsOf: file, encoding: .utf8)
    rows = try text.split(separator: "\n").enumerated().map { number, line in
      let cells: [Substring] = line.split(separator: "\t")
      guard cells.count == 3, let state = State(rawValue: String(cells[2])) else {
        throw ModelToolsError(
          .file,
          "\(file.path), line \(number + 1): expected a module, a name and its state with tabs between."
        )
      }
      return (String(cells[0]), String(cells[1]), state)
    }
  }

  /// The counts and the absent names as Markdown.
  var markdown: String {
    var text = """

      # Apple's names

      Of Apple's public names, this many exist here. Of CoreML and CreateML all names are counted, of Vision its types and
      functions and the members of the types around models. Overloads with the same labels count once. Names without
      effect exist so that code compiles; their comments say that they do nothing.
      `Scripts/apple_names.py` counts them in the compiled modules.

      | module | names | work | without effect | absent | working |
      |---|--:|--:|--:|--:|--:|

      """
    let modules: [String] = ["CoreML", "Vision", "CreateML"]
    for module in modules {
      let own = rows.filter { $0.module == module }
      func count(_ state: State) -> Int { own.filter { $0.state == state }.count }
      let share: Int = own.isEmpty ? 0 : 100 * count(.works) / own.count
      text +=
        "| \(module) | \(own.count) | \(count(.works)) | \(count(.hasNoEffect)) | \(count(.absent)) | \(share) % |\n"
    }
    for module in modules {
      text += "\nAbsent from \(module): \(absent(module)).\n"
    }
    return text
  }

  /// The absent names of a module: types, and members by the type that exists.
  private func absent(_ module: String) -> String {
    let missing: [String] = rows.filter { $0.module == module && $0.state == .absent }.map(\.name)
    let types = Set(missing)
    // A member of a missing type is not listed.
    let listed: [String] = missing.filter { name in
      let parts: [Substring] = name.prefix { $0 != "(" }.split(separator: ".")
      return !(1..<max(1, parts.count)).contains { count in
        types.contains(parts.prefix(count).joined(separator: "."))
      }
    }
    return listed.isEmpty ? "nothing" : listed.map { "`\($0)`" }.joined(separator: ", ")
  }
}
