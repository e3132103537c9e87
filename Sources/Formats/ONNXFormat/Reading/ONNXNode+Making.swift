import Graph
import Operators

extension ONNXNode {
  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try add(operation, inputs, outputs: 1)[0]
  }

  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try add(operation, inputs, outputs: 1)[0]
  }

  /// Adds an operator that makes several values.
  ///
  /// Exporters write sizes of an example into models whose extents are free: then no type rule holds for other
  /// sizes, and the number of axes alone is known.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID], outputs: Int) throws
    -> [Graph.ValueID]
  {
    let made: [Graph.ValueID] = try builder.add(operation, inputs, outputs: outputs, name: name)
    if builder.extents(of: made[0]) == nil, let rank = rank(of: operation, inputs),
      let element = inputs.first.flatMap({ builder.element(of: $0) })
    {
      let open = [Extent](repeating: Extent(from: 0), count: rank)
      for value in made { builder.state(open, element, of: value) }
    }
    return made
  }

  /// The number of axes that an operator gives whatever the extents are; nil where that is not known.
  private func rank(of operation: any Operator, _ inputs: [Graph.ValueID]) -> Int? {
    let known: [Int] = inputs.compactMap { builder.rank(of: $0) }
    guard known.count == inputs.count, let first = known.first else { return nil }
    switch operation {
    case let product as BatchedMatMulOperator:
      return product.multipliesRows ? first : max(2, known.max() ?? 0)
    case let cast as CastOperator where cast.element == builder.element(of: inputs[0]): return first
    case is any PointwiseOperator: return known.max()
    case is SoftmaxNDOperator, is LayerNormalizationOperator, is TransposeOperator,
      is ConcatNDOperator, is SliceStaticOperator:
      return first
    case let reduction as ReduceAxesOperator where reduction.keepsAxes: return first
    case let reshape as ReshapeStaticOperator: return reshape.targetShape.count
    case let stretch as ExpandDimsOperator: return first + stretch.axes.count
    case let squeeze as SqueezeOperator: return squeeze.axes.map { max(1, first - $0.count) }
    case is GatherOperator where known.count == 2: return first + known[1] - 1
    default: return nil
    }
  }

  /// Adds a function of two values. Integers wrap around, or saturate where `element` says that they are held in
  /// fewer bits than the model states.
  func join(
    _ function: BinaryFunction, _ left: Graph.ValueID, _ right: Graph.ValueID,
    as element: ElementType = .int32
  ) throws -> Graph.ValueID {
    try add(
      BinaryFunctionOperator(function, overflow: element.overflowFromONNX), left, right)
  }

  /// Adds a function of one value and a number.
  func join(_ function: BinaryFunction, _ left: Graph.ValueID, number: Float) throws
    -> Graph.ValueID
  {
    try add(BinaryFunctionOperator(function, number: number), left)
  }

  /// Adds a function of each element.
  func map(_ function: UnaryFunction, _ value: Graph.ValueID) throws -> Graph.ValueID {
    try add(UnaryFunctionOperator(function), value)
  }

  /// A value times a number, plus another.
  func scaled(_ value: Graph.ValueID, by factor: Float, plus shift: Float = 0) throws
    -> Graph.ValueID
  {
    factor == 1 && shift == 0
      ? value : try add(ActivationOperator(.linear(alpha: factor, beta: shift)), value)
  }

  // MARK: - Constants

  /// A value that does not change.
  func constant(_ tensor: ReferenceTensor) -> Graph.ValueID {
    builder.addConstant(tensor, name: name)
  }

  /// A number of rank 0, as a graph holds numbers of a type.
  func constant(_ number: Double, as element: ElementType = .float32) -> Graph.ValueID {
    constant(ReferenceTensor([], repeating: number, element.heldFromONNX))
  }

  /// Whole numbers as a vector of `int32`.
  func constant(_ numbers: [Int]) -> Graph.ValueID {
    constant(
      ReferenceTensor(
        [numbers.count], wholes: numbers.map { Int64(clamping: $0) }, .int32))
  }

  /// Numbers as a vector of floats.
  func constant(_ numbers: [Double], _ shape: Shape) -> Graph.ValueID {
    constant(ReferenceTensor(shape, numbers, .float32))
  }

  // MARK: - Types

  /// A tensor as `float32`, whatever the graph holds.
  func real(_ tensor: ONNXTensor) throws -> Graph.ValueID {
    tensor.element.isHeldWhole
      ? try add(CastOperator(to: .float32), tensor.id) : tensor.id
  }

  /// A tensor as `int32`, whatever the graph holds.
  func whole(_ tensor: ONNXTensor) throws -> Graph.ValueID {
    tensor.element.isHeldWhole ? tensor.id : try add(CastOperator(to: .int32), tensor.id)
  }

  /// What was computed as `float32`, as the graph holds a type; fractions are cut off where it has none.
  func held(_ value: Graph.ValueID, as element: ElementType) throws -> ONNXTensor {
    ONNXTensor(
      element.isHeldWhole ? try add(CastOperator(to: .int32), value) : value, element)
  }

  /// What was computed as `int32`, as the graph holds a type, whose lowest bits are kept.
  func wrapped(_ value: Graph.ValueID, as element: ElementType) throws -> ONNXTensor {
    if element.isHeldWhole { return ONNXTensor(value, element) }
    guard element.isSmallWhole, !element.isPacked else {
      return ONNXTensor(try add(CastOperator(to: .float32), value), element)
    }
    let narrow = try add(CastOperator(to: element), value)
    return ONNXTensor(try add(CastOperator(to: .float32), narrow), element)
  }

  /// Truth values that were made of numbers of a type; comparisons give the type of their inputs.
  func truth(_ value: Graph.ValueID, of element: ElementType) throws -> ONNXTensor {
    ONNXTensor(
      element.isHeldWhole ? try add(CastOperator(to: .float32), value) : value, .bool)
  }

  // MARK: - Shapes

  /// The extents of a value as a vector of `int32`.
  func extents(of value: Graph.ValueID) throws -> Graph.ValueID {
    try add(CastOperator(to: .int32), add(GetShapeOperator(), value))
  }

  /// The same values under another shape; 0 keeps an extent, −1 follows.
  func reshaped(_ value: Graph.ValueID, to shape: [Int]) throws -> Graph.ValueID {
    try add(ReshapeStaticOperator(targetShape: shape), value)
  }

  /// A value with its axes in another order.
  func transposed(_ value: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    axes == Array(axes.indices) ? value : try add(TransposeOperator(axes: axes), value)
  }

  /// A value with new axes of extent one at these places of the result.
  func stretched(_ value: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    axes.isEmpty ? value : try add(ExpandDimsOperator(axes: axes), value)
  }

  /// A value without these axes of extent one.
  func squeezed(_ value: Graph.ValueID, _ axes: [Int], rank: Int) throws -> Graph.ValueID {
    if axes.isEmpty { return value }
    return axes.count == rank
      ? try reshaped(value, to: []) : try add(SqueezeOperator(axes: axes), value)
  }

  /// The range of one axis.
  func sliced(
    _ value: Graph.ValueID, axis: Int, rank: Int, from begin: Int?, to end: Int?, by step: Int = 1
  ) throws -> Graph.ValueID {
    var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
    slices[axis] = AxisSlice(begin: begin, end: end, stride: step)
    return try add(SliceStaticOperator(slices: slices), value)
  }

  /// The extent of one axis, as `int32` of rank 0.
  func extent(of value: Graph.ValueID, axis: Int) throws -> Graph.ValueID {
    let all: Graph.ValueID = try extents(of: value)
    return try add(
      SliceStaticOperator(slices: [AxisSlice(begin: axis, isSqueezed: true)]), all)
  }

  /// A value stretched to a shape that may hold computed extents.
  func broadcast(_ value: Graph.ValueID, to shape: Graph.ValueID) throws -> Graph.ValueID {
    if let known = try builder.constant(of: shape)?.tensor() {
      return try add(
        BroadcastToStaticOperator(targetShape: known.reals.map(Self.whole)), value)
    }
    return try add(BroadcastToDynamicOperator(), value, shape)
  }
}
