import Graph

/// Pooling: the maximum, the average or the Euclidean norm of every window of a feature map.
///
///     max:      y = max x
///     average:  y = Σ x / n
///     L2:       y = √ Σ x²
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch.
/// - Output: `[…, C, H', W']`; `[…, C, 1, 1]` when global.
/// - A maximum is NaN where a pixel of its window is.
/// - Padding: never wins a maximum and adds nothing to a sum. `n` counts the padding that the model
///   declares, unless ``excludesPadding``; a window that reaches beyond the declared padding, as
///   ``Padding/includeLastPixel(height:width:)`` allows, counts only up to its end (Caffe's rule).
/// - Defaults: kernel 3 × 3, stride 1 × 1, no padding.
/// - A window that touches no pixel (stride larger than the kernel with `includeLastPixel`) gives 0.
///
/// **Source:** `PoolingLayerParams`; for `includeLastPixel` Jia et al., “Caffe”, arXiv:1408.5093.
public struct PoolingOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Pooling", summary: "maximum, average or L2 norm of every window of a feature map")

  /// What is computed of a window.
  public enum Kind: Sendable, Hashable {
    case maximum
    case average
    case l2
  }

  /// How the border is treated.
  public enum Padding: Sendable, Hashable {
    /// The given border; windows lie wholly inside it.
    case valid(top: Int, bottom: Int, left: Int, right: Int)
    /// As much border that the output has the input's size divided by the stride, rounded up. An
    /// odd pixel goes to the bottom and right, or to the top and left.
    case same(topLeftHeavy: Bool)
    /// A symmetric border; windows go on until the last pixel is in one.
    case includeLastPixel(height: Int, width: Int)
    /// A symmetric border; windows go on until the last pixel is in one, but start no later than the
    /// pixels of a side that has a border end (the ceiling mode of ML Programs).
    case ceiling(height: Int, width: Int)
  }

  /// What is computed of a window.
  public let kind: Kind
  /// Extents of the window in pixels.
  public let kernelHeight: Int, kernelWidth: Int
  /// Distances between windows in pixels.
  public let strideHeight: Int, strideWidth: Int
  /// How the border is treated.
  public let padding: Padding
  /// Whether the average divides by the number of pixels inside the picture.
  public let excludesPadding: Bool
  /// Whether the window is the whole plane; the other sizes are ignored then.
  public let isGlobal: Bool

  /// A pooling.
  public init(
    _ kind: Kind, kernelHeight: Int = 3, kernelWidth: Int = 3, strideHeight: Int = 1,
    strideWidth: Int = 1, padding: Padding = .valid(top: 0, bottom: 0, left: 0, right: 0),
    excludesPadding: Bool = false, isGlobal: Bool = false
  ) {
    self.kind = kind
    self.kernelHeight = kernelHeight
    self.kernelWidth = kernelWidth
    self.strideHeight = strideHeight
    self.strideWidth = strideWidth
    self.padding = padding
    self.excludesPadding = excludesPadding
    self.isGlobal = isGlobal
  }

  /// A pooling over the whole plane.
  public static func global(_ kind: Kind) -> PoolingOperator {
    PoolingOperator(kind, isGlobal: true)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    let input = try FeatureMap(shape)
    let windows = try self.windows(height: input.height, width: input.width)
    var result = shape
    result[-2] = windows.height.count
    result[-1] = windows.width.count
    return [TensorType(result, inputs[0].type.element)]
  }

  /// The windows over a plane of the given size.
  package func windows(height: Int, width: Int) throws -> (height: PoolingAxis, width: PoolingAxis)
  {
    if isGlobal {
      return (PoolingAxis(whole: height), PoolingAxis(whole: width))
    }
    switch padding {
    case .valid(let top, let bottom, let left, let right):
      return (
        try PoolingAxis(
          valid: height, kernel: kernelHeight, stride: strideHeight, before: top, after: bottom,
          name: "high"),
        try PoolingAxis(
          valid: width, kernel: kernelWidth, stride: strideWidth, before: left, after: right,
          name: "wide")
      )
    case .same(let topLeftHeavy):
      return (
        PoolingAxis(
          same: height, kernel: kernelHeight, stride: strideHeight, startHeavy: topLeftHeavy),
        PoolingAxis(
          same: width, kernel: kernelWidth, stride: strideWidth, startHeavy: topLeftHeavy)
      )
    case .includeLastPixel(let padHeight, let padWidth):
      let dropsLast: Bool = padHeight > 0 || padWidth > 0
      return try complete(
        height, width, padHeight, padWidth, dropsLastRow: dropsLast, dropsLastColumn: dropsLast)
    case .ceiling(let padHeight, let padWidth):
      return try complete(
        height, width, padHeight, padWidth, dropsLastRow: padHeight > 0,
        dropsLastColumn: padWidth > 0)
    }
  }

  /// Windows until the last pixel is inside one.
  private func complete(
    _ height: Int, _ width: Int, _ padHeight: Int, _ padWidth: Int, dropsLastRow: Bool,
    dropsLastColumn: Bool
  ) throws -> (height: PoolingAxis, width: PoolingAxis) {
    (
      try PoolingAxis(
        includingLastPixelOf: height, kernel: kernelHeight, stride: strideHeight,
        padding: padHeight, dropsLast: dropsLastRow, name: "high"),
      try PoolingAxis(
        includingLastPixelOf: width, kernel: kernelWidth, stride: strideWidth, padding: padWidth,
        dropsLast: dropsLastColumn, name: "wide")
    )
  }
}

