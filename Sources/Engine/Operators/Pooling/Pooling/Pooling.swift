import Graph

/// Pooling: the maximum, the average or the Euclidean norm of every window of a feature map.
///
///     max:      y = max x
///     average:  y = Σ x / n
///     L2:       y = √ Σ x²
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch.
/// - Output: `[…, C, H', W']`; `[…, C, 1, 1]` if global.
/// - A maximum is NaN if a pixel of its window is NaN.
/// - Padding: a maximum ignores padding, and padding adds nothing to a sum. The divisor `n` of an average is the number
///   of pixels in the window. The padding that the model declares counts, unless ``excludesPadding`` is set. With
///   ``Padding/includeLastPixel(height:width:)`` or ``Padding/ceiling(height:width:)`` a window may extend beyond the
///   declared padding. The part beyond the declared padding does not count towards `n` (Caffe's rule).
/// - Defaults of the initialiser: kernel 3 × 3, stride 1 × 1, no padding.
/// - A window that contains no pixel gives 0. Such windows occur with `includeLastPixel` if the stride is larger than
///   the kernel.
///
/// **Source:** `PoolingLayerParams`; for `includeLastPixel` Jia et al., “Caffe”, arXiv:1408.5093.
public struct PoolingOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Pooling", summary: "maximum, average or L2 norm of every window of a feature map")

  /// The function that the operator computes for each window.
  public enum Kind: Sendable, Hashable {
    case maximum
    case average
    case l2
  }

  /// How the edges are padded.
  public enum Padding: Sendable, Hashable {
    /// The numbers of padding pixels on the four sides of the image. Every window lies entirely inside the image and
    /// its padding.
    case valid(top: Int, bottom: Int, left: Int, right: Int)
    /// As much padding as is needed for `⌈input size / stride⌉` outputs along each axis. If the number of padding
    /// pixels along an axis is odd, the extra pixel is at the top or left if `topLeftHeavy` is true, otherwise at the
    /// bottom or right.
    case same(topLeftHeavy: Bool)
    /// `height` padding pixels above the image and as many below it, `width` padding pixels to its left and as many to
    /// its right. The first window that reaches the end of the padding is the last one; it may extend beyond the
    /// padding. If either axis has padding, no window starts after the last pixel of any axis.
    case includeLastPixel(height: Int, width: Int)
    /// The ceiling mode of ML Programs: padding and windows as for `includeLastPixel`, but with another rule for the
    /// last window. Along each axis that has padding, no window starts after the last pixel.
    case ceiling(height: Int, width: Int)
  }

  /// The function that the operator computes for each window.
  public let kind: Kind
  /// The height and width of the window, in pixels. Ignored if ``isGlobal`` is set.
  public let kernelHeight: Int, kernelWidth: Int
  /// The steps between neighbouring windows, in pixels. Ignored if ``isGlobal`` is set.
  public let strideHeight: Int, strideWidth: Int
  /// How the edges are padded.
  public let padding: Padding
  /// Whether the average divides by the number of the window's pixels inside the image. If false, declared padding
  /// counts too.
  public let excludesPadding: Bool
  /// Whether the window is the whole plane. Then kernel, strides and padding are ignored.
  public let isGlobal: Bool

  /// Creates a pooling.
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

  /// Creates a pooling over the whole plane.
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

  /// Returns the windows along the height and the width of a plane of this size.
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
          direction: "high"),
        try PoolingAxis(
          valid: width, kernel: kernelWidth, stride: strideWidth, before: left, after: right,
          direction: "wide")
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

  /// Returns the windows along the height and along the width. Along each axis, the first window that reaches the end
  /// of the padding is the last window. If `dropsLastRow` is true, a last window that starts after the last row is
  /// dropped. `dropsLastColumn` does the same for the columns.
  private func complete(
    _ height: Int, _ width: Int, _ padHeight: Int, _ padWidth: Int, dropsLastRow: Bool,
    dropsLastColumn: Bool
  ) throws -> (height: PoolingAxis, width: PoolingAxis) {
    (
      try PoolingAxis(
        includingLastPixelOf: height, kernel: kernelHeight, stride: strideHeight,
        padding: padHeight, dropsLast: dropsLastRow, direction: "high"),
      try PoolingAxis(
        includingLastPixelOf: width, kernel: kernelWidth, stride: strideWidth, padding: padWidth,
        dropsLast: dropsLastColumn, direction: "wide")
    )
  }
}

/// The windows along one axis.
package struct PoolingAxis: Sendable, Hashable {
  /// The number of pixels along the axis.
  package let extent: Int
  /// The number of pixels of a window.
  package let kernel: Int
  /// The step between neighbouring windows, in pixels.
  package let stride: Int
  /// The declared padding before and after the axis, in pixels.
  package let before: Int, after: Int
  /// The number of windows.
  package let count: Int

  /// Creates one window over the whole axis.
  package init(whole extent: Int) {
    (self.extent, kernel, stride, before, after, count) = (extent, extent, 1, 0, 0, 1)
  }

  /// Creates the windows that lie entirely inside the axis and its padding.
  package init(
    valid extent: Int, kernel: Int, stride: Int, before: Int, after: Int, direction: String
  )
    throws
  {
    let space: Int = extent + before + after - kernel
    guard space >= 0 else {
      throw EngineError(
        .invalidInput,
        "the input is \(extent) pixels \(direction) with \(before + after) of padding, "
          + "expected at least the kernel's \(kernel).")
    }
    (self.extent, self.kernel, self.stride) = (extent, kernel, stride)
    (self.before, self.after) = (before, after)
    count = space / stride + 1
  }

  /// Creates the windows of *same* padding: one window for every `stride` pixels of the axis, rounded up.
  package init(same extent: Int, kernel: Int, stride: Int, startHeavy: Bool) {
    count = (extent + stride - 1) / stride
    let total: Int = max((count - 1) * stride + kernel - extent, 0)
    let small: Int = total / 2
    before = startHeavy ? total - small : small
    after = total - before
    (self.extent, self.kernel, self.stride) = (extent, kernel, stride)
  }

  /// Creates windows from the start of the padding. The first window that reaches the end of the padding is the last
  /// window. If `dropsLast` is true, a last window that starts after the last pixel is dropped.
  package init(
    includingLastPixelOf extent: Int, kernel: Int, stride: Int, padding: Int, dropsLast: Bool,
    direction: String
  ) throws {
    let space: Int = extent + 2 * padding - kernel
    guard space >= 0 else {
      throw EngineError(
        .invalidInput,
        "the input is \(extent) pixels \(direction) with \(2 * padding) of padding, "
          + "expected at least the kernel's \(kernel).")
    }
    var windows: Int = (space + stride - 1) / stride + 1
    if dropsLast && (windows - 1) * stride >= extent + padding { windows -= 1 }
    count = windows
    (self.extent, self.kernel, self.stride) = (extent, kernel, stride)
    (before, after) = (padding, padding)
  }

  /// Returns the pixels of a window that are inside the input. The range is empty if the window has no such pixel.
  package func pixels(_ window: Int) -> Range<Int> {
    let start: Int = window * stride - before
    let low: Int = min(max(start, 0), extent)
    return low..<max(min(start + kernel, extent), low)
  }

  /// Returns how many pixels of a window are in the input or its declared padding; at least one.
  package func countWithPadding(_ window: Int) -> Int {
    let start: Int = window * stride - before
    return max(min(start + kernel, extent + after) - start, 1)
  }

  /// Whether a window extends beyond the declared padding.
  package var overhangs: Bool {
    count > 0 && (count - 1) * stride + kernel > before + extent + after
  }
}
