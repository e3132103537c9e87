import Foundation

/// Reads complete files into memory: numbers, dictionaries, tables.
enum InputFile {
  /// Reads the bytes of a file. Returns nil if the file cannot be read.
  ///
  /// Reads a pipe to its end if the pipe is open already (`/dev/stdin`, or `<(…)` in a shell). Throws for other pipes,
  /// sockets and devices, because reading them could block forever.
  static func contents(_ path: String) throws -> Data? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let isOpen: Bool = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
    guard status.st_mode & S_IFMT == S_IFREG || isOpen else {
      throw CommandError(
        "'\(path)' is a folder, a pipe or a device, expected a file. Write its content to a file.")
    }
    return FileManager.default.contents(atPath: path)
  }
}
