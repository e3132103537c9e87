import CProcess
import Foundation
import Platform

/// A child process with pipes to its standard input and from its standard output.
///
/// `@unchecked Sendable`: one thread writes, one reads, and one waits. The text of standard error is under a lock.
package final class ChildProcess: @unchecked Sendable {
  private let process = Process()
  private let name: String
  private var input: Int32 = -1
  private var output: Int32 = -1
  private let lastLines = Locked<[String]>([])
  private let errorsEnded = DispatchGroup()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - hasInput: Whether the caller writes to the program's standard input. If not, the input is empty.
  ///   - hasOutput: Whether the caller reads the program's standard output. If not, the output is discarded.
  ///   - onLine: Called on another thread with each line that the program writes to standard error.
  package init(
    _ program: String, _ arguments: [String], hasInput: Bool = false, hasOutput: Bool = false,
    onLine: (@Sendable (String) -> Void)? = nil
  ) throws {
    name = URL(fileURLWithPath: program).lastPathComponent
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    var theirs: [Int32] = []
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    if hasInput {
      let ends = try Self.pipe()
      input = ends.write
      theirs.append(ends.read)
      process.standardInput = FileHandle(fileDescriptor: ends.read, closeOnDealloc: false)
    }
    if hasOutput {
      let ends = try Self.pipe()
      output = ends.read
      theirs.append(ends.write)
      process.standardOutput = FileHandle(fileDescriptor: ends.write, closeOnDealloc: false)
    }
    let errors = try Self.pipe()
    theirs.append(errors.write)
    process.standardError = FileHandle(fileDescriptor: errors.write, closeOnDealloc: false)
    defer { for end in theirs { close(end) } }
    do { try process.run() } catch {
      for end in [input, output, errors.read] where end >= 0 { close(end) }
      throw FilmError(
        .program,
        "The program '\(program)' could not be started: \(ErrorSentence.reason(of: error)).")
    }
    errorsEnded.enter()
    let (lines, ended) = (lastLines, errorsEnded)
    Thread.detachNewThread {
      Self.readLines(errors.read) { line in
        lines.withLock { $0 = ($0 + [line]).suffix(20) }
        onLine?(line)
      }
      ended.leave()
    }
  }

  deinit {
    for end in [input, output] where end >= 0 { close(end) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard cp_pipe(&ends) == 0 else {
      throw FilmError(.program, "The system gave no pipe (\(String(cString: strerror(errno)))).")
    }
    return (ends[0], ends[1])
  }

  /// Calls the closure with each line as soon as the line arrives, and closes the descriptor at the end.
  private static func readLines(_ descriptor: Int32, _ body: (String) -> Void) {
    defer { close(descriptor) }
    var line: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      // Safe: the system writes at most the bytes of the array.
      let count: Int = part.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      for byte in part.prefix(count) {
        guard byte == 10 || byte == 13 else {
          line.append(byte)
          continue
        }
        if !line.isEmpty { body(String(decoding: line, as: UTF8.self)) }
        line = []
      }
    }
    if !line.isEmpty { body(String(decoding: line, as: UTF8.self)) }
  }

  /// Reads until the memory is full or the output ends. Returns the number of bytes.
  package func read(into memory: UnsafeMutableRawBufferPointer) -> Int {
    var done: Int = 0
    while done < memory.count, let start = memory.baseAddress {
      // Safe: the system writes at most the bytes that are left.
      let count: Int = Glibc.read(output, start + done, memory.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      done += count
    }
    return done
  }

  /// Writes all bytes. Returns false if the program no longer reads.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var done: Int = 0
    while done < bytes.count, let start = bytes.baseAddress {
      // Safe: the system reads at most the bytes that are left.
      let count: Int = Glibc.write(input, start + done, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Closes the program's standard input.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Kills the program. SIGTERM would not end a program that waits to write to a full pipe.
  package func stop() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    _ = wait()
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: The end of a sentence that says what went wrong, or nil.
  package func wait() -> String? {
    process.waitUntilExit()
    errorsEnded.wait()
    guard process.terminationReason != .exit || process.terminationStatus != 0 else { return nil }
    if let line = lastLines.withLock({ $0 }).last { return line }
    return process.terminationReason == .exit
      ? "\(name) ended with status \(process.terminationStatus)"
      : "\(name) was ended by signal \(process.terminationStatus)"
  }

  /// Whether a signal ended the program. ffmpeg handles some signals itself and writes a line about them. Valid after
  /// ``wait()``.
  package var wasEndedBySignal: Bool {
    process.terminationReason == .uncaughtSignal
      || errorLines.contains { $0.contains("received signal") }
  }

  /// The last lines that the program wrote to standard error.
  package var errorLines: [String] { lastLines.withLock { $0 } }

  /// Runs a program. Returns its standard output, and the end of a sentence that says what went wrong, or nil.
  package static func output(of program: String, _ arguments: [String]) throws -> (
    text: String, failure: String?
  ) {
    let child = try ChildProcess(program, arguments, hasOutput: true)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count: Int = part.withUnsafeMutableBytes { child.read(into: $0) }
      bytes += part.prefix(count)
      if count < part.count { break }
    }
    return (String(decoding: bytes, as: UTF8.self), child.wait())
  }
}
