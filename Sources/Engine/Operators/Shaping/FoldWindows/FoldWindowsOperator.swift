import Graph

/// Puts sliding windows back at the positions from which they were cut. Sums the elements where windows overlap.
///
///     y[n, c, p] = Σ x[n, c · |k| + k, w]   over windows w and elements k of a window
///                                           with w · stride + k · dilation − before = p
///
/// In the formula, *n* is a sample, *c* a channel, *p* a position on the spatial axes of the output, and *k* a position
/// in a window. Windows and their elements are in row-major order. Elements that fall into the padding are dropped.
///
/// - Inputs: `[N, C · |k|, windows]`, where `|k|` is the number of elements of a window. If ``extents`` is nil, the
///   second input holds the extents of the output as a vector. If ``kernel`` is nil, the third input holds the extents
///   of a window.
/// - Output: `[N, C, extents…]`.
/// - Errors: the extent of the second axis is not a multiple of the number of elements of a window. The number of
///   windows does not match the extents. The parameters have different numbers of axes.
///
/// **Source:** `Col2Im` of ONNX 18; `torch.nn.Fold`.
public struct FoldWindowsOperator: IntegerOperator {
  public static let declaration = OperatorDeclaration(
    "FoldWindows", summary: "adds windows back at the positions from which they were cut")

  /// The extents of the output, without the axes N and C; nil if the second input holds them.
  public let extents: [Int]?
  /// The extents of a window; nil if the third input holds them.
  public let kernel: [Int]?
  /// The step between neighbouring windows, for each axis, in elements of the output; at least 1.
  public let strides: [Int]
  /// The step between neighbouring elements of a window, for each axis, in elements of the output; at least 1.
  public let dilations: [Int]
  /// The padding at the start and at the end of each axis, in elements of the output.
  public let before: [Int], after: [Int]

  /// Creates an operator for windows with as many axes as `strides` has elements.
  public init(
    extents: [Int]?, kernel: [Int]?, strides: [Int], dilations: [Int], before: [Int], after: [Int]
  ) {
    self.extents = extents
    self.kernel = kernel
    self.strides = strides
    self.dilations = dilations
    self.before = before
    self.after = after
  }

  /// Returns true only for the first input, the windows. The other inputs hold extents.
  public func computes(with input: Int) -> Bool { input == 0 }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let extents = extents ?? inputs[1].integers,
      let kernel = kernel ?? inputs[2].integers
    else { return nil }
    return [inputs[0].type.reshaped(to: try windows(extents, kernel).shape(for: inputs[0].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (shape, sums) = try folded(inputs, inputs[0].reals, from: 0, by: +)
    return [ReferenceTensor(shape, sums)]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (shape, sums) = try folded(inputs, inputs[0].integerValues, from: 0, by: &+)
    let element: ElementType = inputs[0].element
    return [ReferenceTensor(shape, integerValues: sums.map(element.wrapped), element)]
  }

  private func folded<Number>(
    _ inputs: [ReferenceTensor], _ values: [Number], from zero: Number,
    by add: (Number, Number) -> Number
  ) throws -> (Shape, [Number]) {
    let windows: FoldedWindows = try windows(
      extents ?? inputs[1].integers, kernel ?? inputs[2].integers)
    let shape: Shape = try windows.shape(for: inputs[0].shape)
    let (offsets, area) = (windows.offsets, windows.area)
    var sums = [Number](repeating: zero, count: shape.count)
    for plane in 0..<shape[0] * shape[1] {
      for (index, offset) in offsets.enumerated() {
        guard let offset else { continue }
        let sum: Int = plane * area + offset
        sums[sum] = add(sums[sum], values[plane * offsets.count + index])
      }
    }
    return (shape, sums)
  }

  func windows(_ extents: [Int], _ kernel: [Int]) throws -> FoldedWindows {
    let counts = Set(
      [extents, kernel, strides, dilations, before, after].map(\.count))
    guard counts.count == 1, let axes = counts.first, axes > 0 else {
      throw EngineError(
        .invalidInput,
        "the extents \(extents) and the window \(kernel) are for other numbers of axes than the strides \(strides)."
      )
    }
    return try FoldedWindows(
      axes: (0..<axes).map { axis in
        try FoldedWindows.Axis(
          extent: extents[axis], kernel: kernel[axis], stride: strides[axis],
          dilation: dilations[axis], before: before[axis], after: after[axis])
      })
  }
}

/// The geometry of the windows. Gives, for each element of each window, the element's position in the output.
struct FoldedWindows {
  /// The windows along one axis.
  struct Axis {
    /// The number of elements of the output along the axis.
    let extent: Int
    /// The number of elements of a window along the axis.
    let kernel: Int
    /// The step between windows, the step between elements of a window, and the padding at the start of the axis. All
    /// three are in elements of the output.
    let stride: Int, dilation: Int, before: Int
    /// The number of windows along the axis.
    let count: Int

    init(extent: Int, kernel: Int, stride: Int, dilation: Int, before: Int, after: Int) throws {
      let sizes: [Int] = [extent, kernel, stride, dilation, before + 1, after + 1]
      guard sizes.allSatisfy({ (1...1 << 30).contains($0) }) else {
        throw EngineError(
          .invalidInput,
          "an axis of \(extent) with windows of \(kernel) in steps of \(stride) and \(dilation) with a padding of \(before) and \(after) does not exist."
        )
      }
      let space: Int = extent + before + after - (kernel - 1) * dilation - 1
      guard space >= 0 else {
        throw EngineError(
          .invalidInput,
          "a window of \(kernel) in steps of \(dilation) is longer than an axis of \(extent) with its padding."
        )
      }
      (self.extent, self.kernel) = (extent, kernel)
      (self.stride, self.dilation, self.before) = (stride, dilation, before)
      count = space / stride + 1
    }

    /// Returns the output's index along the axis for an element of a window; nil if the element is in the padding.
    func index(of element: Int, in window: Int) -> Int? {
      let offset: Int = window * stride + element * dilation - before
      return (0..<extent).contains(offset) ? offset : nil
    }
  }

  let axes: [Axis]

  /// The number of elements of one channel of one sample of the output.
  var area: Int { axes.map(\.extent).product }

  /// Returns the output's shape for an input of this shape, which holds the windows.
  func shape(for input: Shape) throws -> Shape {
    let size: Int = try Shape.checked(axes.map(\.kernel)).count
    let count: Int = try Shape.checked(axes.map(\.count)).count
    guard input.rank == 3, input[1] % size == 0, input[2] == count else {
      throw EngineError(
        .invalidInput,
        "the windows have the shape \(input), expected [N, C · \(size), \(count)]: \(count) windows of \(size) elements."
      )
    }
    return try Shape.checked([input[0], input[1] / size] + axes.map(\.extent))
  }

  /// For each element of the windows of one channel, the element's offset in the channel's plane of the output, counted
  /// in elements. The first elements of all windows come first, then the second elements of all windows, and so on. Nil
  /// for elements in the padding.
  var offsets: [Int?] {
    let strides: [Int] = Shape(axes.map(\.extent)).strides
    var offsets: [Int?] = []
    Shape(axes.map(\.kernel)).forEachIndex { element, _ in
      Shape(axes.map(\.count)).forEachIndex { window, _ in
        var sum: Int? = 0
        for (position, axis) in axes.enumerated() {
          let offset: Int? = axis.index(of: element[position], in: window[position])
          sum = sum.flatMap { sum in offset.map { sum + $0 * strides[position] } }
        }
        offsets.append(sum)
      }
    }
    return offsets
  }
}
