import Foundation

/// Checks symbolic links in folders of models. A package or a compiled model must be complete in itself, so no link may
/// point outside its folder.
enum FolderLinks {
  /// Returns the path, relative to `folder`, of the first link that points outside the folder. Nil if there is no such
  /// link.
  static func leadingOut(of folder: URL) -> String? {
    let manager = FileManager.default
    // The enumeration lists links to folders but does not follow them.
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
  /// Returns whether the file is in `folder` or a subfolder after all symbolic links are resolved.
  package func lies(within folder: URL) -> Bool {
    let outer: [String] = folder.resolvingSymlinksInPath().standardizedFileURL.pathComponents
    let inner: [String] = resolvingSymlinksInPath().standardizedFileURL.pathComponents
    return inner.count > outer.count && inner.starts(with: outer)
  }
}
