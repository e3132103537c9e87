import CKernels
import Platform

/// How this machine computes adjacent nodes with known shapes: the kernels, and the form and memory location of every
/// tensor. A planned run is immutable, and all sessions share it.
public struct PlannedRun: Sendable {
  /// The calls in order.
  public var calls: [Plan.Call] = []
  /// The inputs, in the graph's order.
  public var inputs: [Plan.Port] = []
  /// The outputs, in the graph's order.
  public var outputs: [Plan.Port] = []
  /// The constants that calls read, without duplicates. Each constant is packed for a kernel or stored as a tensor.
  public var constants: [PackedWeight] = []
  /// The sizes of the external memories in bytes: first those of the inputs, then those of the outputs. If inputs and
  /// outputs are in the session's memory, only states are external.
  public var externals: [Int] = []
  /// The size of a session's memory, in bytes.
  public var arenaByteCount = 0
  /// The number of threads that the plan was made for.
  public var threads = 1

  /// The memory that one run takes, in bytes: the session's arena, the temporary memory of a call, and the copies of
  /// the outputs for the caller. Packed weights do not count.
  var runByteCount: Int {
    ([arenaByteCount, temporaryByteCount] + outputs.map(\.location.form.byteCount)).saturatingSum
  }

  /// The largest amount of memory that any call allocates temporarily while it runs, in bytes.
  var temporaryByteCount: Int { calls.lazy.map(\.step.temporaryByteCount).max() ?? 0 }

  /// The positions of the constants that a call packs before it runs and releases after it.
  var transientConstants: Set<Int> = []

  /// The memory of packed weights, in bytes. If calls pack and release their weights, only the call with the largest
  /// weights counts.
  public var constantByteCount: Int {
    persistentConstants.reduce(tableByteCount + transientByteCount) { $0 + $1.byteCount }
  }

  /// The constants that are packed once and freed with the plan.
  var persistentConstants: [PackedWeight] {
    constants.indices.lazy.filter { !transientConstants.contains($0) }.map { constants[$0] }
  }

  private var transientByteCount: Int {
    calls.lazy.map { $0.transientWeights.reduce(0) { $0 + $1.byteCount } }.max() ?? 0
  }

  /// The size of the tables that belong to single calls (``Step/constantByteCount``), in bytes. Weights that calls
  /// share do not count.
  var tableByteCount: Int { calls.reduce(0) { $0 + $1.step.constantByteCount } }

  /// The memory of weights that are still to be packed before the run, in bytes.
  var missingByteCount: Int {
    persistentConstants.reduce(transientByteCount) { $0 + ($1.isPrepared ? 0 : $1.byteCount) }
  }

  /// Packs the persistent weights that no other plan of the network has packed, several at a time if they are large.
  func prepareWeights() throws {
    let missing: [PackedWeight] = persistentConstants.filter { !$0.isPrepared }
    let workers: Int = min(threads, missing.count)
    guard workers > 1,
      missing.reduce(0, { $0 + $1.byteCount }) >= Self.leastBytesForThreads
    else {
      for weight in missing { try weight.prepare() }
      return
    }
    let instructions: Int32 = ck_instructions()
    let next = Locked(0)
    let failure = Locked<(any Error)?>(nil)
    performConcurrently(workers) { _ in
      // A new thread has the process's instruction set, but the planning thread may have less.
      ck_limit_instructions(instructions)
      TeamSize.with(1) {
        while failure.withLock({ $0 == nil }) {
          let index: Int = next.withLock { next in
            defer { next += 1 }
            return next
          }
          guard index < missing.count else { return }
          do {
            try missing[index].prepare()
          } catch {
            failure.withLock { $0 = $0 ?? error }
          }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// If fewer bytes are missing, one thread packs them sooner than further threads would start.
  private static let leastBytesForThreads: Int = 1 << 20
}
