import Graph
import Operators

/// Quantisation by a scale and a zero point, and operators on quantised values.
///
/// A `float32` represents 8-bit integers and their products exactly. It represents sums of such products exactly up to
/// 2²⁴.
enum QuantizationReaders {
  static let all: [NodeReader] = [
    NodeReader("QuantizeLinear", as: [BinaryFunctionOperator.self, ClipOperator.self], .exact) {
      [try $0.quantized()]
    },
    NodeReader("DequantizeLinear", as: [BinaryFunctionOperator.self]) { [try $0.dequantized()] },
    NodeReader("DynamicQuantizeLinear", as: [ReduceAxesOperator.self], .exact) {
      try $0.dynamicallyQuantized()
    },
    NodeReader("MatMulInteger", as: [BatchedMatMulOperator.self], .exact) { node in
      let ranks: (Int, Int) = (try node.rank(node.tensor(0)), try node.rank(node.tensor(1)))
      let a = try node.withoutZero(0, zero: 2, isRow: true)
      let b = try node.withoutZero(1, zero: 3)
      return [try node.held(node.product(a, b, ranks: ranks), as: .int32)]
    },
    NodeReader("ConvInteger", as: [ConvolutionOperator.self], .exact) { node in
      let x = try node.withoutZero(0, zero: 2)
      let weights = ONNXTensor(try node.withoutZero(1, zero: 3, axis: 0), .float32)
      let made = try node.convolution(x, weights, bias: nil, transposed: false)
      return [try node.held(made, as: .int32)]
    },
    NodeReader("QLinearMatMul", as: [BatchedMatMulOperator.self], .exact) { node in
      let ranks: (Int, Int) = (try node.rank(node.tensor(0)), try node.rank(node.tensor(3)))
      let a = try node.withoutZero(0, zero: 2, isRow: true)
      let b = try node.withoutZero(3, zero: 5)
      let product = try node.product(a, b, ranks: ranks)
      let scale = try node.join(.multiply, node.rowParameter(1), node.tensor(4).id)
      return [try node.requantized(node.join(.multiply, product, scale), scale: 6, zero: 7)]
    },
    NodeReader("QLinearConv", as: [ConvolutionOperator.self], .exact) { node in
      let x = try node.withoutZero(0, zero: 2)
      let weights = ONNXTensor(try node.withoutZero(3, zero: 5, axis: 0), .float32)
      let bias: Graph.ValueID? = try node.optional(8).map { try node.real($0) }
      let made = try node.convolution(x, weights, bias: bias, transposed: false)
      let rank: Int = try node.rank(node.tensor(0))
      let ofChannel = try node.along(node.tensor(4), axis: 1, rank: rank)
      let scale = try node.join(.multiply, ofChannel, node.tensor(1).id)
      return [try node.requantized(node.join(.multiply, made, scale), scale: 6, zero: 7)]
    },
  ]
}

extension ONNXNode {
  /// Reshapes a parameter so that it broadcasts along an axis of a tensor.
  fileprivate func along(_ parameter: ONNXTensor, axis: Int, rank: Int) throws -> Graph.ValueID {
    guard try self.rank(parameter) == 1, rank > 1 else { return try real(parameter) }
    var shape = [Int](repeating: 1, count: rank)
    shape[axis] = -1
    return try reshaped(real(parameter), to: shape)
  }

  /// Returns a parameter that applies to the rows of a matrix. The parameter is one number, or one number per row.
  fileprivate func rowParameter(_ position: Int) throws -> Graph.ValueID {
    let parameter: ONNXTensor = try tensor(position)
    let value: Graph.ValueID = try real(parameter)
    return try rank(parameter) == 1 && extents(parameter) != [1]
      ? try reshaped(value, to: [-1, 1]) : value
  }

  /// Returns an input minus its zero point. `zero` is the index of the input that holds the zero point.
  fileprivate func withoutZero(
    _ position: Int, zero: Int, axis: Int? = nil, isRow: Bool = false
  ) throws -> Graph.ValueID {
    let x: ONNXTensor = try tensor(position)
    guard let point = try optional(zero) else { return try real(x) }
    if let known = try constant(point), known.reals.allSatisfy({ $0 == 0 }) { return try real(x) }
    let shift: Graph.ValueID =
      isRow
      ? try rowParameter(zero) : try along(point, axis: axis ?? 0, rank: axis == nil ? 0 : rank(x))
    return try join(.subtract, real(x), shift)
  }

  /// Quantises a real result. `scale` and `zero` are the indices of the inputs that hold the scale and the zero point.
  fileprivate func requantized(_ value: Graph.ValueID, scale: Int, zero: Int) throws -> ONNXTensor {
    let point: ONNXTensor = try tensor(zero)
    let rounded = try map(.round, join(.divide, value, rowParameter(scale)))
    return try clamped(join(.add, rounded, rowParameter(zero)), as: point.element)
  }

  /// Clamps integers to the range of an element type.
  fileprivate func clamped(_ value: Graph.ValueID, as element: ElementType) throws -> ONNXTensor {
    guard let range = element.integerRange else {
      throw unsupported("it quantises to \(element), expected an integer type.")
    }
    let clip = ClipOperator(minimum: Float(range.lowerBound), maximum: Float(range.upperBound))
    return try held(add(clip, value), as: element)
  }

