import Backends
import Graph
import ModelFormat

/// Turns axes around: `y[i] = x[extent − 1 − i]`, as `numpy.flip`.
///
/// - Input: a tensor of as many dimensions as there are flags.
///
/// **Source:** `ReverseLayerParams`.
public struct ReverseOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "Reverse", specification: "reverse", summary: "turns axes around")

  /// Which axes are turned around.
  public let isReversed: [Bool]

  /// A flag an axis.
  public init(isReversed: [Bool]) { self.isReversed = isReversed }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .reverse(let message)? = decoder.message.layer else {
      throw decoder.notA("reverse")
    }
    try decoder.requireInputs(1...1)
    self.init(isReversed: message.reverseDim)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs[0].shape.rank == isReversed.count else {
      throw EngineError(
        .invalidInput,
        "reverseDim names \(isReversed.count) axes, but the input has \(inputs[0].shape.rank) dimensions (\(inputs[0].shape))."
      )
    }
    return [inputs[0].type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    return [
      ReferenceTensor(input.shape) { index in
        input[index.indices.map { isReversed[$0] ? input.shape[$0] - 1 - index[$0] : index[$0] }]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [
      .moves("native reverse") { inputs, _ in
        let extents: [Int] = inputs[0].dimensions
        let starts: [Int] = zip(extents, isReversed).map { $1 ? max($0 - 1, 0) : 0 }
        return [
          Move(extents: extents, from: starts, sourceSteps: isReversed.map { $0 ? -1 : 1 })
        ]
      }
    ]
  }
}
