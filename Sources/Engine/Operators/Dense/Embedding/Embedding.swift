import Backends
import Graph
import ModelFormat

/// Embedding: looks a column of a matrix up for every index.
///
///     y = W[:, x] + b
///
/// - Input: indices in `0 ..< inputDim`, of shape `[N, 1, 1, 1]` or `[sequence, batch, 1, 1, 1]`.
/// - Output: the input's shape with `outputChannels` at axis −3.
/// - Parameters: `W` of shape `[outputChannels, inputDim]`, `b` of shape `[outputChannels]`.
/// - Edge: fractions are cut off.
/// - Errors: an index outside the table, when it is met.
///
/// **Source:** `EmbeddingLayerParams`.
public struct EmbeddingOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "Embedding", specification: "embedding", summary: "W[:, x] + b: a vector for every index")

  /// The table and the shift.
  public var table: EmbeddingTable

  /// A layer over a table.
  public init(_ table: EmbeddingTable) { self.table = table }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .embedding(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    table = try EmbeddingTable(
      decoder, entries: ("inputDim", message.inputDim),
      length: ("outputChannels", message.outputChannels), weights: message.weights,
      bias: message.hasBias ? .some(message.bias) : .none)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = try OperatorInput.only(inputs).shape
    guard shape.rank == 4 || shape.rank == 5, shape.dimensions.suffix(3) == [1, 1, 1] else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected 4 or 5 dimensions of which the last three are 1."
      )
    }
    shape[-3] = table.length
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var shape: Shape = inputs[0].shape
    shape[-3] = table.length
    return [ReferenceTensor(shape, try table.reference(inputs[0].values))]
  }

  public var kernels: [KernelCandidate] { [table.candidate] }
}

/// Embedding along the last dimension, of any rank.
///
///     y = W[:, x] + b
///
/// - Input: indices in `0 ..< vocabSize`, of shape `[…, 1]`, rank two or more.
/// - Output: `[…, embeddingSize]`.
/// - Parameters: `W` of shape `[embeddingSize, vocabSize]`, `b` of shape `[embeddingSize]`.
/// - Edge: fractions are cut off.
/// - Errors: an index outside the table, when it is met.
///
/// **Source:** `EmbeddingNDLayerParams`.
public struct EmbeddingNDOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "EmbeddingND", specification: "embeddingND",
    summary: "W[:, x] + b along the last dimension: a vector for every index")

  /// The table and the shift.
  public var table: EmbeddingTable

  /// A layer over a table.
  public init(_ table: EmbeddingTable) { self.table = table }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .embeddingND(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    table = try EmbeddingTable(
      decoder, entries: ("vocabSize", message.vocabSize),
      length: ("embeddingSize", message.embeddingSize), weights: message.weights,
      bias: message.hasBias ? .some(message.bias) : .none)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = try OperatorInput.only(inputs).shape
    guard shape.rank >= 2, shape[-1] == 1 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected two dimensions or more of which the last is 1.")
    }
    shape[-1] = table.length
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var shape: Shape = inputs[0].shape
    shape[-1] = table.length
    return [ReferenceTensor(shape, try table.reference(inputs[0].values))]
  }

  public var kernels: [KernelCandidate] { [table.candidate] }
}

/// The matrix of an embedding and its shift.
public struct EmbeddingTable: Sendable {
  /// The number of indices.
  public let entries: Int
  /// The number of values for an index.
  public let length: Int
  /// The matrix, `[length, entries]`.
  public let weights: Weights
  /// Shifts, `[length]`; nil is 0.
  public let bias: Weights?

  /// A table of shape `[length, entries]`.
  public init(weights: Weights, bias: Weights? = nil) {
    precondition(weights.shape.rank == 2)
    self.length = weights.shape[0]
    self.entries = weights.shape[1]
    self.weights = weights
    self.bias = bias
  }

  package init(
    _ decoder: LayerDecoder, entries: (field: String, value: UInt64),
    length: (field: String, value: UInt64), weights: Spec.WeightParams?,
    bias: Spec.WeightParams??
  ) throws {
    try decoder.requireInputs(1...1)
    self.entries = try decoder.size(entries.value, entries.field)
    self.length = try decoder.size(length.value, length.field)
    guard self.entries > 0, self.length > 0 else {
      throw decoder.invalid(
        "\(entries.field) is \(self.entries) and \(length.field) is \(self.length), "
          + "expected at least 1 each.")
    }
    self.weights = try decoder.weights(
      weights, shape: [self.length, self.entries], field: "weights")
    switch bias {
    case .none: self.bias = nil
    case .some(let message):
      self.bias = try decoder.weights(message, shape: [self.length], field: "bias")
    }
  }

  /// The place of an index in the table; throws where there is none.
  package func entry(_ value: Double) throws -> Int {
    guard value > -1, value < Double(entries) else {
      throw EngineError(
        .invalidInput,
        "the input holds the index \(value.indexText), expected a number from 0 to \(entries - 1).")
    }
    return Int(value)
  }

  /// The vectors of the indices, one after the other.
  package func reference(_ indices: [Double]) throws -> [Double] {
    let matrix: [Double] = try weights.doubles()
    let shifts: [Double]? = try bias?.doubles()
    var result: [Double] = []
    result.reserveCapacity(indices.count * length)
    for index in indices {
      let column: Int = try entry(index)
      for row in 0..<length {
        result.append(matrix[row * entries + column] + (shifts?[row] ?? 0))
      }
    }
    return result
  }

  /// Copies rows of the transposed table; dense float32 in and out, no scratch memory.
  package var candidate: KernelCandidate {
    KernelCandidate("native table look-up") { (request: KernelRequest) -> Kernel? in
      Kernel(
        try EmbeddingStep(self, count: request.inputs[0].shape.count),
        inputs: [TensorDescriptor(request.inputs[0].shape)],
        outputs: [TensorDescriptor(request.outputs[0].shape)])
    }
  }
}

/// Copies one row of a table for every index.
private final class EmbeddingStep: Step, @unchecked Sendable {
  private let table: EmbeddingTable
  private let rows: AlignedBuffer
  private let count: Int

  init(_ table: EmbeddingTable, count: Int) throws {
    self.table = table
    self.count = count
    let matrix: [Float] = try table.weights.floats()
    let shifts: [Float] = try table.bias?.floats() ?? [Float](repeating: 0, count: table.length)
    var transposed = [Float](repeating: 0, count: matrix.count)
    for entry in 0..<table.entries {
      for row in 0..<table.length {
        transposed[entry * table.length + row] = matrix[row * table.entries + entry] + shifts[row]
      }
    }
    rows = try AlignedBuffer(transposed)
  }

  override var constantByteCount: Int { rows.byteCount }

  override func run(_ memory: StepMemory) throws {
    // Safe: the planner gives dense float32 memory of the promised shapes.
    let indices = memory.inputs[0].assumingMemoryBound(to: Float.self)
    let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
    let length: Int = table.length
    for position in 0..<count {
      let entry: Int = try table.entry(Double(indices[position]))
      (target + position * length).update(from: rows.floats + entry * length, count: length)
    }
  }
}
