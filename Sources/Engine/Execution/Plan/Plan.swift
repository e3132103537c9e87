/// How this machine computes a graph for inputs of certain shapes: a list of segments. All sessions share the plan.
///
/// A network is one segment if all its shapes are known before the run and it has no control flow.
public final class Plan: Sendable {
  /// A part of a plan.
  public enum Segment: Sendable {
    /// Adjacent nodes with known shapes, which were planned together.
    case run(PlannedRun)
    /// A loop, a branch, or an early exit from a loop. Its regions are planned when the shapes of their arguments are
    /// known.
    case control(Graph.Node)
    /// Nodes whose shapes depend on values. They are planned when these shapes are known.
    case open([Graph.Node])
  }

  /// The segments. Segments of kind `open`, and the regions of control nodes, are planned during the run.
  public let segments: [Segment]
  /// The number of threads that the plan was made for.
  public let threads: Int
  /// The only segment, if the whole plan is made before the run. Nil otherwise.
  let whole: PlannedRun?
  /// The graph whose segments are planned during the run. Nil if the whole plan is made before the run.
  let segmented: SegmentedGraph?

  /// Creates a plan of one segment, which is planned before the run.
  init(_ run: PlannedRun) {
    segments = [.run(run)]
    threads = run.threads
    whole = run
    segmented = nil
  }

  /// Creates a plan that makes some of its segments during the run.
  init(_ graph: SegmentedGraph, inputTypes: [TensorType]) throws {
    segments = try graph.planAhead(inputTypes)
    threads = graph.options.threads
    whole = nil
    segmented = graph
  }

  /// Returns the plan's only segment. Throws if there are several segments, or if the segment is planned during the
  /// run.
  public func wholeRun() throws -> PlannedRun {
    if let whole { return whole }
    throw EngineError(
      .unsupported,
      "The network has no single plan, because shapes depend on values or layers decide what runs; each segment is planned when it runs."
    )
  }

  private var runs: [PlannedRun] {
    segments.compactMap { if case .run(let run) = $0 { run } else { nil } }
  }

  /// The calls of all segments that are planned before the run, in order.
  public var calls: [Call] { runs.flatMap(\.calls) }
  /// The inputs that the caller supplies, in the graph's order. Empty unless the plan is one segment.
  public var inputs: [Port] { whole?.inputs ?? [] }
  /// The results for the caller, in the graph's order. Empty unless the plan is one segment.
  public var outputs: [Port] { whole?.outputs ?? [] }

  /// The size of a session's memory, in bytes. Counts the segments that are planned already.
  public var arenaByteCount: Int {
    whole?.arenaByteCount ?? segmented?.arenaByteCount ?? 0
  }

  /// The memory that packed weights take, in bytes. Counts the segments that are planned already.
  public var constantByteCount: Int {
    whole?.constantByteCount ?? segmented?.constantByteCount ?? 0
  }

  /// The packed weights that the plan holds, in the segments that are planned already. Weights that several segments
  /// read are listed once per segment.
  var packedWeights: [PackedWeight] {
    whole?.persistentConstants ?? segmented?.plannedRuns.flatMap(\.persistentConstants) ?? []
  }

  /// The size of the tables that belong to single calls (``Step/constantByteCount``), in bytes. 0 if segments are
  /// planned during the run. The network's packed weights do not count.
  var tableByteCount: Int { whole?.tableByteCount ?? 0 }

  /// The memory that one run takes, in bytes. Counts the segments that are planned already. Packed weights do not
  /// count.
  var runByteCount: Int { whole?.runByteCount ?? arenaByteCount }

  /// The number of ``PlannedRun``s made so far, including those that were discarded.
  var planCount: Int { segmented?.planCount ?? 1 }
}

extension Plan {
  /// The location of a tensor while a session runs.
  public struct Location: Sendable, Hashable {
    /// Shape, stored type and layout.
    public var form: TensorDescriptor
    /// The memory that holds the tensor.
    public var place: Place
  }

  /// The memory of a tensor.
  public enum Place: Sendable, Hashable {
    /// The session's arena, at this offset in bytes.
    case arena(Int)
    /// A constant, by its position among the plan's constants.
    case constant(Int)
    /// Memory that the caller supplies for each run, by its position in ``PlannedRun/externals``.
    case external(Int)
  }

  /// One call of a kernel.
  public struct Call: Sendable {
    /// The layer's name, or a description for a call that the planner inserted.
    public var name: String
    /// The layer's type as listings print it.
    public var kind: String
    /// The layer in the model file from which the node was made. Nil if that layer has the call's name.
    public var origin: Graph.Node.Origin? = nil
    /// The candidate that was chosen.
    public var kernel: String
    /// The times by which the candidate was chosen. Nil if the candidate was not timed.
    public var choice: KernelChoice? = nil
    /// The code that runs.
    public var step: Step
    /// The weights that are packed for this call only and released after it.
    var transientWeights: [PackedWeight] = []
    /// The tensors that the call reads.
    public var inputs: [Location]
    /// The tensors that the call writes.
    public var outputs: [Location]
    /// The offset in bytes of the call's scratch memory in the arena.
    public var scratchOffset: Int
    /// The size of the call's scratch memory, in bytes.
    public var scratchByteCount: Int
  }

  /// An input or output of a run.
  public struct Port: Sendable {
    /// The name of the input or output in the model.
    public var name: String
    /// The location of the input's or output's tensor in memory.
    public var location: Location
    /// For images: the conversion of the samples on input or output.
    public var image: Graph.ImagePort?
  }
}
