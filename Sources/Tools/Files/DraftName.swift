/// The hidden names under which drafts lie beside their targets: `.photo.png.1a2b3c4d.partial`, and
/// `.model.mlmodelc.1a2b3c4d.replaced` for what a draft is about to replace.
enum DraftName {
  static let draft = ".partial"
  static let replaced = ".replaced"

  /// The target's folder and name.
  static func split(_ path: String) -> (folder: String, name: String) {
    var path: Substring = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return (".", String(path)) }
    let folder: Substring = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// What the names of all drafts of a target begin with. File systems take names of 255 bytes; a
  /// longer target's is cut, so that room for the ending is left.
  static func prefix(_ name: String) -> String {
    var start: Substring = name[...]
    while start.utf8.count > 200 { start.removeLast() }
    return ".\(start)."
  }

  /// A name that nothing has, but for a chance of one in four thousand million.
  static func make(_ name: String, ending: String) -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
    let padding = String(repeating: "0", count: 8 - digits.count)
    return prefix(name) + padding + digits + ending
  }

  /// The entries of a folder that are drafts of a target.
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
