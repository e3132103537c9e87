/// The hidden names of drafts beside their targets: `.photo.png.1a2b3c4d.partial`, and
/// `.model.mlmodelc.1a2b3c4d.replaced` for an old folder that is being replaced.
enum DraftName {
  static let draft = ".partial"
  static let replaced = ".replaced"

  /// Splits a target's path into its folder and its name.
  static func split(_ path: String) -> (folder: String, name: String) {
    var path: Substring = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return (".", String(path)) }
    let folder: Substring = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// Returns the prefix of the names of a target's drafts. File systems allow names of at most 255 bytes, so a long
  /// name is cut to leave space for the suffix.
  static func prefix(_ name: String) -> String {
    var start: Substring = name[...]
    while start.utf8.count > 200 { start.removeLast() }
    return ".\(start)."
  }

  /// Makes a name with 32 random bits for a target's draft.
  static func make(_ name: String, ending: String) -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
    let padding = String(repeating: "0", count: 8 - digits.count)
    return prefix(name) + padding + digits + ending
  }

  /// Lists those entries of a folder that are named like drafts of a target.
  static func leftovers(of name: String, in folder: String, ending: String) -> [String] {
    let start: String = prefix(name)
    return Draft.entries(of: folder).filter { path in
      let file: Substring = path.dropFirst(folder.count + 1)
      guard file.hasPrefix(start), file.hasSuffix(ending) else { return false }
      let middle: Substring = file.dropFirst(start.count).dropLast(ending.count)
      return middle.count == 8 && middle.allSatisfy(\.isHexDigit)
    }
  }
}
