import Graph
import COneDNN

/// The number of threads for parallel work that the calling thread starts.
///
/// OpenMP stores the number per thread. Our caller may have set the calling thread's number, so ``with(_:_:)`` restores
/// this number before it returns.
package enum TeamSize {
  package static func with<Result>(_ threads: Int, _ body: () throws -> Result) rethrows -> Result {
    let before: Int32 = adnn_threads()
    guard before != Int32(clamping: threads) else { return try body() }
    adnn_set_threads(Int32(clamping: threads))
    defer { adnn_set_threads(before) }
    return try body()
  }
}
