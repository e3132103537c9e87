/// What a caller chooses about how a network runs.
public struct ExecutionOptions: Sendable, Hashable {
  /// The numbers that may be used.
  public var precision: Precision
  /// Whether kernels may round by up to a percent where that is faster: training, whose gradients are
  /// noisier than that, lets them.
  public var isTolerant: Bool = false
  /// The number of threads.
  public var threads: Int
  /// What kernels may use of the processor.
  public var processor: Processor
  /// The most memory that a plan may take, in bytes; nil for what the machine has free.
  public var memoryLimit: Int?
  /// The most rounds that a loop of the network may take.
  public var loopLimit: Int
  /// How kernels are chosen where several fit.
  public var tuning: KernelTuning = .standard
  /// How many runs are to come, where that is known; nil for many. Kernels are timed for at most half as long as so
  /// many runs take. For a single one weights are packed layer by layer, so that a few lie packed in memory at a time;
  /// another run packs them again.
  public var expectedRuns: Int?
  /// Tries each node's kernels in an order drawn from this seed rather than the best first: for tests, so that every
  /// kernel comes to run in plans.
  package var kernelSeed: UInt64?
  /// Whether definitions are among what `kernelSeed` draws; otherwise they come last, as on whole pictures they take
  /// minutes.
  package var drawsDefinitions = true

  /// Options; all cores and `float32` unless told otherwise.
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

  /// More rounds than any sensible loop takes, and few enough to end within minutes.
  public static let defaultLoopLimit = Graph.defaultLoopLimit

  /// The number of cores that this process may use, or `OMP_NUM_THREADS`.
  public static let defaultThreads: Int = Int(Processor.threadCount)
}
