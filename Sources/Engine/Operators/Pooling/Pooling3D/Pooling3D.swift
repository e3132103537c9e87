import Graph

/// Pooling over three spatial dimensions: the maximum or the average of every window.
///
/// - Input: `[N, C, D, H, W]`, rank five.
/// - Output: `[N, C, D', H', W']`.
/// - Padding: custom amounts, none (`valid`), or `same`. With `same` the output has the input's size divided by the
///   stride, rounded up. If the amount of padding is odd, the extra element is at the end or, with `sameLower`, at the
///   start. A maximum ignores padding. The average counts padding unless ``excludesPadding`` is set.
/// - A window with a NaN element gives NaN; the maximum of a window without elements is 0.
/// - Defaults of the model file: kernel 3, stride 1, no padding.
///
/// **Source:** `Pooling3DLayerParams`.
public struct Pooling3DOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Pooling3D", summary: "maximum or average of every window of a volume")

  /// How the edges are padded.
  public enum Padding: Sendable, Hashable {
    /// The numbers of padding elements before the first and after the last element of each axis, in the order depth,
    /// height and width.
    case custom(before: [Int], after: [Int])
    /// As much padding as is needed for `⌈input size / stride⌉` outputs along each axis. If the amount is odd, the
    /// extra element is at the end.
    case same
    /// The same amount as for `same`. If the amount is odd, the extra element is at the start.
    case sameLower
  }

  /// Whether the operator computes the maximum instead of the average.
  public var isMaximum: Bool
  /// The extents of the window along depth, height and width, in elements.
  public var kernel: [Int]
  /// The steps between neighbouring windows along depth, height and width, in elements.
  public var stride: [Int]
  /// How the edges are padded.
  public var padding: Padding
  /// Whether the average divides by the number of the window's elements inside the volume. If false, padding counts
  /// too.
  public var excludesPadding: Bool

  /// Creates a pooling. `kernel` and `stride` are in the order depth, height and width.
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

  /// Returns the windows along depth, height and width.
  package func axes(_ shape: Shape) throws -> [PoolingAxis] {
    try shape.requireVolume()
    let directions: [String] = ["deep", "high", "wide"]
    return try (0..<3).map { (axis: Int) -> PoolingAxis in
      switch padding {
      case .same, .sameLower:
        return PoolingAxis(
          same: shape[2 + axis], kernel: kernel[axis], stride: stride[axis],
          startHeavy: padding == .sameLower)
      case .custom(let before, let after):
        return try PoolingAxis(
          valid: shape[2 + axis], kernel: kernel[axis], stride: stride[axis],
          before: before[axis], after: after[axis], direction: directions[axis])
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

  /// Whether the operator computes the maximum instead of the average.
  public var isMaximum: Bool

  /// Creates a pooling over whole volumes.
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

/// Computes the maximum or average of every window of a volume, in `Double`.
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
          let rowIndex: Int = (plane * shape[2] + depth) * shape[3] + row
          let value: Double = input.values[rowIndex * shape[4] + column]
          sum += value
          if value > largest || value.isNaN { largest = value }
        }
      }
    }
    let inside: Int = windows.map(\.count).product
    // The number of a window's elements is computed in `Double`, because with declared padding this number can exceed
    // the range of `Int`.
    let all: Double = (0..<3).map { Double(axes[$0].countWithPadding(index[2 + $0])) }
      .reduce(1.0) { $0 * $1 }
    result.values[position] =
      isMaximum ? largest : sum / max(excludesPadding ? Double(inside) : all, 1)
  }
  return result
}

extension Shape {
  /// Throws unless this is the shape of a batch of volumes.
  package func requireVolume() throws {
    guard rank == 5 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(self), expected five dimensions ([N, C, D, H, W]).")
    }
  }
}