/// The windows along one axis.
package struct PoolingAxis: Sendable, Hashable {
  /// Pixels along the axis.
  package let extent: Int
  package let kernel: Int
  package let stride: Int
  /// Declared padding.
  package let before: Int, after: Int
  /// The number of windows.
  package let count: Int

  /// One window over everything.
  package init(whole extent: Int) {
    (self.extent, kernel, stride, before, after, count) = (extent, extent, 1, 0, 0, 1)
  }

  /// Windows inside the declared border.
  package init(valid extent: Int, kernel: Int, stride: Int, before: Int, after: Int, name: String)
    throws
  {
    let space: Int = extent + before + after - kernel
    guard space >= 0 else {
      throw EngineError(
        .invalidInput,
        "the input is \(extent) pixels \(name) with \(before + after) of padding, "
          + "expected at least the kernel's \(kernel).")
    }
    (self.extent, self.kernel, self.stride) = (extent, kernel, stride)
    (self.before, self.after) = (before, after)
    count = space / stride + 1
  }

  /// One window for every stride of the input.
  package init(same extent: Int, kernel: Int, stride: Int, startHeavy: Bool) {
    count = (extent + stride - 1) / stride
    let total: Int = max((count - 1) * stride + kernel - extent, 0)
    let small: Int = total / 2
    before = startHeavy ? total - small : small
    after = total - before
    (self.extent, self.kernel, self.stride) = (extent, kernel, stride)
  }

  /// Windows until the last pixel is inside one.
  package init(
    includingLastPixelOf extent: Int, kernel: Int, stride: Int, padding: Int, dropsLast: Bool,
    name: String
  ) throws {
    let space: Int = extent + 2 * padding - kernel
    guard space >= 0 else {
      throw EngineError(
        .invalidInput,
        "the input is \(extent) pixels \(name) with \(2 * padding) of padding, "
          + "expected at least the kernel's \(kernel).")
    }
    var windows: Int = (space + stride - 1) / stride + 1
    if dropsLast && (windows - 1) * stride >= extent + padding { windows -= 1 }
    count = windows
    (self.extent, self.kernel, self.stride) = (extent, kernel, stride)
    (before, after) = (padding, padding)
  }

  /// The pixels of a window that lie inside the input; empty when there are none.
  package func pixels(_ window: Int) -> Range<Int> {
    let start: Int = window * stride - before
    let low: Int = min(max(start, 0), extent)
    return low..<max(min(start + kernel, extent), low)
  }

  /// How many positions of a window lie in the input or its declared padding; at least one.
  package func countWithPadding(_ window: Int) -> Int {
    let start: Int = window * stride - before
    return max(min(start + kernel, extent + after) - start, 1)
  }

  /// Whether some window reaches beyond the declared padding.
  package var overhangs: Bool {
    count > 0 && (count - 1) * stride + kernel > before + extent + after
  }
}
