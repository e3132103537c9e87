extension Interpreter {
  /// The options of an interpreter.
  public struct Options: Equatable, Hashable, Sendable {
    /// The number of threads; nil for one per core.
    public var threadCount: Int?
    /// Whether the interpreter writes errors of the engine to standard error before it throws them.
    public var isErrorLoggingEnabled = false
    /// Has no effect. The option exists for programs that set it.
    public var isXNNPackEnabled = false

    /// Makes the default options.
    public init() {}
  }
}

/// The options of an interpreter.
public typealias InterpreterOptions = Interpreter.Options
