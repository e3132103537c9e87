/// How this machine computes neighbouring nodes whose shapes are known: kernels, forms, and one place in
/// memory for every tensor. Immutable, shared by all sessions.
public struct PlannedRun: Sendable {
  /// The calls in order.
  public var calls: [Plan.Call] = []
  /// What is given, in the order of the graph's inputs.
  public var inputs: [Plan.Port] = []
  /// What is made, in the order of the graph's outputs.
  public var outputs: [Plan.Port] = []
  /// Constants that calls read, each once: packed for a kernel, or as a tensor.
  public var constants: [PackedWeight] = []
  /// The sizes of the memory that is given for each run, in bytes: that of the inputs, then that of
  /// the outputs. Where the border lies in the session's memory, that of the inputs that are kept between runs.
  public var externals: [Int] = []
  /// The size of a session's memory, in bytes.
  public var arenaByteCount = 0
  /// The number of threads that it was made for.
  public var threads = 1

  /// What one run takes beside packed weights, in bytes: a session's memory, what a call takes for itself, and
  /// the outputs that the caller is given copies of.
  var runByteCount: Int {
    ([arenaByteCount, temporaryByteCount] + outputs.map(\.location.form.byteCount)).saturatingSum
  }

  /// The most that a call takes from the system while it runs, in bytes.
  var temporaryByteCount: Int { calls.lazy.map(\.step.temporaryByteCount).max() ?? 0 }

  /// The positions of constants that are packed when a call reads them and given back after it.
  var passing: Set<Int> = []

  /// The memory that packed weights take, in bytes; of those that calls pack and give back, the most at a time.
  public var constantByteCount: Int {
    staying.reduce(tableByteCount + passingByteCount) { $0 + $1.byteCount }
  }

  /// The constants that are packed once and kept as long as the plan.
  var staying: [PackedWeight] {
    constants.indices.lazy.filter { !passing.contains($0) }.map { constants[$0] }
  }

  private var passingByteCount: Int {
    calls.lazy.map { $0.passingWeights.reduce(0) { $0 + $1.byteCount } }.max() ?? 0
  }

  /// What calls keep for themselves beside shared weights, such as tables, in bytes.
  var tableByteCount: Int { calls.reduce(0) { $0 + $1.step.constantByteCount } }

  /// What must still be packed before the run, in bytes.
  var missingByteCount: Int {
    staying.reduce(passingByteCount) { $0 + ($1.isPrepared ? 0 : $1.byteCount) }
  }

  /// Packs the weights that stay and have not been packed for another plan of the network.
  func prepareWeights() throws { for weight in staying { try weight.prepare() } }
}
