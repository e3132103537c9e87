import CProcess
import Foundation
import Platform

/// Frees idle memory: closes models that no request has used lately, ends their worker processes, and returns free heap
/// memory to the system.
///
/// The janitor closes models that were idle for at least 120 s. While the process uses more memory than a limit, the
/// janitor closes models that were idle for at least 2 s.
///
/// `@unchecked Sendable`: the timer is set up before other threads can access it.
final class MemoryJanitor: @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  /// Creates a janitor that checks every 5 s.
  ///
  /// - Parameters:
  ///   - most: The limit for the process's resident memory in bytes.
  ///   - closeUnused: Closes the models that were idle for at least the given duration, and returns whether it closed
  ///     any.
  init(most: Int, _ closeUnused: @escaping @Sendable (Duration) -> Bool) {
    let queue = DispatchQueue(label: "studio memory", qos: .utility)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 5, repeating: 5)
    let known = Locked(0)
    timer.setEventHandler {
      let resident = Studio.residentBytes
      let isTooMuch = resident > most
      let hasClosed = closeUnused(isTooMuch ? .seconds(2) : .seconds(120))
      // Trimming takes milliseconds, because the heap's free blocks lie scattered between used blocks. So the janitor
      // trims the heap only if the process may have freed memory.
      guard hasClosed || isTooMuch || resident > known.withLock({ $0 }) + (8 << 20) else { return }
      cp_trim_memory()
      known.withLock { $0 = Studio.residentBytes }
    }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// Limits how much freed memory the heap keeps. Must be called once, before other threads exist.
  static func prepare() { cp_bound_memory() }
}
