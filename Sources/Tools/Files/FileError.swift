import Glibc

/// A file operation that the system refused.
public struct FileError: Error, Sendable, CustomStringConvertible {
  /// The file or folder.
  public let path: String
  /// The operation, as a participle that follows “it cannot be”.
  public let task: String
  /// The system's error number (`errno`).
  public let code: Int32

  /// Creates an error with the given error number. By default, it is the error number of the last system call.
  init(_ path: String, _ task: String, code: Int32 = errno) {
    self.path = path
    self.task = task
    self.code = code
  }

  /// The system's message for the error number, such as `No space left on device`.
  public var reason: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

  /// A sentence that says what is wrong.
  public var description: String { "'\(path)' cannot be \(task) (\(reason))." }
}
