import Foundation
import Glibc

/// Writes a program's output to a file. Stops the program when the file exceeds the size limit or the program exceeds
/// the time limit.
///
/// curl's own `--max-filesize` checks only the size that a server announces (curl 7.88), so this type counts the bytes.
struct CountedDownload {
  /// How a download ended.
  enum Outcome: Equatable {
    /// The program ended with this status.
    case ended(Int32)
    /// The output exceeded the size limit.
    case tooLong
    /// The time limit was exceeded.
    case late
    /// The file could not be written. The value is `errno`.
    case unwritable(Int32)
  }

  /// The program and its arguments.
  let command: [String]
  /// The size limit of the file in bytes, including the bytes that the file already has.
  let limit: Int
  /// The time limit in seconds.
  let seconds: Int

  /// The slowest download that the time limit allows, in bytes per second.
  private static let minimumSpeed = 32 << 10

  /// Returns the time limit in seconds for a number of bytes. The limit is 300 s plus the time that the bytes take at
  /// the minimum speed.
  static func seconds(for bytes: Int) -> Int { 300 + max(0, bytes) / minimumSpeed }

  /// Runs the program and appends its output to the file.
  ///
  /// - Throws: The error of `Process` when the program cannot be started.
  func run(to path: String) throws -> Outcome {
    let file: Int32 = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard file >= 0 else { return .unwritable(errno) }
    defer { close(file) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Closes this process's writing end of the pipe. Only the program and its children then have that end, so reading
    // ends when they end.
    try? pipe.fileHandleForWriting.close()
    let outcome: Outcome? = copy(from: pipe.fileHandleForReading.fileDescriptor, to: file)
    if outcome != nil { kill(process.processIdentifier, SIGKILL) }
    // The program's child processes may wait for space in the pipe. When this process closes the reading end, the child
    // processes end.
    try? pipe.fileHandleForReading.close()
    process.waitUntilExit()
    return outcome ?? .ended(process.terminationStatus)
  }

  /// Copies the program's output. Returns nil at the end of the output, or the reason why copying stopped earlier.
  private func copy(from source: Int32, to file: Int32) -> Outcome? {
    var status = stat()
    guard fstat(file, &status) == 0 else { return .unwritable(errno) }
    var left: Int = limit - Int(status.st_size)
    let deadline: ContinuousClock.Instant = .now + .seconds(seconds)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let remaining: Double = (deadline - .now) / .milliseconds(1)
      guard remaining > 0 else { return .late }
      var watched = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, Int32(min(remaining + 1, 60_000))) > 0 else { continue }
      let count: Int = read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      left -= count
      guard left >= 0 else { return .tooLong }
      var done = 0
      while done < count {
        let written: Int = buffer.withUnsafeBytes { bytes in
          // Safe: `done` is less than `count`, the number of valid bytes in the buffer.
          bytes.baseAddress.map { write(file, $0 + done, count - done) } ?? -1
        }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return .unwritable(errno) }
        done += written
      }
    }
  }
}
