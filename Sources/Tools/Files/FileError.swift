import Glibc

/// What the system refused to do with a file.
public struct FileError: Error, Sendable, CustomStringConvertible {
  /// The file or folder.
  public let path: String
  /// What was tried, as the end of “it cannot be …”.
  public let task: String
  /// The system's number for the reason.
  public let code: Int32

  /// The last call's failure, unless another code is given.
  init(_ path: String, _ task: String, code: Int32 = errno) {
    self.path = path
    self.task = task
    self.code = code
  }

  /// The system's words: `No space left on device`.
  public var reason: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// One sentence.
  public var description: String { "'\(path)' cannot be \(task) (\(reason))." }
}
