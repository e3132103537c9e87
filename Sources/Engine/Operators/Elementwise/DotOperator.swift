import CKernels
import Backends
import Graph
import Foundation
import ModelFormat

/// The dot product of two vectors: `y = Σ a[c] · b[c]` over the channels; with `cosineSimilarity`
/// divided by both lengths.
///
/// - Inputs: two of the shape `[…, C, 1, 1]`, rank three or more, whose other dimensions broadcast.
/// - Output: the same with one channel.
/// - Edge rules: the cosine with a vector of length zero is 0.
///
/// **Source:** `DotProductLayerParams` in NeuralNetwork.proto.
public struct DotOperator: Layer {
  /// Whether the product is divided by the lengths of both vectors.
  public var isCosineSimilarity: Bool

  public static let declaration = OperatorDeclaration(
    "DotProduct", specification: "dot",
    summary: "the dot product or cosine similarity of two vectors")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(2...2)
    guard case .dot(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    isCosineSimilarity = message.cosineSimilarity
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    for (position, input) in inputs.enumerated() {
      let shape = input.shape
      guard shape.rank >= 3, shape[-1] == 1, shape[-2] == 1 else {
        throw EngineError(
          .invalidInput,
          "input \(position + 1) has the shape \(shape), expected rank 3 or more and 1 × 1 at the end."
        )
      }
    }
    let (first, second) = (inputs[0].shape, inputs[1].shape)
    guard first[-3] == second[-3] else {
      throw EngineError(
        .invalidInput,
        "the vectors have \(first[-3]) and \(second[-3]) values, expected as many.")
    }
    var types = try broadcastType(inputs)
    types[0].shape[-3] = 1
    return types
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let products = broadcastReference(inputs) { $0[0] * $0[1] }
    let firstSquares = broadcastReference(inputs) { $0[0] * $0[0] }
    let secondSquares = broadcastReference(inputs) { $0[1] * $0[1] }
    let channels = products.shape[-3]
    var shape = products.shape
    shape[-3] = 1
    var result = ReferenceTensor(shape)
    for row in result.values.indices {
      let range = row * channels..<(row + 1) * channels
      var value: Double = products.values[range].reduce(0, +)
      if isCosineSimilarity {
        let first: Double = firstSquares.values[range].reduce(0, +)
        let second: Double = secondSquares.values[range].reduce(0, +)
        let lengths: Double = (first * second).squareRoot()
        value = lengths == 0 ? 0 : value / lengths
      }
      result.values[row] = value
    }
    return [result]
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native dot product") { request in
        let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
        let output = TensorDescriptor(request.outputs[0].shape)
        guard inputs.allSatisfy({ $0.shape.count > 0 }), output.shape.count > 0 else { return nil }
        let extents: [Int64] = output.shape.dimensions.dropLast(3).map(Int64.init)
        guard extents.count <= 16 else { return nil }
        let strides: [[Int64]] = inputs.map { Self.strides(of: $0.shape, rank: extents.count) }
        let channels = Int64(inputs[0].shape[-3])
        let isCosine: Bool = isCosineSimilarity
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of these forms; the strides stay inside it.
          requireNative(
            ck_dot(
              Int32(extents.count), extents, channels, isCosine ? 1 : 0,
              memory.inputs[0].assumingMemoryBound(to: Float.self), strides[0],
              memory.inputs[1].assumingMemoryBound(to: Float.self), strides[1],
              memory.outputs[0].assumingMemoryBound(to: Float.self)))
        }
        return Kernel(step, inputs: inputs, outputs: [output])
      }
    ]
  }

  /// Elements between the vectors of an input along the output's axes but the last three; 0 repeats.
  private static func strides(of input: Shape, rank: Int) -> [Int64] {
    let padded: Shape = input.padded(toRank: rank + 3)
    return zip(padded.dimensions, padded.strides).prefix(rank).map { $0 == 1 ? 0 : Int64($1) }
  }

  public static var samples: [OperatorSample] {
    func dot(_ isCosine: Bool) -> Spec.NeuralNetworkLayer {
      var message = Spec.DotProductLayerParams()
      message.cosineSimilarity = isCosine
      return Spec.NeuralNetworkLayer(.dot(message))
    }
    // By hand: 1·3 + 2·4 = 11; 3·4 + 4·3 = 24, over 5 · 5.
    return [
      OperatorSample(
        "dot product", dot(false),
        inputs: [([2, 1, 1], .values([1, 2])), ([2, 1, 1], .values([3, 4]))],
        expected: [ReferenceTensor([1, 1, 1], [11])]),
      OperatorSample(
        "cosine similarity", dot(true), mapping: .rank5,
        inputs: [([1, 1, 2, 1, 1], .values([3, 4])), ([1, 1, 2, 1, 1], .values([4, 3]))],
        expected: [ReferenceTensor([1, 1, 1, 1, 1], [0.96])]),
      OperatorSample(
        "a vector of zeros", dot(true),
        inputs: [([2, 1, 1], .values([0, 0])), ([2, 1, 1], .values([4, 3]))],
        expected: [ReferenceTensor([1, 1, 1], [0])]),
      OperatorSample(
        "a batch", dot(true), inputs: [[5, 33, 1, 1], [5, 33, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "one vector with many", dot(true), inputs: [[1, 64, 1, 1], [300, 64, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "broadcast both ways", dot(false), inputs: [[3, 1, 70, 1, 1], [1, 5, 70, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "pictures", dot(false), inputs: [[2, 3, 3], [2, 3, 3]],
        failure: "input 1 has the shape 2 × 3 × 3, expected rank 3 or more and 1 × 1 at the end"),
      OperatorSample(
        "different lengths", dot(false), inputs: [[2, 1, 1], [1, 1, 1]],
        failure: "the vectors have 2 and 1 values, expected as many"),
      OperatorSample(
        "one input", dot(false), inputs: [[2, 1, 1]], failure: "has 1 inputs, expected 2"),
    ]
  }
}
