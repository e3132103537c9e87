import Foundation

/// Writes files atomically: a reader sees the old content or the complete new content.
public enum WholeFile {
  /// Writes bytes to a draft, then replaces the file with the draft.
  ///
  /// - Throws: `FileError`.
  public static func write(_ bytes: Data, to path: String) throws {
    let draft = try Draft(of: path)
    try bytes.withUnsafeBytes { try draft.write($0) }
    try draft.place()
  }
}
