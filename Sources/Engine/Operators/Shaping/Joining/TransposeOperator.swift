import Backends
import Graph
import ModelFormat

/// Reorders the axes: output axis *i* is the input's `axes[i]`, as `numpy.transpose`.
///
/// - Input: a tensor of as many dimensions as axes are named; further ones of length 1 in front
///   stay there, as coremltools names three axes for a picture `[1, C, H, W]`.
///
/// **Source:** `TransposeLayerParams`.
public struct TransposeOperator: Layer {
  public static let declaration = OperatorDeclaration(
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

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    guard let axes = axes(of: input) else {
      throw EngineError(
        .invalidInput,
        "axes names \(self.axes.count) axes, but the input has \(input.rank) dimensions (\(input))."
      )
    }
    return [inputs[0].type.reshaped(to: Shape(axes.map { input[$0] }))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axes: [Int] = axes(of: input.shape) ?? self.axes
    return [
      ReferenceTensor(Shape(axes.map { input.shape[$0] })) { index in
        var source = index
        for (axis, origin) in axes.enumerated() { source[origin] = index[axis] }
        return input[source]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [
      .moves("native transpose") { inputs, _ in
        [.permutation(axes(of: inputs[0]) ?? axes, of: inputs[0])]
      }
    ]
  }

  /// The permutation for an input's own rank; nil where it does not fit.
  private func axes(of input: Shape) -> [Int]? {
    let extra: Int = input.rank - axes.count
    if extra == 0 { return axes }
    guard extra > 0, input.dimensions.prefix(extra).allSatisfy({ $0 == 1 }) else { return nil }
    return Array(0..<extra) + axes.map { $0 + extra }
  }
}
