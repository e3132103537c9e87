import Backends
import Graph
import ModelFormat

/// What a slice takes of each axis, as Python writes it: `begin:end:stride`.
public struct AxisSlice: Sendable, Hashable {
  /// The first index; negative counts from the end. Nil is open: where the stride starts from.
  public var begin: Int?
  /// The index before which to stop; negative counts from the end. Nil is open.
  public var end: Int?
  /// From one index to the next; negative runs backwards, never zero.
  public var stride: Int
  /// Whether only the first index is taken and the axis removed.
  public var isSqueezed: Bool

  /// A slice of one axis.
  public init(begin: Int? = nil, end: Int? = nil, stride: Int = 1, isSqueezed: Bool = false) {
    self.begin = begin
    self.end = end
    self.stride = stride
    self.isSqueezed = isSqueezed
  }

  /// The error for a stride of zero.
  package static func withoutStride(_ axis: Int) -> EngineError {
    EngineError(.invalidInput, "the stride of axis \(axis) is 0, expected another number.")
  }

  /// The indices that are taken; throws where a single one does not exist.
  package func range(_ extent: Int, axis: Int) throws -> SliceRange {
    guard isSqueezed else {
      return SliceRange(begin: begin, end: end, stride: stride, extent: extent)
    }
    let index: Int = begin ?? (stride < 0 ? -1 : 0)
    let place: Int = index < 0 ? index + extent : index
    guard (0..<extent).contains(place) else {
      throw EngineError(
        .invalidInput, "index \(index) of axis \(axis) does not exist; the axis has \(extent).")
    }
    return SliceRange(begin: place, end: place + 1, stride: 1, extent: extent)
  }
}

/// Slices of all axes resolved against a shape.
package struct ResolvedSlices: Sendable {
  /// What is taken of each axis of the input.
  package let ranges: [SliceRange]
  /// The stride of each axis of the input.
  package let strides: [Int]
  /// The input's axes that stay, in order.
  package let kept: [Int]
  /// The output.
  package let shape: Shape

  package init(_ slices: [AxisSlice], of input: Shape) throws {
    guard slices.count == input.rank else {
      throw EngineError(
        .invalidInput,
        "\(slices.count) axes are sliced, but the input has \(input.rank) dimensions (\(input)).")
    }
    if let axis = slices.firstIndex(where: { $0.stride == 0 }) {
      throw AxisSlice.withoutStride(axis)
    }
    ranges = try slices.enumerated().map { axis, slice in
      try slice.range(input[axis], axis: axis)
    }
    strides = slices.map { $0.isSqueezed ? 1 : $0.stride }
    kept = slices.indices.filter { !slices[$0].isSqueezed }
    let sizes: [Int] = kept.map { [ranges] in ranges[$0].count }
    shape = sizes.isEmpty ? [1] : Shape(sizes)
  }

  /// The input sliced, in plain loops.
  package func apply(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(shape) { index in
      var source: [Int] = ranges.map(\.first)
      for (position, axis) in kept.enumerated() { source[axis] += index[position] * strides[axis] }
      return input[source]
    }
  }

  /// The input sliced, as one move.
  package var move: Move {
    let dimensions: [Move.Dimension] = kept.enumerated().map { position, axis -> Move.Dimension in
      Move.Dimension(
        extent: shape[position], sourceAxis: axis, sourceStep: strides[axis],
        targetAxis: position)
    }
    var move = Move(sourceRank: ranges.count, targetRank: shape.rank, dimensions: dimensions)
    move.sourceStart = ranges.map(\.first)
    return move
  }
}

/// Takes ranges of all axes: `y = x[begin:end:stride, …]`, as NumPy.
///
/// - Input: a tensor of as many dimensions as there are slices.
/// - Bounds may be open, and count from the end where negative; they are moved into the axis. A
///   negative stride runs backwards. A squeezed axis keeps one index and disappears; when all do, one
///   axis of one element stays.
///
/// **Source:** `SliceStaticLayerParams`.
public struct SliceStaticOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "SliceStatic", specification: "sliceStatic", summary: "takes ranges of all axes")

  /// What is taken of each axis.
  public let slices: [AxisSlice]

  /// Slices of all axes.
  public init(slices: [AxisSlice]) { self.slices = slices }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .sliceStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("sliceStatic")
    }
    try decoder.requireInputs(1...1)
    let begins: [Int] = try decoder.integers(message.beginIds, "beginIds")
    let ends: [Int] = message.endIds.map { ReferenceTensor.integer(Double($0)) }
    let strides: [Int] = try decoder.integers(message.strides, "strides")
    let rank: Int = begins.count
    let squeezed: [Bool] = message.squeezeMasks
    let lengths: [Int] = [
      ends.count, strides.count, message.beginMasks.count, message.endMasks.count,
    ]
    guard lengths.allSatisfy({ $0 == rank }), squeezed.isEmpty || squeezed.count == rank else {
      throw decoder.invalid(
        "beginIds names \(rank) axes, but endIds, strides, beginMasks and endMasks name \(lengths): all must agree."
      )
    }
    self.init(
      slices: (0..<rank).map { axis -> AxisSlice in
        AxisSlice(
          begin: message.beginMasks[axis] ? nil : begins[axis],
          end: message.endMasks[axis] ? nil : ends[axis], stride: strides[axis],
          isSqueezed: squeezed.isEmpty ? false : squeezed[axis])
      })
  }

  public var makesScalar: Bool { !slices.isEmpty && slices.allSatisfy(\.isSqueezed) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try ResolvedSlices(slices, of: inputs[0].shape).shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try ResolvedSlices(slices, of: inputs[0].shape).apply(inputs[0])]
  }

  public var kernels: [KernelCandidate] {
    [
      .moves("native slice") { inputs, _ in
        [try ResolvedSlices(slices, of: inputs[0]).move]
      }
    ]
  }
}
