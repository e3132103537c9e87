import Engine
import ModelFormat

/// Reorders the axes: output axis *i* is the input's `axes[i]`, as `numpy.transpose`.
///
/// - Input: a tensor of as many dimensions as axes are named.
///
/// **Source:** `TransposeLayerParams`.
public struct TransposeLayer: Layer {
  public static let declaration = LayerDeclaration(
    "Transpose", specification: "transpose", summary: "reorders the axes")

  /// The input's axis behind each output axis.
  public let axes: [Int]

  /// A permutation of the axes.
  public init(axes: [Int]) { self.axes = axes }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .transpose(let message)? = decoder.message.layer else {
      throw decoder.notA("transpose")
    }
    try decoder.requireInputs(1...1)
    // The field is unsigned, but builders write axes that count from the end as they are.
    let axes: [Int] = try message.axes.map {
      try decoder.integer(Int64(bitPattern: $0), "axes")
    }
    self.init(axes: axes.map { $0 < 0 ? $0 + axes.count : $0 })
    guard self.axes.sorted() == Array(axes.indices) else {
      throw decoder.invalid(
        "axes is \(axes), expected a permutation of 0 to \(axes.count - 1).")
    }
  }

  public func outputTypes(for inputs: [LayerInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    guard input.rank == axes.count else {
      throw EngineError(
        .invalidInput,
        "axes names \(axes.count) axes, but the input has \(input.rank) dimensions (\(input)).")
    }
    return [inputs[0].type.reshaped(to: Shape(axes.map { input[$0] }))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    return [
      ReferenceTensor(Shape(axes.map { input.shape[$0] })) { index in
        var source = index
        for (axis, origin) in axes.enumerated() { source[origin] = index[axis] }
        return input[source]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [.moves("native transpose") { inputs, _ in [.permutation(axes, of: inputs[0])] }]
  }
}
