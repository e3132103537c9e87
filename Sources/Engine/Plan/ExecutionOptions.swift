/// What a caller chooses about how a network runs.
public struct ExecutionOptions: Sendable, Hashable {
  /// The numbers that may be used.
  public var precision: Precision
  /// The number of threads.
  public var threads: Int
  /// What kernels may use of the processor.
  public var processor: Processor
  /// The most memory that a plan may take, in bytes; nil for what the machine has free.
  public var memoryLimit: Int?

  /// Options; all cores and `float32` unless told otherwise.
  public init(
    precision: Precision = .float32, threads: Int = ExecutionOptions.defaultThreads,
    processor: Processor = .current, memoryLimit: Int? = nil
  ) {
    self.precision = precision
    self.threads = threads
    self.processor = processor
    self.memoryLimit = memoryLimit
  }

  /// The number of cores that this process may use, or `OMP_NUM_THREADS`.
  public static let defaultThreads: Int = Int(Processor.threadCount)
}
