import Foundation

/// An object that can be written to a file.
public protocol MLWritable: NSObjectProtocol {
  /// Writes the object. The file or folder appears complete or not at all.
  ///
  /// - Throws: ``MLModelError`` if the object cannot be written.
  func write(to url: URL) throws
}
