import Graph

/// A chain of elementwise operations over inputs that are broadcast against each other; it costs one
/// pass over memory, however long it is.
///
/// Registers are numbered: the inputs first, then the results in their order. The last result is the
/// output.
public struct PointwiseProgram: Sendable {
  /// An operation with the registers and numbers that it reads.
  public struct Entry: Sendable, Hashable {
    /// What is computed.
    public var operation: PointwiseOperation
    /// The registers a and b.
    public var first: Int, second: Int
    /// The numbers alpha and beta.
    public var alpha: Float, beta: Float
  }

  /// The most inputs that a program may have to run on the fast kernel.
  public static let largestInputCount = 8
  /// The most operations that it may have.
  public static let largestOperationCount = 16

  /// The number of inputs.
  public let inputCount: Int
  /// The operations in their order.
  public private(set) var operations: [Entry] = []
  /// Whether results are kept as bytes, whole numbers of 0 to 255, and kept to that range by it: what
  /// ``ByteOperator`` makes. Nothing follows such a program.
  public var makesBytes = false

  /// A program without operations, which computes nothing yet.
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
  /// Adds another program whose inputs are registers of this one; returns the register of its result.
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

  /// Whether the fast kernel can run it: not too many inputs and operations.
  public var fitsKernel: Bool {
    inputCount <= Self.largestInputCount && operations.count <= Self.largestOperationCount
  }
}
