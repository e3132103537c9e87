import Foundation

extension FileManager {
  /// Replaces a file or folder by another one, which moves to its place.
  ///
  /// Foundation on Linux has only `replaceItemAt`, which removes the original and leaves the new item where it is.
  ///
  /// - Parameters:
  ///   - backupItemName: The name that the original has meanwhile, in the same folder. It is removed at the end, unless
  ///     `options` contains `withoutDeletingBackupItem`.
  ///   - resultingURL: Gets the place of the new item. It may be nil.
  /// - Throws: An error of Foundation if an item cannot be moved. The original is then in its place.
  public func replaceItem(
    at originalItemURL: URL, withItemAt newItemURL: URL, backupItemName: String?,
    options: FileManager.ItemReplacementOptions,
    resultingItemURL resultingURL: UnsafeMutablePointer<NSURL?>?
  ) throws {
    let name: String = backupItemName ?? ".replaced-\(UUID().uuidString)"
    let backup: URL = originalItemURL.deletingLastPathComponent().appendingPathComponent(name)
    try moveItem(at: originalItemURL, to: backup)
    do {
      try moveItem(at: newItemURL, to: originalItemURL)
    } catch {
      try? moveItem(at: backup, to: originalItemURL)
      throw error
    }
    if backupItemName == nil || !options.contains(.withoutDeletingBackupItem) {
      try? removeItem(at: backup)
    }
    resultingURL?.pointee = originalItemURL as NSURL
  }
}
