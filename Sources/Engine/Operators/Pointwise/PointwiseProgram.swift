import Graph

/// A sequence of elementwise operations over inputs that are broadcast against each other. A kernel runs all operations
/// in one pass over memory.
///
/// Registers are numbered: first the inputs, then the results of the operations in order. The last result is the
/// output.
public struct PointwiseProgram: Sendable {
  /// An operation with the registers and the numbers that it reads.
  public struct Entry: Sendable, Hashable {
    /// The operation.
    public var operation: PointwiseOperation
    /// The registers a and b.
    public var first: Int, second: Int
    /// The numbers alpha and beta.
    public var alpha: Float, beta: Float
  }

  /// The largest number of inputs with which the fast kernel can run a program.
  public static let largestInputCount = 8
  /// The largest number of operations with which the fast kernel can run a program.
  public static let largestOperationCount = 16

  /// The number of inputs.
  public let inputCount: Int
  /// The operations in order.
  public private(set) var operations: [Entry] = []
  /// Whether the output is stored as bytes, clipped to integers from 0 to 255 (``ByteOperator``). In a
  /// ``PointwiseChain`` only the last operator may have such a program.
  public var makesBytes = false

  /// Creates a program without operations.
  public init(inputCount: Int) {
    self.inputCount = inputCount
  }

  /// The register of the last result.
  public var result: Int { inputCount + operations.count - 1 }

  /// Adds an operation and returns its register.
  @discardableResult
  public mutating func append(
    _ operation: PointwiseOperation, _ first: Int, _ second: Int = 0, alpha: Float = 0,
    beta: Float = 0
  ) -> Int {
    operations.append(
      Entry(operation: operation, first: first, second: second, alpha: alpha, beta: beta))
    return result
  }
}

extension PointwiseProgram {
  /// Appends the operations of another program, which reads the registers `inputs` of this program as its inputs.
  /// Returns the register of the other program's result.
  @discardableResult
  public mutating func append(_ other: PointwiseProgram, inputs: [Int]) -> Int {
    let base = result + 1
    func register(_ number: Int) -> Int {
      number < other.inputCount ? inputs[number] : base + number - other.inputCount
    }
    for entry in other.operations {
      append(
        entry.operation, register(entry.first), register(entry.second), alpha: entry.alpha,
        beta: entry.beta)
    }
    return result
  }

  /// Whether the program has few enough inputs and operations for the fast kernel.
  public var fitsKernel: Bool {
    inputCount <= Self.largestInputCount && operations.count <= Self.largestOperationCount
  }
}
