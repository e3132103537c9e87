import Foundation

/// Writes files that appear complete or not at all.
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
