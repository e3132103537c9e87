import Graph
import Operators

/// Tensors resized by factors and to sizes.
enum ResizingReaders {
  static let all: [NodeReader] = [
    NodeReader(
      "Resize",
      as: [
        ResizeBilinearOperator.self, UpsampleOperator.self, GatherOperator.self,
        BatchedMatMulOperator.self,
      ]
    ) { [try Resizing($0).result()] },
    NodeReader("Upsample", as: [UpsampleOperator.self, ResizeBilinearOperator.self]) {
      [try Resizing($0).result()]
    },
  ]
}

/// A resizing while it is read: by an operator where one means the same, else axis by axis as a product with a matrix
/// of weights, or by gathering.
private struct Resizing {
  let node: ONNXNode
  let x: ONNXTensor
  let extents: [Int?]
  let axes: [Int]
  let rule: ResizingRule

  init(_ node: ONNXNode) throws {
    self.node = node
    x = try node.tensor(0)
    extents = try node.extents(x)
    let rank: Int = extents.count
    axes = try node.ints("axes")?.map { try node.axis($0, rank: rank) } ?? Array(0..<rank)
    rule = try ResizingRule(node)
  }

  private var rank: Int { extents.count }

  /// One factor for each of the axes, where they are given.
  private func scales() throws -> [Double]? {
    let position: Int? = node.message.opType == "Resize" && node.version > 10 ? 2 : 1
    var values: [Double]?
    if node.message.opType == "Upsample", node.version < 9 {
      values = node.floats("scales")?.map(Double.init)
    } else if let position, let given = try node.optional(position) {
      guard let known = try node.constant(given) else {
        throw node.unsupported(
          "the factors are computed while the network runs, expected constants.")
      }
      // An empty list means that sizes are given.
      values = known.shape.count == 0 ? nil : known.reals
    }
    guard let values else { return nil }
    guard values.count == axes.count, values.allSatisfy({ $0 > 0 && $0 <= 65536 }) else {
      throw node.invalid("the factors are \(values), expected a positive one for each axis.")
    }
    return values
  }

  func result() throws -> ONNXTensor {
    if let scales = try scales() { return try byFactors(scales) }
    guard node.message.opType == "Resize", node.version > 10, let given = try node.optional(3)
    else { throw node.invalid("neither factors nor sizes are given.") }
    guard let known = try node.constant(given) else { return try byComputedSizes(given) }
    let sizes: [Int] = known.reals.map(ONNXNode.whole)
    guard sizes.count == axes.count, sizes.allSatisfy({ (0...1 << 30).contains($0) }) else {
      throw node.invalid("the sizes are \(sizes), expected one for each axis.")
    }
    let own: [Int] = axes.compactMap { extents[$0] }
    guard own.count == axes.count, own.allSatisfy({ $0 > 0 }) else { return try toKnown(sizes) }
    var targets: [Int] = sizes
    var factors: [Double] = zip(sizes, own).map { Double($0) / Double($1) }
    let policy: String = node.string("keep_aspect_ratio_policy", or: "stretch")
    if policy != "stretch" {
      let factor: Double? = policy == "not_larger" ? factors.min() : factors.max()
      guard let factor, ["not_larger", "not_smaller"].contains(policy) else {
        throw node.invalid("keep_aspect_ratio_policy is '\(policy)'.")
      }
      factors = factors.map { _ in factor }
      targets = own.map { Int(bounding: (factor * Double($0) + 0.5).rounded(.down)) }
    }
    return try axisByAxis(targets, factors)
  }

  // MARK: - Operators

