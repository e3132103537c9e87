import Graph

/// Resizes the last axes of a tensor to sizes that the model states or another operator computes.
///
/// Linear mode: on every axis, the operator interpolates between the two elements on either side of each point of a
/// grid; see ``SamplingGrid``.
///
/// Nearest mode: if the grid is ``SamplingGrid/upsample``, point *i* of N points on an axis of X elements is a copy of
/// the element at the index `i · X / N`, rounded down. With the other grids, a point is a copy of the element nearest
/// to it. If two elements are equally near, the operator copies the element with the higher index.
///
/// - Inputs: any tensor. If ``sizes`` is nil, a second input holds the sizes as a vector. There is one size for each of
///   the last axes, and a size of 0 keeps the input's extent.
/// - Output: the input's rank.
///
/// **Source:** `resize` of coremltools' iOS 17 operations.
public struct ResizeOperator: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Resize", summary: "resizes the last axes to given or computed sizes")

  /// The interpolation between elements of the input.
  public enum Mode: Sendable, Hashable {
    /// Copies the nearest element.
    case nearest
    /// Interpolates linearly between two neighbours along each axis.
    case linear
  }

  /// The sizes of the last axes; nil if the second input holds the sizes.
  public let sizes: [Int]?
  /// The interpolation between elements of the input.
  public let mode: Mode
  /// The placement of the points at which the input is read.
  public let grid: SamplingGrid

  /// Creates a resize. `sizes` is nil if the second input holds the sizes.
  public init(sizes: [Int]?, mode: Mode, grid: SamplingGrid) {
    self.sizes = sizes
    self.mode = mode
    self.grid = grid
  }

  public static var elementTypes: ElementTypes { .numbers }

  /// Returns how many of the last axes are resized, for inputs of these shapes.
  package func axisCount(_ inputs: [Shape]) -> Int { sizes?.count ?? inputs[1].count }

  private func shape(_ input: Shape, _ sizes: [Int]) throws -> Shape {
    guard sizes.count <= input.rank else {
      throw EngineError(
        .invalidInput,
        "\(sizes.count) sizes are given, but the input has \(input.rank) dimensions (\(input)).")
    }
    var dimensions: [Int] = input.dimensions
    for (position, size) in sizes.enumerated() where size != 0 {
      let axis: Int = input.rank - sizes.count + position
      guard input[axis] > 0 else {
        throw EngineError(
          .invalidInput, "axis \(axis) of the input (\(input)) has no elements to resize from.")
      }
      dimensions[axis] = size
    }
    return try Shape.checked(dimensions, limit: Shape.boundlessCount)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = sizes ?? inputs[1].integers else { return nil }
    return [inputs[0].type.reshaped(to: try shape(inputs[0].shape, sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result = inputs[0]
    let target: Shape = try shape(result.shape, sizes ?? inputs[1].integers)
    let axes: Range<Int> = (target.rank - axisCount(inputs.map(\.shape)))..<target.rank
    // Axes that shrink are resized before axes that grow. Each intermediate result is then at most as large as the
    // larger of the input and the output.
    let (smaller, larger) = (
      axes.filter { target[$0] <= inputs[0].shape[$0] },
      axes.filter { target[$0] > inputs[0].shape[$0] }
    )
    for axis in smaller + larger where target[axis] > 0 {
      result = resized(result, axis: axis, to: target[axis])
    }
    return [result]
  }

  /// Resizes one axis. Because interpolation is separable, the caller can resize the axes one after the other.
  private func resized(_ input: ReferenceTensor, axis: Int, to count: Int) -> ReferenceTensor {
    let extent: Int = input.shape[axis]
    var shape: Shape = input.shape
    shape[axis] = count
    switch mode {
    case .nearest:
      let indices: [Int] = grid.nearest(extent: extent, count: count)
      return ReferenceTensor(shape) { index in
        var source = index
        source[axis] = indices[index[axis]]
        return input[source]
      }
    case .linear:
      return ReferenceTensor(shape) { index in
        let tap = InterpolationTap(
          grid.point(index[axis], from: 0, to: Double(extent - 1), count: count), extent: extent)
        var source = index
        source[axis] = tap.lower
        let low: Double = input[source]
        source[axis] = tap.upper
        return low * (1 - tap.weight) + input[source] * tap.weight
      }
    }
  }
}

extension SamplingGrid {
  /// Returns, for each of `count` points on an axis, the index of the nearest of the axis's `extent` elements.
  package func nearest(extent: Int, count: Int) -> [Int] {
    // Integer division is exact. In floating-point arithmetic, a point on the edge between two elements could round to
    // the wrong element.
    if self == .upsample { return (0..<count).map { $0 * extent / count } }
    if self == .pixelCentres { return (0..<count).map { (2 * $0 + 1) * extent / (2 * count) } }
    return points(extent: extent, count: count).map { point in
      Int(bounding: (point + 0.5).rounded(.down), to: 0...max(0, extent - 1))
    }
  }
}
