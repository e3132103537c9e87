import Graph
import ModelFormat
import Operators

/// Constants and generated values.
enum ConstantReaders {
  static let all: [NodeReader] = [
    NodeReader("Constant", as: [], .exact) { [try $0.statedValue()] },
    NodeReader(
      "ConstantOfShape", as: [FillStaticOperator.self, FillDynamicOperator.self], .exact
    ) { [try $0.filled()] },
    NodeReader("Range", as: [RangeDynamicOperator.self], .exact) { node in
      let bounds: [ONNXTensor] = try (0..<3).map { try node.tensor($0) }
      let element: ElementType = bounds[0].element
      let ids: [Graph.ValueID] = [bounds[1].id, bounds[0].id, bounds[2].id]
      let made = try node.add(RangeDynamicOperator(start: 0, step: 1), ids)
      if node.builder.extents(of: made) == nil {
        node.builder.state([Extent(from: 0)], element.heldFromONNX, of: made)
      }
      return [ONNXTensor(made, element)]
    },
    NodeReader("EyeLike", as: [], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let extents: [Int?] = try node.extents(x)
      guard extents.count == 2 else {
        throw node.invalid("the input has \(extents.count) axes, expected 2.")
      }
      let element: ElementType =
        try node.optionalInt("dtype").map { try ElementType(onnx: Int32(clamping: $0)) }
        ?? x.element
      let shift: Int = node.int("k", or: 0)
      let shape: [Int] = extents.compactMap { $0 }
      guard shape.count == 2 else {
        return [try node.held(node.diagonal(like: x.id, shift), as: element)]
      }
      let made: Shape = try Shape.computed(shape, "the matrix")
      let values: [Double] = (0..<made.count).map {
        $0 % shape[1] - $0 / shape[1] == shift ? 1 : 0
      }
      let eye = ReferenceTensor(made, values, .float32)
      return [ONNXTensor(node.constant(eye.converted(to: element.heldFromONNX)), element)]
    },
    NodeReader("Shape", as: [GetShapeOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      var (begin, end) = (0, rank)
      if node.version >= 15 {
        func clampedAxis(_ value: Int) -> Int {
          min(max(value < 0 ? value + rank : value, 0), rank)
        }
        begin = clampedAxis(node.int("start", or: 0))
        end = clampedAxis(node.int("end", or: rank))
      }
      guard end > begin else {
        return [ONNXTensor(node.constant(ReferenceTensor([0], integerValues: [], .int32)), .int64)]
      }
      var all: Graph.ValueID = try node.extents(of: x.id)
      if end - begin < rank {
        all = try node.sliced(all, axis: 0, rank: 1, from: begin, to: end)
      }
      return [ONNXTensor(all, .int64)]
    },
    NodeReader("Size", as: [GetShapeOperator.self, ReduceAxesOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      guard rank > 0 else { return [ONNXTensor(node.constant(1, as: .int64), .int64)] }
      let all: Graph.ValueID = try node.extents(of: x.id)
      return [
        ONNXTensor(
          try node.reduced(all, .product, [0], keepsAxes: false, rank: 1, as: .int64), .int64)
      ]
    },
  ]
}

extension ONNXNode {
  /// Makes a matrix with the extents of another matrix. These extents are known only at run time. An element is 1 if
  /// its column index is its row index plus `shift`, else 0.
  fileprivate func diagonal(like matrix: Graph.ValueID, _ shift: Int) throws -> Graph.ValueID {
    let indices: [Graph.ValueID] = try (0..<2).map { axis in
      let made = try add(
        RangeDynamicOperator(start: 0, step: 1),
        add(CastOperator(to: .float32), extent(of: matrix, axis: axis)))
      if builder.extents(of: made) == nil { builder.state([Extent(from: 0)], .float32, of: made) }
      return made
    }
    let rows = try scaled(stretched(indices[0], [1]), by: 1, plus: Float(shift))
    return try join(.isEqual, indices[1], rows)
  }

  /// Returns the value of a `Constant` node. The node may state the value in one of several attributes.
  fileprivate func statedValue() throws -> ONNXTensor {
    if let tensor = attributes["value"]?.t {
      let constant: ONNXConstant = try tensor.constant(in: scope.context)
      return ONNXTensor(
        builder.addConstant(constant.constant, name: name), constant.element)
    }
    if let number = attributes["value_float"] {
      return ONNXTensor(constant(Double(number.f)), .float32)
    }
    if let number = attributes["value_int"] {
      let tensor = ReferenceTensor([], integerValues: [number.i], .int64).heldFromONNX()
      return ONNXTensor(constant(tensor), .int64)
    }
    if let numbers = attributes["value_floats"]?.floats {
      return ONNXTensor(constant(numbers.map(Double.init), [numbers.count]), .float32)
    }
    if let numbers = attributes["value_ints"]?.ints {
      let tensor = ReferenceTensor([numbers.count], integerValues: numbers, .int64).heldFromONNX()
      return ONNXTensor(constant(tensor), .int64)
    }
    throw unsupported("the value is sparse or holds strings, expected dense numbers.")
  }

  /// Makes a tensor whose elements all have one value. The shape is either a constant of the model or computed at run
  /// time.
  fileprivate func filled() throws -> ONNXTensor {
    var (element, value): (ElementType, Double) = (.float32, 0)
    if let tensor = attributes["value"]?.t {
      let constant: ONNXConstant = try tensor.constant(in: scope.context)
      guard constant.constant.count == 1 else {
        throw invalid("the value holds \(constant.constant.count) numbers, expected one.")
      }
      (element, value) = (constant.element, try constant.constant.tensor().reals[0])
    }
    let held: ElementType = element.heldFromONNX
    // The graph's fill operators store their value as float32, which cannot represent every integer.
    let isExact: Bool = held != .int32 || Double(Float(value)) == value
    if let shape = try ints(at: 0) {
      guard shape.allSatisfy({ $0 >= 0 }), Shape(shape).isMeasurable else {
        throw invalid("the shape is \(shape), expected extents from 0 on that memory can hold.")
      }
      guard Shape(shape).count > 4096 else {
        return ONNXTensor(
          constant(ReferenceTensor(Shape(shape), repeating: value, held)), element)
      }
      guard isExact else {
        let number: Graph.ValueID = constant(value, as: .int32)
        return ONNXTensor(
          try add(BroadcastToStaticOperator(targetShape: shape), number), element)
      }
      let made = try add(FillStaticOperator(value: Float(value), targetShape: shape), [])
      return ONNXTensor(
        held == .int32 ? try add(CastOperator(to: .int32), made) : made, element)
    }
    let sizes: ONNXTensor = try tensor(0)
    let made =
      isExact
      ? try add(FillDynamicOperator(value: Float(value)), sizes.id)
      : try add(BroadcastToDynamicOperator(), constant(value, as: .int32), sizes.id)
    let rank: Int? = try rank(ofShape: sizes)
    if builder.extents(of: made) == nil, let rank {
      builder.state(
        [Extent](repeating: Extent(from: 0), count: rank), isExact ? .float32 : .int32, of: made)
    }
    return ONNXTensor(
      held == .int32 && isExact ? try add(CastOperator(to: .int32), made) : made, element)
  }
}
