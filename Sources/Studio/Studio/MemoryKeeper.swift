import CProcess
import Foundation
import Platform

/// Gives memory back that is kept for work which does not come: models that nobody uses are closed, workers
/// ended, and what is free returned to the system.
///
/// Above a limit everything goes that is not in use, at once.
///
/// `@unchecked Sendable`: the timer is set up before anybody else has it.
final class MemoryKeeper: @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  /// A keeper that looks every few seconds.
  ///
  /// - Parameters:
  ///   - most: the memory from which on nothing is kept, in bytes.
  ///   - tidy: closes what was not used for so long, and says whether it was anything.
  init(most: Int, _ tidy: @escaping @Sendable (Duration) -> Bool) {
    let queue = DispatchQueue(label: "studio memory", qos: .utility)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 5, repeating: 5)
    let known = Locked(0)
    timer.setEventHandler {
      let resident = Studio.residentBytes
      let isTooMuch = resident > most
      let hasClosed = tidy(isTooMuch ? .seconds(2) : .seconds(120))
      // What was freed since lies among what is in use; a look through it takes milliseconds.
      guard hasClosed || isTooMuch || resident > known.withLock({ $0 }) + (8 << 20) else { return }
      cp_trim_memory()
      known.withLock { $0 = Studio.residentBytes }
    }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// To be called once, before threads are made.
  static func prepare() { cp_bound_memory() }
}
