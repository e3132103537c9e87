import Foundation

/// What can be written into a file.
public protocol MLWritable: NSObjectProtocol {
  /// Writes it; the file or folder appears complete or not at all.
  func write(to url: URL) throws
}
