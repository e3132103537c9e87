import Foundation

/// Links in folders that hold a model: a package or a compiled model is one thing that can be sent and
/// checked, so nothing of it may lie elsewhere.
enum FolderLinks {
  /// The first file or folder below `folder` that is a link which leads out of it, by its path in the
  /// folder; nil where there is none.
  static func leadingOut(of folder: URL) -> String? {
    let manager = FileManager.default
    // Links to folders are listed and not entered.
    guard let found = manager.enumerator(atPath: folder.path) else { return nil }
    for case let path as String in found {
      let file: URL = folder.appendingPathComponent(path)
      guard (try? manager.destinationOfSymbolicLink(atPath: file.path)) != nil else { continue }
      if !file.lies(within: folder) { return path }
    }
    return nil
  }
}

extension URL {
  /// Whether the file, with its links resolved, lies in `folder` or deeper.
  package func lies(within folder: URL) -> Bool {
    let outer: [String] = folder.resolvingSymlinksInPath().standardizedFileURL.pathComponents
    let inner: [String] = resolvingSymlinksInPath().standardizedFileURL.pathComponents
    return inner.count > outer.count && inner.starts(with: outer)
  }
}
