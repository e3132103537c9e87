extension Interpreter {
  /// How an interpreter runs.
  public struct Options: Equatable, Hashable, Sendable {
    /// The number of threads; nil for as many as the machine has cores.
    public var threadCount: Int?
    /// Whether the reason of a failure is also written to standard error.
    public var isErrorLoggingEnabled = false
    /// Kept for programs that set it: every kernel here is one of the fast ones.
    public var isXNNPackEnabled = false

    /// The usual way.
    public init() {}
  }
}

/// How an interpreter runs.
public typealias InterpreterOptions = Interpreter.Options