  private func byFactors(_ scales: [Double]) throws -> ONNXTensor {
    let own: [Int] = axes.compactMap { extents[$0] }
    let changed: [Int] = axes.indices.filter { scales[$0] != 1 }.map { axes[$0] }
    if changed.isEmpty { return x }
    let isKnown: Bool = own.count == axes.count
    if rank >= 3, changed.allSatisfy({ $0 >= rank - 2 }) {
      let factors: [Float] = (rank - 2..<rank).map { axis in
        axes.firstIndex(of: axis).map { Float(scales[$0]) } ?? 1
      }
      let areWhole: Bool = factors.allSatisfy { $0 == $0.rounded() }
      if rule.isNearest, areWhole, rule.repeatsPixels, !x.element.isHeldWhole {
        return ONNXTensor(
          try node.add(
            UpsampleOperator(heightFactor: factors[0], widthFactor: factors[1]), x.id), x.element)
      }
      if !rule.isNearest, !isKnown, let grid = rule.grid, rule.mode(.linear) != nil,
        areWhole || grid == .strictAlignEndpoints
      {
        return ONNXTensor(
          try node.add(
            UpsampleOperator(
              heightFactor: factors[0], widthFactor: factors[1], mode: .bilinear(grid)),
            node.real(x)), x.element)
      }
    }
    guard isKnown else {
      return try freely { place, value in
        guard scales[place] != 1 || rule.region != nil else { return nil }
        return try resizing(place, of: value, scale: scales[place])
      }
    }
    let targets: [Int] = zip(own, scales).map { Int(bounding: (Double($0) * $1).rounded(.down)) }
    return try axisByAxis(targets, scales)
  }

  /// To sizes that are known, from extents that are not.
  private func toKnown(_ sizes: [Int]) throws -> ONNXTensor {
    let changed: [Int] = axes.indices.filter { extents[axes[$0]] != sizes[$0] }.map { axes[$0] }
    if let grid = rule.grid, changed.allSatisfy({ $0 >= rank - 2 }), rank >= 3,
      let mode = rule.mode(.linear), !stretchesEvenly, rule.coordinates != "pytorch_half_pixel"
    {
      let last: [Int] = (rank - 2..<rank).map { axis in
        axes.firstIndex(of: axis).map { sizes[$0] } ?? 0
      }
      return ONNXTensor(
        try node.add(ResizeOperator(sizes: last, mode: mode, grid: grid), node.real(x)), x.element)
    }
    return try freely { place, value in
      guard extents[axes[place]] != sizes[place] else { return nil }
      return try resizing(place, of: value, count: node.constant([sizes[place]]))
    }
  }

  /// Whether the sizes bound one factor for all axes.
  private var stretchesEvenly: Bool {
    node.string("keep_aspect_ratio_policy", or: "stretch") != "stretch"
  }

  /// Axis by axis while the network runs.
  ///
  /// - Parameter resizing: that of an axis, by its place among the axes; nil where it stays.
  private func freely(
    _ resizing: (_ place: Int, _ value: Graph.ValueID) throws -> FreeResizing?
  ) throws -> ONNXTensor {
    guard !stretchesEvenly else {
      throw node.unsupported(
        "the extents are not known before the network runs, and 'keep_aspect_ratio_policy' asks for one factor; state the input's shape."
      )
    }
    var value: Graph.ValueID = rule.isNearest ? x.id : try node.real(x)
    for place in axes.indices {
      if let one = try resizing(place, value) { value = try one.apply(to: value) }
    }
    return rule.isNearest ? ONNXTensor(value, x.element) : try node.held(value, as: x.element)
  }

  private func resizing(
    _ place: Int, of value: Graph.ValueID, scale: Double? = nil, count: Graph.ValueID? = nil
  ) throws -> FreeResizing {
    try FreeResizing(
      node, rule, axis: axes[place], rank: rank, of: value, scale: scale, count: count)
  }