  /// Reshapes a scale or zero point so that it broadcasts with `x`. The parameter holds one number, one number per
  /// index along the axis, or one number per block.
  private func spread(_ parameter: ONNXTensor, over x: ONNXTensor) throws -> Graph.ValueID {
    let (rank, own) = (try rank(x), try rank(parameter))
    if own == 0 { return try real(parameter) }
    // A single number applies to all elements, whatever axis the node states. The stated axis may not even exist: the
    // default is axis 1, but a bias has only axis 0.
    if own == 1, rank > 0, try extents(parameter) == [1] {
      return try reshaped(real(parameter), to: [])
    }
    let axis: Int = try axis(int("axis", or: 1), rank: max(rank, 1))
    if own == 1, rank > 0 { return try along(parameter, axis: axis, rank: rank) }
    let block: Int = int("block_size", or: 0)
    guard block > 0, own == rank else {
      throw invalid("a parameter has \(own) axes, expected none, one, or those of the input.")
    }
    guard let extent = try extents(x)[axis] else {
      let blockIndices = try join(
        .floorDivide, positions(below: self.extent(of: x.id, axis: axis)), constant([block]))
      return try add(GatherOperator(axis: axis), real(parameter), blockIndices)
    }
    _ = try Shape.computed([extent], "the blocks of axis \(axis)")
    let blockIndices = constant((0..<extent).map { $0 / block })
    return try add(GatherOperator(axis: axis), real(parameter), blockIndices)
  }

  fileprivate func quantized() throws -> ONNXTensor {
    let (x, scale) = (try tensor(0), try tensor(1))
    let zero: ONNXTensor? = try optional(2)
    let stated: Int = int("output_dtype", or: 0)
    let element: ElementType =
      try zero?.element ?? (stated == 0 ? .uint8 : ElementType(onnx: Int32(clamping: stated)))
    var value = try map(.round, join(.divide, real(x), spread(scale, over: x)))
    if let zero { value = try join(.add, value, spread(zero, over: x)) }
    return try clamped(value, as: element)
  }

  /// Computes (x − zero) · scale. A constant x of more than 64 elements stays stored as the integers of the file, if
  /// scale and zero point are constant, too.
  fileprivate func dequantized() throws -> ONNXTensor {
    let (x, scale) = (try tensor(0), try tensor(1))
    let zero: ONNXTensor? = try optional(2)
    if let stored = try stored(x, scale, zero) { return ONNXTensor(stored, scale.element) }
    var value: Graph.ValueID = try real(x)
    if let zero { value = try join(.subtract, value, spread(zero, over: x)) }
    return ONNXTensor(try join(.multiply, value, spread(scale, over: x)), scale.element)
  }

  private func stored(_ x: ONNXTensor, _ scale: ONNXTensor, _ zero: ONNXTensor?) throws
    -> Graph.ValueID?
  {
    guard let quantized = builder.graph[x.id].constant, quantized.stored != nil,
      let factors = builder.graph[scale.id].constant, quantized.count > 64,
      !x.element.isHeldAsInteger
    else { return nil }
    let points: Constant? = zero.flatMap { builder.graph[$0.id].constant }
    guard zero == nil || points != nil else { return nil }
    let rank: Int = quantized.shape.rank
    let isSpread: Bool = factors.count > 1 || (points?.count ?? 1) > 1
    let axis: Int = isSpread ? try axis(int("axis", or: 1), rank: rank) : 0
    func blocks(_ parameter: Constant) -> Constant? {
      if parameter.count == 1 {
        return parameter.reshaped(to: Shape([Int](repeating: 1, count: rank)))
      }
      if parameter.shape.rank == 1, parameter.count == quantized.shape[axis] {
        var shape = [Int](repeating: 1, count: rank)
        shape[axis] = parameter.count
        return parameter.reshaped(to: Shape(shape))
      }
      // The reader supports only blocks that divide the axis evenly.
      let block: Int = int("block_size", or: 0)
      guard parameter.shape.rank == rank, block > 0,
        [parameter.shape[axis], block].product == quantized.shape[axis]
      else { return nil }
      for other in 0..<rank where other != axis && parameter.shape[other] != quantized.shape[other]
      {
        return nil
      }
      return parameter
    }
    guard let spread = blocks(factors) else { return nil }
    var shift: Constant?
    if let points {
      guard let spreadPoints = blocks(points) else { return nil }
      shift = spreadPoints
    }
    let product: ElementType = scale.element.isRounded ? scale.element : .float32
    return builder.addConstant(
      try Constant.scaled(quantized, by: spread, from: shift, product: product), name: name)
  }

  /// Quantises numbers to `uint8`. Computes the scale and the zero point from the range of the numbers, which is first
  /// extended to include 0.
  fileprivate func dynamicallyQuantized() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let rank: Int = try rank(x)
    let axes = Array(0..<rank)
    let least = try join(
      .minimum, reduced(x.id, .minimum, axes, keepsAxes: false, rank: rank), number: 0)
    let most = try join(
      .maximum, reduced(x.id, .maximum, axes, keepsAxes: false, rank: rank), number: 0)
    let scale = try scaled(join(.subtract, most, least), by: 1 / 255)
    let quotient = try join(.divide, scaled(least, by: -1), scale)
    let zero = try map(.round, add(ClipOperator(minimum: 0, maximum: 255), quotient))
    let quantized = try join(.add, map(.round, join(.divide, x.id, scale)), zero)
    return [
      ONNXTensor(try add(ClipOperator(minimum: 0, maximum: 255), quantized), .uint8),
      ONNXTensor(scale, .float32), ONNXTensor(zero, .uint8),
    ]
  }
}
