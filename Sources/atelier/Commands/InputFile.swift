import Foundation

/// Files that a command reads as a whole: numbers, dictionaries, tables.
enum InputFile {
  /// The bytes of a file; nil where it cannot be read.
  ///
  /// A pipe is read to its end where the caller has it open already (`/dev/stdin`, `<(…)` of a shell).
  /// Other pipes, sockets and devices are refused: nobody may ever write to them.
  static func contents(_ path: String) throws -> Data? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let isOpen: Bool = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
    guard status.st_mode & S_IFMT == S_IFREG || isOpen else {
      throw CommandError(
        "'\(path)' is no file but a folder, a pipe or a device. Write what it holds into a file.")
    }
    return FileManager.default.contents(atPath: path)
  }
}