  private func byComputedSizes(_ sizes: ONNXTensor) throws -> ONNXTensor {
    guard axes == Array(0..<rank), rank >= 3, let grid = rule.grid, let mode = rule.mode(.linear),
      !stretchesEvenly
    else {
      let all: Graph.ValueID = try node.whole(sizes)
      return try freely { place, value in
        let count = try node.sliced(all, axis: 0, rank: 1, from: place, to: place + 1)
        let known: Double? = try node.builder.constant(of: count)?.tensor().reals.first
        if let known, extents[axes[place]].map(Double.init) == known { return nil }
        return try resizing(place, of: value, count: count)
      }
    }
    let last = try node.sliced(node.whole(sizes), axis: 0, rank: 1, from: rank - 2, to: rank)
    var value: Graph.ValueID = try node.real(x)
    if rule.coordinates == "pytorch_half_pixel" {
      // What becomes one pixel is the first one.
      let isOne = try node.join(.isEqual, last, node.constant([1, 1]))
      let ends = try node.add(
        WhereBroadcastableOperator(), isOne, node.constant([1, 1]),
        node.constant([Int(Int32.max), Int(Int32.max)]))
      let far: [Int] = [Int](repeating: Int(Int32.max), count: rank - 2)
      let end = try node.add(ConcatNDOperator(axis: 0), node.constant(far), ends)
      let begin = node.constant([Int](repeating: 0, count: rank))
      value = try node.add(SliceDynamicOperator(), value, begin, end)
      if node.builder.extents(of: value) == nil {
        node.builder.state(
          [Extent](repeating: Extent(from: 0), count: rank), .float32, of: value)
      }
    }
    let made = try node.add(ResizeOperator(sizes: nil, mode: mode, grid: grid), value, last)
    if node.builder.extents(of: made) == nil {
      let known: [Extent] = extents.enumerated().map { axis, extent in
        axis < rank - 2 ? extent.map { Extent($0) } ?? Extent(from: 0) : Extent(from: 0)
      }
      node.builder.state(known, .float32, of: made)
    }
    return try node.held(made, as: x.element)
  }

  // MARK: - Axis by axis

  private func axisByAxis(_ targets: [Int], _ scales: [Double]) throws -> ONNXTensor {
    let own: [Int] = axes.compactMap { extents[$0] }
    let changed: [Int] = axes.indices.filter {
      own[$0] != targets[$0] || scales[$0] != 1 || rule.region != nil
    }
    if rank >= 3, !rule.isNearest, !rule.isAntialiased, rule.mode(.linear) != nil,
      let grid = rule.grid,
      changed.allSatisfy({ axes[$0] >= rank - 2 }), !x.element.isHeldWhole,
      changed.allSatisfy({ Double(targets[$0]) / Double(own[$0]) == scales[$0] }), !changed.isEmpty
    {
      let last: [Int] = (rank - 2..<rank).map { axis in
        axes.firstIndex(of: axis).map { targets[$0] } ?? extents[axis] ?? 1
      }
      let isCentred: Bool = rule.coordinates != "pytorch_half_pixel" || !last.contains(1)
      if rank == 4 || grid != .upsample, isCentred, last.allSatisfy({ $0 > 0 }) {
        return ONNXTensor(
          try node.add(
            ResizeBilinearOperator(height: last[0], width: last[1], grid: grid), x.id), x.element)
      }
    }
    var value: Graph.ValueID = rule.isNearest ? x.id : try node.real(x)
    var outside: Graph.ValueID?
    for place in changed {
      let axis: Int = axes[place]
      _ = try Shape.computed(
        rule.isNearest ? [targets[place]] : [targets[place], own[place]],
        "the weights of axis \(axis)")
      let points: [Double] = rule.points(
        of: own[place], count: targets[place], scale: scales[place], axis: place, of: axes.count)
      if rule.region != nil {
        // Points outside of the region have a value of their own.
        let inside: [Double] = points.map { $0 < 0 || $0 > Double(own[place] - 1) ? 0 : 1 }
        var shape = [Int](repeating: 1, count: rank)
        shape[axis] = points.count
        let mask = node.constant(inside, Shape(shape))
        outside = try outside.map { try node.join(.multiply, $0, mask) } ?? mask
      }
      if rule.isNearest {
        let places: [Int] = points.map { rule.nearest($0, of: own[place]) }
        value = try node.add(GatherOperator(axis: axis), value, node.constant(places))
      } else {
        let weights: [Double] = points.flatMap {
          rule.weights($0, of: own[place], scale: scales[place])
        }
        let matrix = node.constant(weights, [points.count, own[place]])
        var order: [Int] = (0..<rank).filter { $0 != axis } + [axis]
        value = try node.add(
          BatchedMatMulOperator.ofRows, node.transposed(value, order), matrix)
        order = (0..<rank).map { $0 < axis ? $0 : $0 == axis ? rank - 1 : $0 - 1 }
        value = try node.transposed(value, order)
      }
    }
    if let outside {
      let fill = node.constant(Double(node.float("extrapolation_value", or: 0)))
      value = try node.add(WhereBroadcastableOperator(), outside, value, fill)
    }
    return rule.isNearest ? ONNXTensor(value, x.element) : try node.held(value, as: x.element)
  }
}
