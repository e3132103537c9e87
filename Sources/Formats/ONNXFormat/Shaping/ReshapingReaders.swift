import Graph
import Operators

/// Operators that reshape, tile or broadcast tensors.
enum ReshapingReaders {
  static let all: [NodeReader] = [
    NodeReader("Reshape", as: [ReshapeStaticOperator.self, ReshapeDynamicOperator.self], .exact) {
      [try $0.reshaped()]
    },
    NodeReader("Flatten", as: [FlattenTo2DOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      return [
        ONNXTensor(
          try node.add(FlattenTo2DOperator(axis: node.int("axis", or: 1)), x.id), x.element)
      ]
    },
    NodeReader("Squeeze", as: [SqueezeOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let extents: [Int?] = try node.extents(x)
      let given: [Int]? =
        node.version < 13 ? node.ints("axes") : try node.knownInts(at: 1, "the list of axes")
      let axes: [Int] = try Set(
        given?.map { try node.axis($0, rank: extents.count) }
          ?? extents.indices.filter { extents[$0] == 1 }
      ).sorted()
      return [ONNXTensor(try node.squeezed(x.id, axes, rank: extents.count), x.element)]
    },
    NodeReader("Unsqueeze", as: [ExpandDimsOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let given: [Int]? =
        node.version < 13 ? node.ints("axes") : try node.knownInts(at: 1, "the list of axes")
      guard let given else { throw node.invalid("the list of axes is missing.") }
      let rank: Int = try node.rank(x) + given.count
      let axes: [Int] = try given.map { try node.axis($0, rank: rank) }.sorted()
      guard Set(axes).count == axes.count else {
        throw node.invalid("the axes \(given) name an axis twice.")
      }
      return [ONNXTensor(try node.stretched(x.id, axes), x.element)]
    },
    NodeReader("Transpose", as: [TransposeOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      let axes: [Int] = node.ints("perm") ?? (0..<rank).reversed()
      guard axes.sorted() == Array(0..<rank) else {
        throw node.invalid("'perm' is \(axes), expected each of the \(rank) axes once.")
      }
      return [ONNXTensor(try node.transposed(x.id, axes), x.element)]
    },
    NodeReader("Expand", as: [BroadcastToStaticOperator.self], .exact) { [try $0.expanded()] },
    NodeReader("Tile", as: [TileOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      if let counts = try node.ints(at: 1) {
        return [ONNXTensor(try node.add(TileOperator(repetitions: counts), x.id), x.element)]
      }
      let made = try node.add(TileOperator(repetitions: nil), x.id, node.tensor(1).id)
      try node.stateRank(of: made, like: x)
      return [ONNXTensor(made, x.element)]
    },
    NodeReader("Col2Im", as: [FoldWindowsOperator.self]) { [try $0.combinedWindows()] },
    NodeReader("DepthToSpace", as: [ReorganizeDataOperator.self], .exact) { node in
      switch node.string("mode", or: "DCR") {
      case "DCR": return [try node.reorganized(.depthToSpace)]
      case "CRD": return [try node.reorganized(.pixelShuffle)]
      case let other: throw node.invalid("the mode is '\(other)', expected DCR or CRD.")
      }
    },
    NodeReader("SpaceToDepth", as: [ReorganizeDataOperator.self], .exact) { node in
      switch node.string("mode", or: "DCR") {
      case "DCR": return [try node.reorganized(.spaceToDepth)]
      case "CRD": return [try node.reorganized(.pixelUnshuffle)]
      case let other: throw node.invalid("the mode is '\(other)', expected DCR or CRD.")
      }
    },
  ]
}

extension ONNXNode {
  /// Declares that a value whose extents depend on data has the rank and the type of another value.
  func stateRank(of value: Graph.ValueID, like x: ONNXTensor) throws {
    guard builder.extents(of: value) == nil else { return }
    builder.state(
      [Extent](repeating: Extent(from: 0), count: try rank(x)), x.element.heldFromONNX, of: value)
  }

  /// Reads `Col2Im`: adds overlapping windows up into an image, or into a tensor with another number of spatial axes.
  fileprivate func combinedWindows() throws -> ONNXTensor {
    let (x, extents, block) = (try tensor(0), try tensor(1), try tensor(2))
    let (knownExtents, knownBlock) = (try ints(at: 1), try ints(at: 2))
    guard let axes = try rank(ofShape: extents), axes > 0 else {
      throw invalid("the extents of the output are missing.")
    }
    let margins: [Int] = try sizes("pads", count: 2 * axes, least: 0, or: 0)
    let isKnown: Bool = knownExtents != nil && knownBlock != nil
    let fold = FoldWindowsOperator(
      extents: isKnown ? knownExtents : nil, kernel: isKnown ? knownBlock : nil,
      strides: try sizes("strides", count: axes), dilations: try sizes("dilations", count: axes),
      before: Array(margins.prefix(axes)), after: Array(margins.suffix(axes)))
    let value: Graph.ValueID = try real(x)
    guard !isKnown else { return try held(try add(fold, value), as: x.element) }
    let made: Graph.ValueID = try add(fold, value, extents.id, block.id)
    if builder.extents(of: made) == nil {
      builder.state(
        [Extent](repeating: Extent(from: 0), count: axes + 2), .float32, of: made)
    }
    return try held(made, as: x.element)
  }

  fileprivate func reshaped() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let keepsZeros: Bool = flag("allowzero")
    if let shape = try ints(at: 1) {
      if keepsZeros, shape.contains(0) {
        guard Shape(shape).isMeasurable else {
          throw invalid("the shape \(shape) has both 0 and −1, so the extent of −1 is not defined.")
        }
        let empty = ReferenceTensor(Shape(shape), repeating: 0, x.element.heldFromONNX)
        return ONNXTensor(constant(empty), x.element)
      }
      return ONNXTensor(try reshaped(x.id, to: shape), x.element)
    }
    let shape: ONNXTensor = try tensor(1)
    let made = try add(ReshapeDynamicOperator(), x.id, shape.id)
    if builder.extents(of: made) == nil, let rank = try rank(ofShape: shape) {
      // The shape may fit only some sizes of the model's input. Later nodes still need the extents that it fixes.
      let stated: [Int?] = builder.elements(of: shape.id) ?? []
      let own: [Int?] = builder.extents(of: x.id) ?? []
      let extents: [Extent] = (0..<rank).map { axis in
        var extent: Int? = stated.indices.contains(axis) ? stated[axis] : nil
        if extent == 0, !keepsZeros { extent = own.indices.contains(axis) ? own[axis] : nil }
        return extent.flatMap { $0 >= 0 ? Extent($0) : nil } ?? Extent(from: 0)
      }
      builder.state(extents, x.element.heldFromONNX, of: made)
    }
    return ONNXTensor(made, x.element)
  }

  /// Broadcasts a tensor to the shape that the second input holds.
  fileprivate func expanded() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    if let shape = try ints(at: 1), shape.allSatisfy({ $0 >= 0 }) {
      let rank: Int = max(shape.count, extents.count)
      let own: [Int?] = [Int?](repeating: 1, count: rank - extents.count) + extents
      let other: [Int] = [Int](repeating: 1, count: rank - shape.count) + shape
      // If the target's extent is 1, the axis keeps its unknown extent. Otherwise the result has the target's extent,
      // because the unknown extent must be 1 or equal to the target's.
      let target: [Int?] = zip(own, other).map { $1 == 1 ? $0 : $1 }
      let known: [Int] = target.compactMap { $0 }
      if known.count == rank {
        return ONNXTensor(try add(BroadcastToStaticOperator(targetShape: known), x.id), x.element)
      }
    }
    // Multiplying the tensor by a tensor of ones with the target shape broadcasts it, whatever its extents are.
    let ones: Graph.ValueID = try add(FillDynamicOperator(value: 1), tensor(1).id)
    if builder.extents(of: ones) == nil, let rank = try self.rank(ofShape: tensor(1)) {
      builder.state([Extent](repeating: Extent(from: 0), count: rank), .float32, of: ones)
    }
    let factor: Graph.ValueID =
      x.element.isHeldAsInteger ? try add(CastOperator(to: .int32), ones) : ones
    return ONNXTensor(try join(.multiply, x.id, factor), x.element)
  }

  fileprivate func reorganized(_ mode: ReorganizeDataOperator.Mode) throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let size: Int = try int("blocksize")
    guard try rank(x) == 4, (1...65536).contains(size) else {
      throw invalid(
        "the input has \(try rank(x)) axes and blocks of \(size), expected 4 axes and 1 to 65536.")
    }
    return ONNXTensor(
      try add(ReorganizeDataOperator(mode: mode, blockSize: size), x.id), x.element)
  }
}
