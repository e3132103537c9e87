import Dispatch
import Foundation
import Platform
import Synchronization

/// Ends the program on SIGINT and SIGTERM without leaving half-written files.
///
/// Files are written within ``protected(_:)``. If a signal arrives during such a call, the program ends after the call.
/// Before the program ends, it removes temporary folders.
enum Interruption {
  private struct State {
    var sources: [any DispatchSourceSignal] = []
    var folders: Set<String> = []
    /// Whether the program is in ``stoppable(_:)``, whose work checks ``wantsToStop`` itself.
    var isStoppable = false
    /// The exit status for the signal that asked the work to stop.
    var stopCode: Int32?
  }

  // Safe: only used under `lock`. Signal sources are created once and stored only to stay alive.
  nonisolated(unsafe) private static var state = State()
  private static let lock = Gate()

  /// Starts to handle the signals.
  static func install() {
    for (number, code) in [(SIGINT, Int32(130)), (SIGTERM, Int32(143))] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { receive(code) }
      source.resume()
      lock.locked { state.sources.append(source) }
    }
  }

  /// Does work that a signal must not interrupt. Calls of this function must not be nested.
  static func protected<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.locked(body)
  }

  /// Creates in `parent` an empty folder that only the user can read, and calls the closure with the folder. Removes
  /// the folder afterwards. A signal also removes it.
  static func withTemporaryFolder<Result>(
    in parent: URL = FileManager.default.temporaryDirectory, _ body: (URL) throws -> Result
  ) throws -> Result {
    let folder: URL = parent.appendingPathComponent(
      "atelier-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    lock.locked { _ = state.folders.insert(folder.path) }
    defer {
      try? FileManager.default.removeItem(at: folder)
      lock.locked { _ = state.folders.remove(folder.path) }
    }
    return try body(folder)
  }

  /// Does long work. The work must check ``wantsToStop`` and, if it is true, save its results and return. After a
  /// signal, the program ends when the work has returned. A second signal ends the program at once.
  static func stoppable<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.locked { state.isStoppable = true }
    let result: Result = try body()
    if let code = lock.locked({ state.stopCode }) { interrupt(code) }
    lock.locked { state.isStoppable = false }
    return result
  }

  /// Whether a signal has asked the work to stop.
  static var wantsToStop: Bool { lock.locked { state.stopCode != nil } }

  private static func receive(_ code: Int32) {
    let mayGoOn: Bool = lock.locked {
      guard state.isStoppable, state.stopCode == nil else { return false }
      state.stopCode = code
      return true
    }
    if !mayGoOn { interrupt(code) }
  }

  private static func interrupt(_ code: Int32) -> Never {
    end(code) { if isatty(STDERR_FILENO) == 1 { Output.error("\n") } }
  }

  /// Ends the program at once without leaving a half-written file or a temporary folder. Must not be called inside
  /// ``protected(_:)``.
  static func end(_ code: Int32, saying: () -> Void = {}) -> Never {
    // The lock is never released. So no other thread can start to write a file.
    lock.lock()
    for folder in state.folders { try? FileManager.default.removeItem(atPath: folder) }
    saying()
    _exit(code)
  }
}
