import CKernels
import Backends
import Graph
import ModelFormat

/// Turns around the first elements of each sequence of a batch: `y[b, t] = x[b, lengths[b] − 1 − t]`
/// for `t < lengths[b]`, and `x[b, t]` behind that.
///
/// - Inputs: any tensor of rank two or more, and a length an element of the batch, none longer than the
///   sequence.
/// - Both axes may count from the end; they must differ.
///
/// **Source:** `ReverseSeqLayerParams`.
public struct ReverseSeqOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "ReverseSeq", specification: "reverseSeq",
    summary: "turns around the first elements of each sequence")

  /// The axis of the batch.
  public let batchAxis: Int
  /// The axis of the sequence.
  public let sequenceAxis: Int

  /// The two axes.
  public init(batchAxis: Int, sequenceAxis: Int) {
    self.batchAxis = batchAxis
    self.sequenceAxis = sequenceAxis
  }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .reverseSeq(let message)? = decoder.message.layer else {
      throw decoder.notA("reverseSeq")
    }
    try decoder.requireInputs(2...2)
    self.init(
      batchAxis: try decoder.integer(message.batchAxis, "batchAxis"),
      sequenceAxis: try decoder.integer(message.sequenceAxis, "sequenceAxis"))
  }

  private func axes(_ input: Shape, _ lengths: Shape) throws -> (batch: Int, sequence: Int) {
    let batch: Int = try input.axis(batchAxis, "batchAxis")
    let sequence: Int = try input.axis(sequenceAxis, "sequenceAxis")
    guard batch != sequence else {
      throw EngineError(
        .invalidInput, "batchAxis and sequenceAxis are both \(batch), expected different axes.")
    }
    guard lengths.count == input[batch] else {
      throw EngineError(
        .invalidInput,
        "\(lengths.count) lengths are given, but the batch axis of the input (\(input)) has \(input[batch])."
      )
    }
    return (batch, sequence)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    _ = try axes(inputs[0].shape, inputs[1].shape)
    return [inputs[0].type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let (batch, sequence) = try axes(input.shape, inputs[1].shape)
    let lengths: [Int] = inputs[1].integers
    if let length = lengths.first(where: { !(0...input.shape[sequence]).contains($0) }) {
      throw Self.badLength(length, input.shape[sequence])
    }
    return [
      ReferenceTensor(input.shape) { index in
        var source = index
        let length: Int = lengths[index[batch]]
        if index[sequence] < length { source[sequence] = length - 1 - index[sequence] }
        return input[source]
      }
    ]
  }

  private static func badLength(_ length: Int, _ extent: Int) -> EngineError {
    EngineError(
      .invalidInput, "a length is \(length), expected 0 to \(extent), the sequence's.")
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native reversal") { request in
        var input: TensorDescriptor = request.followed()
        input.layout = .dense
        let lengths = TensorDescriptor(request.inputs[1].shape)
        let shape: Shape = input.shape
        guard shape.count > 0 else { return nil }
        let (batch, sequence) = try axes(shape, lengths.shape)
        let (first, second) = (min(batch, sequence), max(batch, sequence))
        let description = ck_sequences(
          outer: Int64(shape.product(0..<first)), first: Int64(shape[first]),
          middle: Int64(shape.product(first + 1..<second)), second: Int64(shape[second]),
          inner: Int64(shape.product(second + 1..<shape.rank)),
          batch_is_first: batch < sequence ? 1 : 0)
        let type: ck_type = input.kernelType
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of these forms.
          let given = memory.inputs[1].assumingMemoryBound(to: Float.self)
          let bad: Int64 = withUnsafePointer(to: description) {
            ck_reverse_sequences($0, type, memory.inputs[0], given, memory.outputs[0])
          }
          guard bad >= 0 else { return }
          throw Self.badLength(
            ReferenceTensor.integer(Double(given[Int(bad)])), shape[sequence])
        }
        return Kernel(step, inputs: [input, lengths], outputs: [input])
      }
    ]
  }
}
