import Graph

/// Puts windows back to where they were cut from, and adds up where they overlap.
///
///     y[n, c, p] = Σ x[n, c · |k| + k, w]   over windows w and places k in them
///                                           with w · stride + k · dilation − before = p
///
/// Windows and their places are counted with the last axis running fastest; what falls into the margin is left
/// out.
///
/// - Inputs: `[N, C · |k|, windows]`, and where the parameters do not say them the extents of the output and then
///   those of a window, as vectors.
/// - Output: `[N, C, extents…]`.
/// - Errors: channels that are no multiple of a window's places; another number of windows than fit in the
///   extents; parameters for different numbers of axes.
///
/// **Source:** `Col2Im` of ONNX 18; `torch.nn.Fold`.
public struct FoldWindowsOperator: WholeNumberOperator {
  public static let declaration = OperatorDeclaration(
    "FoldWindows", summary: "adds up windows at the places that they were cut from")

  /// The output's extents; nil where the second input holds them.
  public let extents: [Int]?
  /// The extents of a window; nil where the third input holds them.
  public let kernel: [Int]?
  /// From one window to the next, for each axis; at least 1.
  public let strides: [Int]
  /// From one place in a window to the next, for each axis; at least 1.
  public let dilations: [Int]
  /// The margin in front of each axis, and after it.
  public let before: [Int], after: [Int]

  /// Windows over as many axes as there are strides.
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

  /// The other inputs hold extents.
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

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (shape, sums) = try folded(inputs, inputs[0].wholes, from: 0, by: &+)
    let element: ElementType = inputs[0].element
    return [ReferenceTensor(shape, wholes: sums.map(element.wrapped), element)]
  }

  private func folded<Number>(
    _ inputs: [ReferenceTensor], _ values: [Number], from zero: Number,
    by add: (Number, Number) -> Number
  ) throws -> (Shape, [Number]) {
    let windows: FoldedWindows = try windows(
      extents ?? inputs[1].integers, kernel ?? inputs[2].integers)
    let shape: Shape = try windows.shape(for: inputs[0].shape)
    let (places, area) = (windows.places, windows.area)
    var sums = [Number](repeating: zero, count: shape.count)
    for plane in 0..<shape[0] * shape[1] {
      for (index, place) in places.enumerated() {
        guard let place else { continue }
        let sum: Int = plane * area + place
        sums[sum] = add(sums[sum], values[plane * places.count + index])
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

/// Where the elements of windows belong.
struct FoldedWindows {
  /// The windows along one axis.
  struct Axis {
    let extent: Int
    let kernel: Int
    let stride: Int, dilation: Int, before: Int
    /// How many windows there are.
    let count: Int

    init(extent: Int, kernel: Int, stride: Int, dilation: Int, before: Int, after: Int) throws {
      let sizes: [Int] = [extent, kernel, stride, dilation, before + 1, after + 1]
      guard sizes.allSatisfy({ (1...1 << 30).contains($0) }) else {
        throw EngineError(
          .invalidInput,
          "an axis of \(extent) with windows of \(kernel) in steps of \(stride) and \(dilation) between margins of \(before) and \(after) does not exist."
        )
      }
      let space: Int = extent + before + after - (kernel - 1) * dilation - 1
      guard space >= 0 else {
        throw EngineError(
          .invalidInput,
          "a window of \(kernel) in steps of \(dilation) is longer than an axis of \(extent) with its margins."
        )
      }
      (self.extent, self.kernel) = (extent, kernel)
      (self.stride, self.dilation, self.before) = (stride, dilation, before)
      count = space / stride + 1
    }

    /// Where an element of a window belongs; nil for the margin.
    func place(of element: Int, in window: Int) -> Int? {
      let place: Int = window * stride + element * dilation - before
      return (0..<extent).contains(place) ? place : nil
    }
  }

  let axes: [Axis]

  /// The number of elements of a plane of the output.
  var area: Int { axes.map(\.extent).product }

  /// The output's shape for windows of this shape.
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

  /// The place of each element of a channel's windows in its plane, all windows' first elements first; nil for
  /// what falls into the margin.
  var places: [Int?] {
    let strides: [Int] = Shape(axes.map(\.extent)).strides
    var places: [Int?] = []
    Shape(axes.map(\.kernel)).forEachIndex { element, _ in
      Shape(axes.map(\.count)).forEachIndex { window, _ in
        var sum: Int? = 0
        for (position, axis) in axes.enumerated() {
          let place: Int? = axis.place(of: element[position], in: window[position])
          sum = sum.flatMap { sum in place.map { sum + $0 * strides[position] } }
        }
        places.append(sum)
      }
    }
    return places
  }
}
