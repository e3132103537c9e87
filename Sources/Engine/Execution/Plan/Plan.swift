/// How this machine computes a graph for concrete input shapes: kernels, forms, and one place in
/// memory for every tensor. Immutable, shared by all sessions.
public struct Plan: Sendable {
  /// Where a tensor lies while a session runs.
  public struct Location: Sendable, Hashable {
    /// Shape, stored type and layout.
    public var form: TensorDescriptor
    /// The memory that it lies in.
    public var place: Place
  }

  /// The memory of a tensor.
  public enum Place: Sendable, Hashable {
    /// Bytes from the start of the session's arena.
    case arena(Int)
    /// A constant of the plan.
    case constant(Int)
  }

  /// One call of a kernel.
  public struct Call: Sendable {
    /// The layer's name, or what the planner put in.
    public var name: String
    /// The layer's type as listings print it.
    public var kind: String
    /// The candidate that was chosen.
    public var kernel: String
    /// What runs.
    public var step: Step
    /// Where it reads.
    public var inputs: [Location]
    /// Where it writes.
    public var outputs: [Location]
    /// Where its own memory starts in the arena.
    public var scratchOffset: Int
    /// The size of its own memory, in bytes.
    public var scratchByteCount: Int
  }

  /// A tensor that crosses the plan's border.
  public struct Port: Sendable {
    /// The name in the model.
    public var name: String
    /// Where it lies.
    public var location: Location
    /// For pictures: what happens to the samples on the way in or out.
    public var image: Graph.ImagePort?
  }

  /// The calls in order.
  public var calls: [Call] = []
  /// What the caller gives, in the graph's order.
  public var inputs: [Port] = []
  /// What the caller gets, in the graph's order.
  public var outputs: [Port] = []
  /// Constants that calls read, each once: packed for a kernel, or as a tensor.
  public var constants: [PackedWeight] = []
  /// The size of a session's memory, in bytes.
  public var arenaByteCount = 0
  /// The number of threads that the plan was made for.
  public var threads = 1

  /// What one run takes beside packed weights, in bytes: a session's memory, and the outputs that the
  /// caller is given copies of.
  var runByteCount: Int {
    outputs.reduce(arenaByteCount) { sum, port in
      let (next, overflow) = sum.addingReportingOverflow(port.location.form.byteCount)
      return overflow ? Int.max : next
    }
  }

  /// The memory that packed weights take, in bytes.
  public var constantByteCount: Int {
    calls.reduce(constants.reduce(0) { $0 + $1.byteCount }) { $0 + $1.step.constantByteCount }
  }

  /// What calls keep for themselves beside shared weights, such as tables, in bytes.
  var tableByteCount: Int { calls.reduce(0) { $0 + $1.step.constantByteCount } }

  /// What must still be packed before the plan runs, in bytes.
  var missingByteCount: Int { constants.reduce(0) { $0 + ($1.isPrepared ? 0 : $1.byteCount) } }

  /// Packs the weights that have not been packed for another plan of the network.
  func prepareWeights() throws { for weight in constants { try weight.prepare() } }
}
