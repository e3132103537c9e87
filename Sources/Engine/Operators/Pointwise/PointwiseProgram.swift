import Graph

/// A chain of elementwise operations over inputs that are broadcast against each other; it costs one
/// pass over memory, however long it is.
///
/// Registers are numbered: the inputs first, then constants, then the results in their order. The
/// last result is the output.
public struct PointwiseProgram: Sendable {
  /// A constant operand of a shape that is broadcast against the inputs.
  public struct Constant: Sendable {
    /// The extents, outermost first.
    public var shape: Shape
    /// The values, row-major.
    public var values: [Float]

    /// One value a channel, for tensors `[…, C, H, W]`.
    public static func perChannel(_ values: [Float]) -> Constant {
      Constant(shape: [values.count, 1, 1], values: values)
    }
  }

  /// An operation with the registers and numbers that it reads.
  public struct Entry: Sendable, Hashable {
    /// What is computed.
    public var operation: PointwiseOperation
    /// The registers a and b.
    public var first: Int, second: Int
    /// The numbers alpha and beta.
    public var alpha: Float, beta: Float
  }

  /// The most inputs, constants included, that a program may have to run on the fast kernel.
  public static let largestInputCount = 8
  /// The most operations that it may have.
  public static let largestOperationCount = 16

  /// The number of inputs.
  public let inputCount: Int
  /// The operands that the program brings along.
  public let constants: [Constant]
  /// The operations in their order.
  public private(set) var operations: [Entry] = []

  /// A program without operations, which computes nothing yet.
  public init(inputCount: Int, constants: [Constant] = []) {
    self.inputCount = inputCount
    self.constants = constants
  }

  /// The register of the last result.
  public var result: Int { inputCount + constants.count + operations.count - 1 }

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
  /// Adds another program whose inputs are registers of this one and whose constants stand in this
  /// one from `firstConstant` on; returns the register of its result.
  @discardableResult
  public mutating func append(
    _ other: PointwiseProgram, inputs: [Int], firstConstant: Int
  ) -> Int {
    let base = result + 1
    let known = other.inputCount + other.constants.count
    func register(_ number: Int) -> Int {
      if number < other.inputCount { return inputs[number] }
      if number < known { return firstConstant + number - other.inputCount }
      return base + number - known
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
    inputCount + constants.count <= Self.largestInputCount
      && operations.count <= Self.largestOperationCount
  }
}
