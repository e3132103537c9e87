import Graph

/// Pooling over three spatial dimensions: the maximum or the average of every window.
///
/// - Input: `[N, C, D, H, W]`, rank five.
/// - Output: `[N, C, D', H', W']`.
/// - Padding: custom amounts, none (`valid`), or as much that the output has the input's size divided
///   by the stride, rounded up (`same`, an odd element at the end, `sameLower`, at the start). It never
///   wins a maximum; the average counts it unless ``excludesPadding``.
/// - A window with an element that is not a number gives that; the maximum of a window that holds no
///   element is 0.
/// - Defaults: kernel 3, stride 1, no padding.
///
/// **Source:** `Pooling3DLayerParams`.
public struct Pooling3DOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Pooling3D", summary: "maximum or average of every window of a volume")

  /// How the border is treated.
  public enum Padding: Sendable, Hashable {
    /// Amounts before and after depth, height and width.
    case custom(before: [Int], after: [Int])
    /// The output has the input's size divided by the stride, rounded up; an odd element at the end.
    case same
    /// The same with an odd element at the start.
    case sameLower
  }

  /// The maximum, or else the average.
  public var isMaximum: Bool
  /// Extents of the window: depth, height and width.
  public var kernel: [Int]
  /// Distances between windows: depth, height and width.
  public var stride: [Int]
  /// How the border is treated.
  public var padding: Padding
  /// Whether the average divides by the number of elements inside the volume.
  public var excludesPadding: Bool

  /// A pooling; sizes are depth, height and width.
  public init(
    isMaximum: Bool, kernel: [Int], stride: [Int],
    padding: Padding = .custom(before: [0, 0, 0], after: [0, 0, 0]), excludesPadding: Bool = false
  ) {
    precondition(kernel.count == 3 && stride.count == 3)
    self.isMaximum = isMaximum
    self.kernel = kernel
    self.stride = stride
    self.padding = padding
    self.excludesPadding = excludesPadding
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    let axes: [PoolingAxis] = try axes(shape)
    return [
      TensorType(Shape([shape[0], shape[1]] + axes.map(\.count)), inputs[0].type.element)
    ]
  }

  /// The windows along depth, height and width.
  package func axes(_ shape: Shape) throws -> [PoolingAxis] {
    try shape.requireVolume()
    let names: [String] = ["deep", "high", "wide"]
    return try (0..<3).map { (axis: Int) -> PoolingAxis in
      switch padding {
      case .same, .sameLower:
        return PoolingAxis(
          same: shape[2 + axis], kernel: kernel[axis], stride: stride[axis],
          startHeavy: padding == .sameLower)
      case .custom(let before, let after):
        return try PoolingAxis(
          valid: shape[2 + axis], kernel: kernel[axis], stride: stride[axis],
          before: before[axis], after: after[axis], name: names[axis])
      }
    }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let axes = try axes(inputs[0].shape)
    return [
      poolVolume(inputs[0], axes, isMaximum: isMaximum, excludesPadding: excludesPadding)
    ]
  }
}

/// Pooling of whole volumes: the maximum or the average over three spatial dimensions.
///
/// - Input: `[N, C, D, H, W]`, rank five. Output: `[N, C, 1, 1, 1]`.
///
/// **Source:** `GlobalPooling3DLayerParams`.
public struct GlobalPooling3DOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "GlobalPooling3D", summary: "maximum or average of a whole volume")

  /// The maximum, or else the average.
  public var isMaximum: Bool

  /// A pooling.
  public init(isMaximum: Bool) { self.isMaximum = isMaximum }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    try shape.requireVolume()
    return [TensorType([shape[0], shape[1], 1, 1, 1], inputs[0].type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let axes: [PoolingAxis] = (2..<5).map { PoolingAxis(whole: inputs[0].shape[$0]) }
    return [poolVolume(inputs[0], axes, isMaximum: isMaximum, excludesPadding: false)]
  }
}

/// The maximum or average of every window of a volume, in `Double`.
private func poolVolume(
  _ input: ReferenceTensor, _ axes: [PoolingAxis], isMaximum: Bool, excludesPadding: Bool
) -> ReferenceTensor {
  let shape: Shape = input.shape
  var result = ReferenceTensor(Shape([shape[0], shape[1]] + axes.map(\.count)))
  result.shape.forEachIndex { (index: [Int], position: Int) in
    let windows: [Range<Int>] = (0..<3).map { axes[$0].pixels(index[2 + $0]) }
    let plane: Int = index[0] * shape[1] + index[1]
    var sum: Double = 0
    var largest: Double = windows.contains(where: \.isEmpty) ? 0 : -.infinity
    for depth in windows[0] {
      for row in windows[1] {
        for column in windows[2] {
          let line: Int = (plane * shape[2] + depth) * shape[3] + row
          let value: Double = input.values[line * shape[4] + column]
          sum += value
          if value > largest || value.isNaN { largest = value }
        }
      }
    }
    let inside: Int = windows.map(\.count).product
    // Declared padding may make a window larger than any tensor.
    let all: Double = (0..<3).map { Double(axes[$0].countWithPadding(index[2 + $0])) }
      .reduce(1.0) { $0 * $1 }
    result.values[position] =
      isMaximum ? largest : sum / max(excludesPadding ? Double(inside) : all, 1)
  }
  return result
}

extension Shape {
  /// Checks that this is the shape of a batch of volumes.
  package func requireVolume() throws {
    guard rank == 5 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(self), expected five dimensions ([N, C, D, H, W]).")
    }
  }
}
