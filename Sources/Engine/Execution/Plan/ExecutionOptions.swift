/// A caller's choices about how a network runs.
public struct ExecutionOptions: Sendable, Hashable {
  /// The floating-point type that kernels may compute in.
  public var precision: Precision
  /// Whether kernels may change results by at most one per cent if that is faster. Training sets this flag, because the
  /// gradients of training have more noise than one per cent.
  public var isTolerant: Bool = false
  /// Whether products of rows with constant matrices, and 1 × 1 convolutions, quantise the rows to int8 while they run
  /// (dynamic quantisation). Weights that are not integers are quantised to int8, too.
  public var usesDynamicQuantization: Bool = false
  /// The number of threads.
  public var threads: Int
  /// The features of the processor that kernels may use.
  public var processor: Processor
  /// The memory limit of a plan, in bytes. If it is nil, the limit is the memory that the machine has free.
  public var memoryLimit: Int?
  /// The largest number of iterations of a loop in the network.
  public var loopLimit: Int
  /// How the engine chooses among several kernels for an operator.
  public var tuning: KernelTuning = .standard
  /// The number of runs that the caller expects. Nil means that nothing is known: the third run times the kernels.
  /// With a number, the first run does, in at most half of the time that these runs take. For a single run, each
  /// layer's weights are packed just before the layer runs, and released afterwards. Only a few layers' packed weights
  /// are then in memory at a time. A second run packs all weights again.
  public var expectedRuns: Int?
  /// For tests. With a seed, the planner tries each node's kernels in a random order, so that plans use every kernel.
  /// Without a seed, the planner tries the best kernel first.
  package var kernelSeed: UInt64?
  /// Whether `kernelSeed` also shuffles the operators' reference implementations among the other kernels. If false,
  /// reference implementations come last, because they take minutes on large images.
  package var drawsDefinitions = true

  /// Creates options. By default, networks run on all cores in `float32`.
  public init(
    precision: Precision = .float32, threads: Int = ExecutionOptions.defaultThreads,
    processor: Processor = .current, memoryLimit: Int? = nil,
    loopLimit: Int = ExecutionOptions.defaultLoopLimit
  ) {
    self.precision = precision
    self.threads = threads
    self.processor = processor
    self.memoryLimit = memoryLimit
    self.loopLimit = loopLimit
  }

  /// The default of ``loopLimit``. Useful loops have fewer iterations. An endless loop reaches the limit within
  /// minutes.
  public static let defaultLoopLimit = Graph.defaultLoopLimit

  /// The value of `OMP_NUM_THREADS`, or else the number of cores that this process may use.
  public static let defaultThreads: Int = Int(Processor.threadCount)
}
