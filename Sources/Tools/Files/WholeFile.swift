import Foundation

/// Files that appear complete or not at all.
public enum WholeFile {
  /// Writes bytes as a draft that takes the file's place.
  ///
  /// - Throws: `FileError`.
  public static func write(_ bytes: Data, to path: String) throws {
    let draft = try Draft(of: path)
    try bytes.withUnsafeBytes { try draft.write($0) }
    try draft.place()
  }
}
