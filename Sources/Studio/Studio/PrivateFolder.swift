import Files
import Foundation
import Platform

/// The folder for uploads while the studio runs. Only the user who runs the studio can read the folder, and the studio
/// chooses the file names.
///
/// The studio removes the folder when it ends. If the studio was killed, the next studio removes the folder.
final class PrivateFolder: Sendable {
  /// The folder.
  let url: URL
  private let lock: FolderLock

  /// Creates a new folder, and removes the folders of studios that have ended.
  init() throws {
    let manager = FileManager.default
    let base = manager.temporaryDirectory.appendingPathComponent(
      "atelier-studio-\(getuid())", isDirectory: true)
    try manager.createDirectory(
      at: base, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // If another user owned the folder, that user could read the uploads.
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

  /// Removes the folder with its content.
  func empty() { try? FileManager.default.removeItem(at: url) }

  /// Returns the location of a file with a name that the studio chose.
  func location(_ name: String) -> URL { url.appendingPathComponent(name) }
}
