import Foundation
import Glibc

/// A program's output, written into a file as it comes: at most so many bytes, in at most so many seconds.
///
/// curl's own `--max-filesize` counts only what a server announces (in curl 7.88), so the bytes are counted here.
struct CountedDownload {
  /// How a download ended.
  enum Outcome: Equatable {
    /// The program ended with this status.
    case ended(Int32)
    /// More came than may come.
    case tooLong
    /// The time was over.
    case late
    /// The file could not be written; the system's number for the reason.
    case unwritable(Int32)
  }

  /// The program, and what it is told.
  let command: [String]
  /// The most bytes that the file may have, with those that it has already.
  let limit: Int
  /// The most seconds that it may take.
  let seconds: Int

  /// The pace that is expected at least, in bytes per second.
  private static let slowest = 32 << 10

  /// The time for so many bytes: five minutes, and what the slowest pace takes.
  static func seconds(for bytes: Int) -> Int { 300 + max(0, bytes) / slowest }

  /// Runs the program and appends what it says to the file.
  ///
  /// - Throws: where the program cannot be started.
  func run(to place: String) throws -> Outcome {
    let file: Int32 = open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
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
    // The writing end is the program's alone, so that reading ends with it.
    try? pipe.fileHandleForWriting.close()
    let outcome: Outcome? = copy(from: pipe.fileHandleForReading.fileDescriptor, to: file)
    if outcome != nil { kill(process.processIdentifier, SIGKILL) }
    // What the program started may wait to write into the pipe; without a reader it ends.
    try? pipe.fileHandleForReading.close()
    process.waitUntilExit()
    return outcome ?? .ended(process.terminationStatus)
  }

  /// Copies until the end; nil there, and otherwise why it stopped before.
  private func copy(from source: Int32, to file: Int32) -> Outcome? {
    var status = stat()
    guard fstat(file, &status) == 0 else { return .unwritable(errno) }
    var left: Int = limit - Int(status.st_size)
    let deadline: ContinuousClock.Instant = .now + .seconds(seconds)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let patience: Double = (deadline - .now) / .milliseconds(1)
      guard patience > 0 else { return .late }
      var watched = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, Int32(min(patience + 1, 60_000))) > 0 else { continue }
      let count: Int = read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      left -= count
      guard left >= 0 else { return .tooLong }
      var done = 0
      while done < count {
        let written: Int = buffer.withUnsafeBytes { bytes in
          // Safe: the rest of the buffer begins after what was written.
          bytes.baseAddress.map { write(file, $0 + done, count - done) } ?? -1
        }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return .unwritable(errno) }
        done += written
      }
    }
  }
}
