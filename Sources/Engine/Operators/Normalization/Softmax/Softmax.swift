import Graph
import Glibc

/// Softmax over the channels.
///
///     y[c] = e^x[c] / Σ e^x[j]
///
/// - Input: `[…, C, H, W]`, rank three or more. The sum is over axis −3 in both array mappings of the model format, the
///   rank-5 mapping and the exact mapping.
/// - Output: the input's shape.
/// - Edge: the largest input of the sum is first subtracted from every input, so that large inputs do not overflow. If
///   one input of a sum is NaN, all outputs that are divided by this sum are NaN.
///
/// **Source:** `SoftmaxLayerParams`.
public struct SoftmaxOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Softmax", summary: "e^x / Σ e^x over the channels")

  /// Creates a softmax over the channels.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    _ = try FeatureMap(shape)
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [softmaxReference(inputs[0], axis: inputs[0].shape.rank - 3)]
  }
}

/// Softmax over any axis.
///
///     y[i] = e^x[i] / Σ e^x[j]
///
/// - Input: any shape of rank one or more. Output: the input's shape.
/// - ``axis``: the axis of the sum; a negative axis counts from the end.
/// - Edge: if one input of a sum is NaN, all outputs that are divided by this sum are NaN.
/// - Errors: the input does not have the axis.
///
/// **Source:** `SoftmaxNDLayerParams`.
public struct SoftmaxNDOperator: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "SoftmaxND", summary: "e^x / Σ e^x over one axis")

  /// The axis of the sum; a negative axis counts from the end.
  public var axis: Int

  /// Creates a softmax over an axis.
  public init(axis: Int) { self.axis = axis }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    guard shape.resolvedAxis(axis) != nil else {
      throw EngineError(
        .invalidInput,
        "the axis is \(axis), expected one of the input's \(shape.rank) dimensions (\(shape)).")
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard let resolved = inputs[0].shape.resolvedAxis(axis) else { return inputs }
    return [softmaxReference(inputs[0], axis: resolved)]
  }
}

/// Computes the softmax over an axis in `Double`.
private func softmaxReference(_ input: ReferenceTensor, axis: Int) -> ReferenceTensor {
  var result: ReferenceTensor = input
  let extent: Int = input.shape[axis]
  let inner: Int = input.shape.dimensions.dropFirst(axis + 1).product
  guard input.shape.count > 0 else { return result }
  for outer in 0..<input.shape.count / (extent * inner) {
    for offset in 0..<inner {
      let offsets: [Int] = (0..<extent).map { outer * extent * inner + $0 * inner + offset }
      let largest: Double = offsets.map { input.values[$0] }.max() ?? 0
      let powers: [Double] = offsets.map { exp(input.values[$0] - largest) }
      let sum: Double = powers.reduce(0, +)
      for (element, power) in zip(offsets, powers) { result.values[element] = power / sum }
    }
  }
  return result
}
