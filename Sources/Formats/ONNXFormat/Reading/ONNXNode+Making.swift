import Graph
import Operators

extension ONNXNode {
  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try add(operation, inputs, outputs: 1)[0]
  }

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try add(operation, inputs, outputs: 1)[0]
  }

  /// Adds an operator with several outputs, and returns the outputs.
  ///
  /// Exporters write the sizes of an example input into models with dynamic extents. For other sizes, shape inference
  /// may fail. If it does, this function declares only the rank of each output.
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

  /// Returns the rank of an operator's output, if the rank is the same for all extents of the inputs. Nil if the rank
  /// is not known.
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

  /// Adds a function of two values. `element` is the ONNX type of the result. Its ``ElementType/overflowFromONNX`` says
  /// whether integer results wrap around or are clamped.
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

  /// Adds an elementwise function.
  func map(_ function: UnaryFunction, _ value: Graph.ValueID) throws -> Graph.ValueID {
    try add(UnaryFunctionOperator(function), value)
  }

  /// Multiplies a value by a factor and adds a shift.
  func scaled(_ value: Graph.ValueID, by factor: Float, plus shift: Float = 0) throws
    -> Graph.ValueID
  {
    factor == 1 && shift == 0
      ? value : try add(ActivationOperator(.linear(alpha: factor, beta: shift)), value)
  }

  // MARK: - Constants

  /// Adds a constant to the graph.
  func constant(_ tensor: ReferenceTensor) -> Graph.ValueID {
    builder.addConstant(tensor, name: name)
  }

  /// Adds a constant of rank 0. The graph stores it in the type that it uses for tensors of the ONNX type `element`.
  func constant(_ number: Double, as element: ElementType = .float32) -> Graph.ValueID {
    constant(ReferenceTensor([], repeating: number, element.heldFromONNX))
  }

  /// Adds a constant vector of type `int32`.
  func constant(_ numbers: [Int]) -> Graph.ValueID {
    constant(
      ReferenceTensor(
        [numbers.count], integerValues: numbers.map { Int64(clamping: $0) }, .int32))
  }

  /// Adds a constant of type `float32` with this shape.
  func constant(_ numbers: [Double], _ shape: Shape) -> Graph.ValueID {
    constant(ReferenceTensor(shape, numbers, .float32))
  }

  // MARK: - Types

  /// Returns a tensor as `float32`. Casts the tensor if necessary.
  func real(_ tensor: ONNXTensor) throws -> Graph.ValueID {
    tensor.element.isHeldAsInteger
      ? try add(CastOperator(to: .float32), tensor.id) : tensor.id
  }

  /// Returns a tensor as `int32`. Casts the tensor if necessary.
  func integer(_ tensor: ONNXTensor) throws -> Graph.ValueID {
    tensor.element.isHeldAsInteger ? tensor.id : try add(CastOperator(to: .int32), tensor.id)
  }

  /// Casts a `float32` result to the type in which the graph stores `element`. Casts to integer types truncate.
  func held(_ value: Graph.ValueID, as element: ElementType) throws -> ONNXTensor {
    ONNXTensor(
      element.isHeldAsInteger ? try add(CastOperator(to: .int32), value) : value, element)
  }

  /// Casts an `int32` result to the type in which the graph stores `element`. Smaller integer types keep the lowest
  /// bits.
  func wrapped(_ value: Graph.ValueID, as element: ElementType) throws -> ONNXTensor {
    if element.isHeldAsInteger { return ONNXTensor(value, element) }
    guard element.isSmallInteger, !element.isPacked else {
      return ONNXTensor(try add(CastOperator(to: .float32), value), element)
    }
    let narrow = try add(CastOperator(to: element), value)
    return ONNXTensor(try add(CastOperator(to: .float32), narrow), element)
  }

  /// Converts the result of a comparison to truth values. In the graph, a comparison returns numbers of the type of its
  /// inputs, `element`.
  func truth(_ value: Graph.ValueID, of element: ElementType) throws -> ONNXTensor {
    ONNXTensor(
      element.isHeldAsInteger ? try add(CastOperator(to: .float32), value) : value, .bool)
  }

  // MARK: - Shapes

  /// Returns the extents of a value as a vector of `int32`.
  func extents(of value: Graph.ValueID) throws -> Graph.ValueID {
    try add(CastOperator(to: .int32), add(GetShapeOperator(), value))
  }

  /// Reshapes a value. In `shape`, a 0 keeps the extent of the input's axis, and a −1 is inferred.
  func reshaped(_ value: Graph.ValueID, to shape: [Int]) throws -> Graph.ValueID {
    try add(ReshapeStaticOperator(targetShape: shape), value)
  }

  /// Transposes a value so that its axes have the order `axes`.
  func transposed(_ value: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    axes == Array(axes.indices) ? value : try add(TransposeOperator(axes: axes), value)
  }

  /// Adds axes of extent one. `axes` are the indices of the new axes in the result.
  func stretched(_ value: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    axes.isEmpty ? value : try add(ExpandDimsOperator(axes: axes), value)
  }

  /// Removes the axes with these indices. Their extents must be one.
  func squeezed(_ value: Graph.ValueID, _ axes: [Int], rank: Int) throws -> Graph.ValueID {
    if axes.isEmpty { return value }
    return axes.count == rank
      ? try reshaped(value, to: []) : try add(SqueezeOperator(axes: axes), value)
  }

  /// Slices a range of one axis.
  func sliced(
    _ value: Graph.ValueID, axis: Int, rank: Int, from begin: Int?, to end: Int?, by step: Int = 1
  ) throws -> Graph.ValueID {
    var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
    slices[axis] = AxisSlice(begin: begin, end: end, stride: step)
    return try add(SliceStaticOperator(slices: slices), value)
  }

  /// Returns the extent of one axis, as `int32` of rank 0.
  func extent(of value: Graph.ValueID, axis: Int) throws -> Graph.ValueID {
    let all: Graph.ValueID = try extents(of: value)
    return try add(
      SliceStaticOperator(slices: [AxisSlice(begin: axis, isSqueezed: true)]), all)
  }

  /// Broadcasts a value to a shape. The shape may contain extents that are computed at run time.
  func broadcast(_ value: Graph.ValueID, to shape: Graph.ValueID) throws -> Graph.ValueID {
    if let known = try builder.constant(of: shape)?.tensor() {
      return try add(
        BroadcastToStaticOperator(targetShape: known.reals.map(Self.integer)), value)
    }
    return try add(BroadcastToDynamicOperator(), value, shape)
  }
}
