import Dispatch
import Foundation
import Synchronization

/// Ends the program on SIGINT and SIGTERM without leaving half-written files.
///
/// Files are written inside ``protected(_:)``, which a signal waits for; folders for what lies around
/// in between are removed before the program ends.
enum Interruption {
  private struct State {
    var sources: [any DispatchSourceSignal] = []
    var folders: Set<String> = []
    /// Whether long work looks for ``wantsToStop`` itself.
    var isStoppable = false
    /// The code of the signal that asked the work to stop.
    var stopCode: Int32?
  }

  // Safe: sources are made once and kept only to stay alive.
  nonisolated(unsafe) private static var state = State()
  private static let lock = NSLock()

  /// Listens from now on.
  static func install() {
    for (number, code) in [(SIGINT, Int32(130)), (SIGTERM, Int32(143))] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { receive(code) }
      source.resume()
      lock.withLock { state.sources.append(source) }
    }
  }

  /// Does work that a signal may not cut in two. Not to be nested.
  static func protected<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock(body)
  }

  /// Calls the closure with an empty folder in the system's temporary folder or another one, for the user alone to read,
  /// removed afterwards and on a signal.
  static func withTemporaryFolder<Result>(
    in place: URL = FileManager.default.temporaryDirectory, _ body: (URL) throws -> Result
  ) throws -> Result {
    let folder: URL = place.appendingPathComponent(
      "atelier-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    lock.withLock { _ = state.folders.insert(folder.path) }
    defer {
      try? FileManager.default.removeItem(at: folder)
      lock.withLock { _ = state.folders.remove(folder.path) }
    }
    return try body(folder)
  }

  /// Does long work that ends by itself, soon and in order, when ``wantsToStop`` says so; a second
  /// signal ends the program at once. Then the program ends, if a signal came.
  static func stoppable<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.withLock { state.isStoppable = true }
    let result: Result = try body()
    if let code = lock.withLock({ state.stopCode }) { interrupt(code) }
    lock.withLock { state.isStoppable = false }
    return result
  }

  /// Whether a signal asked the work to stop.
  static var wantsToStop: Bool { lock.withLock { state.stopCode != nil } }

  private static func receive(_ code: Int32) {
    let mayGoOn: Bool = lock.withLock {
      guard state.isStoppable, state.stopCode == nil else { return false }
      state.stopCode = code
      return true
    }
    if !mayGoOn { interrupt(code) }
  }

  private static func interrupt(_ code: Int32) -> Never {
    end(code) { if isatty(STDERR_FILENO) == 1 { Output.error("\n") } }
  }

  /// Ends the program at once, with no file half written and no folder left behind. Not to be called
  /// inside ``protected(_:)``.
  static func end(_ code: Int32, saying: () -> Void = {}) -> Never {
    // Never unlocked: nobody starts to write any more.
    lock.lock()
    for folder in state.folders { try? FileManager.default.removeItem(atPath: folder) }
    saying()
    _exit(code)
  }
}
