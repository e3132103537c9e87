import Backends
import Graph
import ModelFormat

/// Gives its input another name: `y = x`. The name may exist already and then means the copy to the
/// layers behind; loops count this way.
///
/// - Input: any tensor. Output: the same tensor.
/// - Throws: when input and output have one name.
///
/// **Source:** `CopyLayerParams`.
public struct CopyOperator: ElementwiseOperator {
  public static let declaration = OperatorDeclaration(
    "Copy", specification: "copy", summary: "gives its input another name")

  /// A copy.
  public init() {}

  public init(decoding decoder: LayerDecoder) throws {
    guard case .copy? = decoder.message.layer else { throw decoder.notA("copy") }
    try decoder.requireInputs(1...1)
    if decoder.message.input == decoder.message.output {
      throw decoder.invalid(
        "the layer copies '\(decoder.message.input[0])' to itself, expected two names.")
    }
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }

  public var kernels: [KernelCandidate] { [.view] }

  public static let samples: [OperatorSample] = [
    OperatorSample(
      "a picture", Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams())), inputs: [[1, 3, 5, 7]],
      tolerance: .exact),
    OperatorSample(
      "five dimensions", Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams())), mapping: .rank5,
      inputs: [([1, 1, 2, 1, 2], .values([1, -2, 3, 4]))],
      expected: [ReferenceTensor([1, 1, 2, 1, 2], [1, -2, 3, 4])], tolerance: .exact),
    OperatorSample(
      "onto itself",
      {
        var layer = Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams()))
        (layer.input, layer.output) = (["x"], ["x"])
        return layer
      }(), inputs: [[2]], failure: "the layer copies 'x' to itself, expected two names."),
    OperatorSample(
      "two inputs", Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams())), inputs: [[2], [2]],
      failure: "the layer has 2 inputs, expected 1."),
  ]
}
