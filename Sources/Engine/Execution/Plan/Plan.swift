/// How this machine computes a graph for inputs of certain shapes: segments, one after the other.
/// Shared by all sessions.
///
/// A network whose shapes are all known ahead, and in which nothing decides what runs, is one segment.
public final class Plan: Sendable {
  /// A part of a plan.
  public enum Segment: Sendable {
    /// Neighbouring nodes whose shapes are known: planned.
    case run(PlannedRun)
    /// A node that decides what runs; its regions are planned when the shapes of their arguments are
    /// known.
    case control(Graph.Node)
    /// Nodes that are planned when their shapes are known, because those depend on values.
    case open([Graph.Node])
  }

  /// The segments, as far as they are known ahead.
  public let segments: [Segment]
  /// The number of threads that it was made for.
  public let threads: Int
  /// The only segment of a plan that is known ahead as a whole.
  let whole: PlannedRun?
  /// What runs in any other case.
  let segmented: SegmentedGraph?

  /// A plan that is known ahead as a whole.
  init(_ run: PlannedRun) {
    segments = [.run(run)]
    threads = run.threads
    whole = run
    segmented = nil
  }

  /// A plan of which some segments are planned when the network runs.
  init(_ graph: SegmentedGraph, inputTypes: [TensorType]) throws {
    segments = try graph.planAhead(inputTypes)
    threads = graph.options.threads
    whole = nil
    segmented = graph
  }

  /// The plan's only segment. Throws where it has others, or where it is planned when it runs.
  public func wholeRun() throws -> PlannedRun {
    if let whole { return whole }
    throw EngineError(
      .unsupported,
      "The network runs segment by segment, because shapes depend on values or layers decide what runs; it has no plan to show."
    )
  }

  private var runs: [PlannedRun] {
    segments.compactMap { if case .run(let run) = $0 { run } else { nil } }
  }

  /// The calls of all segments that are known ahead, in order.
  public var calls: [Call] { runs.flatMap(\.calls) }
  /// What the caller gives, in the graph's order; none where the plan has other segments than one.
  public var inputs: [Port] { whole?.inputs ?? [] }
  /// What the caller gets, in the graph's order; none where the plan has other segments than one.
  public var outputs: [Port] { whole?.outputs ?? [] }

  /// The size of a session's memory, in bytes, as far as it is known now.
  public var arenaByteCount: Int {
    whole?.arenaByteCount ?? segmented?.arenaByteCount ?? 0
  }

  /// The memory that packed weights take, in bytes, as far as it is known now.
  public var constantByteCount: Int {
    whole?.constantByteCount ?? segmented?.constantByteCount ?? 0
  }

  /// The packed weights that it keeps, as far as they are known now; those that several segments read come as often.
  var packedWeights: [PackedWeight] {
    whole?.staying ?? segmented?.plannedRuns.flatMap(\.staying) ?? []
  }

  /// What calls keep for themselves beside the network's packed weights, in bytes, as far as it is known now.
  var tableByteCount: Int { whole?.tableByteCount ?? 0 }

  /// What one run takes beside packed weights, in bytes, as far as it is known now.
  var runByteCount: Int { whole?.runByteCount ?? arenaByteCount }

  /// How many runs have been planned so far, those that were given up again too.
  var planCount: Int { segmented?.planCount ?? 1 }
}

extension Plan {
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
    /// Memory that is given for each run, by its position in ``PlannedRun/externals``.
    case external(Int)
  }

  /// One call of a kernel.
  public struct Call: Sendable {
    /// The layer's name, or what the planner put in.
    public var name: String
    /// The layer's type as listings print it.
    public var kind: String
    /// The layer of a file that it was made of, where the file calls it otherwise.
    public var origin: Graph.Node.Origin? = nil
    /// The candidate that was chosen.
    public var kernel: String
    /// The times by which the candidate was chosen; nil where it was not timed.
    public var choice: KernelChoice? = nil
    /// What runs.
    public var step: Step
    /// The weights that are packed for this call alone and given back after it.
    var passingWeights: [PackedWeight] = []
    /// Where it reads.
    public var inputs: [Location]
    /// Where it writes.
    public var outputs: [Location]
    /// Where its own memory starts in the arena.
    public var scratchOffset: Int
    /// The size of its own memory, in bytes.
    public var scratchByteCount: Int
  }

  /// A tensor that crosses the border of a run.
  public struct Port: Sendable {
    /// The name in the model.
    public var name: String
    /// Where it lies.
    public var location: Location
    /// For pictures: what happens to the samples on the way in or out.
    public var image: Graph.ImagePort?
  }
}
