import Files
import Foundation
import Platform

/// Where uploads lie while the studio runs: a folder that only its user may read, with names of our own.
///
/// It is removed when the studio ends; what one that was killed left behind is removed by the next.
final class PrivateFolder: Sendable {
  /// The folder.
  let url: URL
  private let lock: FolderLock

  /// Makes a new folder, and removes those whose studios have gone.
  init() throws {
    let manager = FileManager.default
    let base = manager.temporaryDirectory.appendingPathComponent(
      "atelier-studio-\(getuid())", isDirectory: true)
    try manager.createDirectory(
      at: base, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // Whoever owns the folder can read what is put into it.
    let owner = try manager.attributesOfItem(atPath: base.path)[.ownerAccountID] as? NSNumber
    guard owner?.uint32Value == getuid() else {
      throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: base.path])
    }
    chmod(base.path, 0o700)
    for name in (try? manager.contentsOfDirectory(atPath: base.path)) ?? [] {
      let old = base.appendingPathComponent(name, isDirectory: true)
      guard let lock = try? FolderLock(old.path) else { continue }
      try? manager.removeItem(at: old)
      withExtendedLifetime(lock) {}
    }
    url = base.appendingPathComponent(UUID().uuidString, isDirectory: true)
    try manager.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    lock = try FolderLock(url.path)
  }

  /// Removes the folder and all that is in it.
  func empty() { try? FileManager.default.removeItem(at: url) }

  /// A place for a file of our own naming.
  func place(_ name: String) -> URL { url.appendingPathComponent(name) }
}
