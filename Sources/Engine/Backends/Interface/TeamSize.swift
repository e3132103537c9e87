import Graph
import COneDNN

/// The number of threads that parallel work started from this thread takes.
///
/// OpenMP keeps it per thread; it belongs to whoever called us, so each call puts back what it found.
package enum TeamSize {
  package static func with<Result>(_ threads: Int, _ body: () throws -> Result) rethrows -> Result {
    let before: Int32 = adnn_threads()
    guard before != Int32(clamping: threads) else { return try body() }
    adnn_set_threads(Int32(clamping: threads))
    defer { adnn_set_threads(before) }
    return try body()
  }
}
