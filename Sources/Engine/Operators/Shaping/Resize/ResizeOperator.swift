import Graph

/// Resizes the last axes of a tensor to sizes that are stated or computed.
///
/// Linear: every axis is read between two neighbours at the points of a grid, see ``SamplingGrid``.
/// Nearest: with the grid ``SamplingGrid/upsample`` element `i · X / N` rounded down, with the others the
/// one nearest to the point, the later one where two are as near.
///
/// - Inputs: any tensor, and optionally the sizes as a vector; without it, the parameter. There is a
///   size for each of the last axes; 0 is the size that the axis has.
/// - Output: the same rank.
///
/// **Source:** `resize` of coremltools' iOS 17 operations.
public struct ResizeOperator: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "Resize", summary: "resizes the last axes to stated or computed sizes")

  /// How values between elements are found.
  public enum Mode: Sendable, Hashable {
    /// The nearest element.
    case nearest
    /// Between two neighbours of each axis.
    case linear
  }

  /// The sizes of the last axes; nil when the second input says.
  public let sizes: [Int]?
  /// How values between elements are found.
  public let mode: Mode
  /// Where the input is read.
  public let grid: SamplingGrid

  /// A resizing to sizes; nil where the second input holds them.
  public init(sizes: [Int]?, mode: Mode, grid: SamplingGrid) {
    self.sizes = sizes
    self.mode = mode
    self.grid = grid
  }

  public static var elementTypes: ElementTypes { .numbers }

  /// The number of axes that are resized, for inputs of these shapes.
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
    // What becomes smaller goes first: what lies in between is then no larger than the input or the output.
    let (smaller, larger) = (
      axes.filter { target[$0] <= inputs[0].shape[$0] },
      axes.filter { target[$0] > inputs[0].shape[$0] }
    )
    for axis in smaller + larger where target[axis] > 0 {
      result = resized(result, axis: axis, to: target[axis])
    }
    return [result]
  }

  /// One axis resized; the axes follow each other, as interpolation is separable.
  private func resized(_ input: ReferenceTensor, axis: Int, to count: Int) -> ReferenceTensor {
    let extent: Int = input.shape[axis]
    var shape: Shape = input.shape
    shape[axis] = count
    switch mode {
    case .nearest:
      let places: [Int] = grid.nearest(extent: extent, count: count)
      return ReferenceTensor(shape) { index in
        var source = index
        source[axis] = places[index[axis]]
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
  /// The element that is nearest to each point of an axis.
  package func nearest(extent: Int, count: Int) -> [Int] {
    // Whole numbers leave no doubt where a point meets an edge.
    if self == .upsample { return (0..<count).map { $0 * extent / count } }
    if self == .pixelCentres { return (0..<count).map { (2 * $0 + 1) * extent / (2 * count) } }
    return points(extent: extent, count: count).map { point in
      Int(bounding: (point + 0.5).rounded(.down), to: 0...max(0, extent - 1))
    }
  }
}
