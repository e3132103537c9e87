import Graph
import Operators

/// Operators that resize tensors by factors or to sizes.
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

/// A `Resize` node that is being read. It becomes one operator if the graph has an equivalent one. Otherwise each axis
/// is resized separately, by a multiplication with a weight matrix or by gathering.
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

  /// The scale factors of a node, one factor per axis.
  private enum Scales {
    case known([Double])
    case computed(ONNXTensor)
  }

  /// Returns the scale factors. Nil if the node states sizes instead.
  private func scales() throws -> Scales? {
    let position: Int? = node.message.opType == "Resize" && node.version > 10 ? 2 : 1
    var values: [Double]?
    if node.message.opType == "Upsample", node.version < 9 {
      values = node.floats("scales")?.map(Double.init)
    } else if let position, let given = try node.optional(position) {
      guard let known = try node.constant(given) else { return .computed(given) }
      // An empty list means that the node states sizes instead of factors.
      values = known.shape.count == 0 ? nil : known.reals
    }
    guard let values else { return nil }
    guard values.count == axes.count, values.allSatisfy({ $0 > 0 && $0 <= 65536 }) else {
      throw node.invalid("the factors are \(values), expected a positive one for each axis.")
    }
    return .known(values)
  }

  func result() throws -> ONNXTensor {
    switch try scales() {
    case .known(let scales)?: return try byFactors(scales)
    case .computed(let scales)?: return try byComputedFactors(scales)
    case nil: break
    }
    guard node.message.opType == "Resize", node.version > 10, let given = try node.optional(3)
    else { throw node.invalid("factors and sizes are both missing.") }
    guard let known = try node.constant(given) else { return try byComputedSizes(given) }
    let sizes: [Int] = known.reals.map(ONNXNode.integer)
    guard sizes.count == axes.count, sizes.allSatisfy({ (0...1 << 30).contains($0) }) else {
      throw node.invalid("the sizes are \(sizes), expected one for each axis.")
    }
    let own: [Int] = axes.compactMap { extents[$0] }
    guard own.count == axes.count, own.allSatisfy({ $0 > 0 }) else {
      return try hasCommonFactor ? byCommonFactor(node.constant(sizes)) : toKnown(sizes)
    }
    var targets: [Int] = sizes
    var factors: [Double] = zip(sizes, own).map { Double($0) / Double($1) }
    if try hasCommonFactor {
      let isSmallest: Bool = try policy == .notLarger
      let factor: Double = (isSmallest ? factors.min() : factors.max()) ?? 1
      factors = factors.map { _ in factor }
      // Extents are rounded to nearest, and halves round up. `extent` is multiplied before the division, because a
      // rounded factor could turn a half into a number below it.
      targets = own.map { extent in
        let rounded: [Double] = zip(sizes, own).map { size, other in
          let numerator: Double = 2 * Double(size) * Double(extent) + Double(other)
          return (numerator / (2 * Double(other))).rounded(.down)
        }
        return Int(bounding: (isSmallest ? rounded.min() : rounded.max()) ?? 0)
      }
    }
    return try axisByAxis(targets, factors)
  }

  // MARK: - Operators

  private func byFactors(_ scales: [Double]) throws -> ONNXTensor {
    let own: [Int] = axes.compactMap { extents[$0] }
    let changed: [Int] = axes.indices.filter { scales[$0] != 1 }.map { axes[$0] }
    if changed.isEmpty, rule.region == nil { return x }
    let isKnown: Bool = own.count == axes.count
    if rank >= 3, changed.allSatisfy({ $0 >= rank - 2 }) {
      let factors: [Float] = (rank - 2..<rank).map { axis in
        axes.firstIndex(of: axis).map { Float(scales[$0]) } ?? 1
      }
      let areIntegers: Bool = factors.allSatisfy { $0 == $0.rounded() }
      if rule.isNearest, areIntegers, rule.repeatsPixels, !x.element.isHeldAsInteger {
        return ONNXTensor(
          try node.add(
            UpsampleOperator(heightFactor: factors[0], widthFactor: factors[1]), x.id), x.element)
      }
      if !rule.isNearest, !isKnown, let grid = rule.grid, rule.mode(.linear) != nil,
        areIntegers || grid == .strictAlignEndpoints
      {
        return ONNXTensor(
          try node.add(
            UpsampleOperator(
              heightFactor: factors[0], widthFactor: factors[1], mode: .bilinear(grid)),
            node.real(x)), x.element)
      }
    }
    guard isKnown else {
      return try resizedDynamically { index in
        scales[index] != 1 || rule.region != nil ? .factor(scales[index]) : nil
      }
    }
    let targets: [Int] = zip(own, scales).map { Int(bounding: (Double($0) * $1).rounded(.down)) }
    return try axisByAxis(targets, scales)
  }

  /// Resizes axes of unknown extents to known sizes.
  private func toKnown(_ sizes: [Int]) throws -> ONNXTensor {
    let changed: [Int] = axes.indices.filter { extents[axes[$0]] != sizes[$0] }.map { axes[$0] }
    if let grid = rule.grid, changed.allSatisfy({ $0 >= rank - 2 }), rank >= 3,
      let mode = rule.mode(.linear), rule.coordinates != "pytorch_half_pixel"
    {
      let last: [Int] = (rank - 2..<rank).map { axis in
        axes.firstIndex(of: axis).map { sizes[$0] } ?? 0
      }
      return ONNXTensor(
        try node.add(ResizeOperator(sizes: last, mode: mode, grid: grid), node.real(x)), x.element)
    }
    return try resizedDynamically { index in
      guard extents[axes[index]] != sizes[index] || rule.region != nil else { return nil }
      return .count(node.constant([sizes[index]]))
    }
  }

  /// How the scale factors follow from the sizes that the node states, and from the input's extents.
  private enum Policy {
    /// Each axis has its own factor: its stated size divided by its extent in the input.
    case stretch
    /// All axes use the smallest of these factors.
    case notLarger
    /// All axes use the largest of these factors.
    case notSmaller
  }

  private var policy: Policy {
    get throws {
      switch node.string("keep_aspect_ratio_policy", or: "stretch") {
      case "stretch": return .stretch
      case "not_larger": return .notLarger
      case "not_smaller": return .notSmaller
      case let other: throw node.invalid("keep_aspect_ratio_policy is '\(other)'.")
      }
    }
  }

  /// Whether all axes use one factor. If so, the stated sizes are only bounds of the new extents.
  private var hasCommonFactor: Bool { get throws { try policy != .stretch } }

  /// Resizes one axis after the other at run time.
  ///
  /// - Parameter target: Returns the factor or the new extent of an axis. Nil if the axis is unchanged. `index` is the
  ///   index of the axis in the list of resized axes.
  private func resizedDynamically(
    _ target: (_ index: Int) throws -> DynamicResizing.Target?
  ) throws -> ONNXTensor {
    var value: Graph.ValueID = rule.isNearest ? x.id : try node.real(x)
    var inside: Graph.ValueID?
    for (index, axis) in axes.enumerated() {
      guard let changed = try target(index) else { continue }
      let resizing = try DynamicResizing(
        node, rule, axis: axis, rank: rank, of: value,
        region: rule.bounds(ofAxis: index, of: axes.count), to: changed)
      let made = try resizing.apply(to: value)
      value = made.value
      if let marks = made.inside {
        inside = try inside.map { try node.join(.multiply, $0, marks) } ?? marks
      }
    }
    if let inside { value = try filled(value, where: inside) }
    return rule.isNearest ? ONNXTensor(value, x.element) : try node.held(value, as: x.element)
  }

  /// Replaces the elements whose mark in `inside` is 0 by the extrapolation value.
  private func filled(_ value: Graph.ValueID, where inside: Graph.ValueID) throws -> Graph.ValueID {
    let fill = node.constant(
      Double(node.float("extrapolation_value", or: 0)), as: rule.isNearest ? x.element : .float32)
    return try node.add(WhereBroadcastableOperator(), inside, value, fill)
  }

  /// Resizes by factors that are known only at run time.
  private func byComputedFactors(_ scales: ONNXTensor) throws -> ONNXTensor {
    let all: Graph.ValueID = try node.real(scales)
    return try resizedDynamically { index in
      let factor = try node.element(index, of: all)
      guard let known = try node.builder.constant(of: factor)?.tensor().reals.first else {
        // ONNX's reference implementation scales corners by the exact product of extent and factor. ONNX Runtime scales
        // them by the rounded extent. So the reader refuses such nodes.
        guard rule.coordinates != "align_corners" else {
          throw node.unsupported(
            "its factors are computed while the network runs, expected constants or sizes for the"
              + " coordinates 'align_corners'.")
        }
        return .computedFactor(factor)
      }
      return known != 1 || rule.region != nil ? .factor(known) : nil
    }
  }

  /// Resizes all axes by one common factor. Sizes and extents may be known only at run time.
  private func byCommonFactor(_ sizes: Graph.ValueID) throws -> ONNXTensor {
    let mode: ReductionMode = try policy == .notLarger ? .minimum : .maximum
    let own = try node.add(GatherOperator(axis: 0), node.extents(of: x.id), node.constant(axes))
    let double = try node.join(.multiply, own, node.constant([2]))
    // The extent of each axis times the factor of each axis: one row per extent, one column per factor. Halves round
    // up.
    let products = try node.join(.multiply, node.stretched(double, [1]), sizes)
    let rounded = try node.join(.floorDivide, node.join(.add, products, own), double)
    let targets = try node.reduced(rounded, mode, [1], keepsAxes: false, rank: 2, as: .int32)
    let ratios = try node.join(
      .divide, node.add(CastOperator(to: .float32), sizes),
      node.add(CastOperator(to: .float32), own))
    let factor = try node.reduced(ratios, mode, [0], keepsAxes: false, rank: 1)
    return try resizedDynamically { index in
      .roundedCount(try node.element(index, of: targets), factor: factor)
    }
  }

  private func byComputedSizes(_ sizes: ONNXTensor) throws -> ONNXTensor {
    let all: Graph.ValueID = try node.integer(sizes)
    if try hasCommonFactor { return try byCommonFactor(all) }
    guard axes == Array(0..<rank), rank >= 3, let grid = rule.grid, let mode = rule.mode(.linear)
    else {
      return try resizedDynamically { index in
        let count = try node.element(index, of: all)
        let known: Double? = try node.builder.constant(of: count)?.tensor().reals.first
        if let known, extents[axes[index]].map(Double.init) == known, rule.region == nil {
          return nil
        }
        return .count(count)
      }
    }
    let last = try node.sliced(all, axis: 0, rank: 1, from: rank - 2, to: rank)
    var value: Graph.ValueID = try node.real(x)
    if rule.coordinates == "pytorch_half_pixel" {
      // If the output has a single pixel along an axis, that pixel reads the first input pixel.
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
      changed.allSatisfy({ axes[$0] >= rank - 2 }), !x.element.isHeldAsInteger,
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
    var inside: Graph.ValueID?
    for index in changed {
      let axis: Int = axes[index]
      _ = try Shape.computed(
        rule.isNearest ? [targets[index]] : [targets[index], own[index]],
        "the weights of axis \(axis)")
      let points: [Double] = rule.points(
        of: own[index], count: targets[index], scale: scales[index], axis: index, of: axes.count)
      if rule.region != nil {
        // Points outside the input get the extrapolation value.
        let marks: [Double] = points.map { $0 < 0 || $0 > Double(own[index] - 1) ? 0 : 1 }
        var shape = [Int](repeating: 1, count: rank)
        shape[axis] = points.count
        let mask = node.constant(marks, Shape(shape))
        inside = try inside.map { try node.join(.multiply, $0, mask) } ?? mask
      }
      if rule.isNearest {
        let indices: [Int] = points.map { rule.nearest($0, of: own[index]) }
        value = try node.add(GatherOperator(axis: axis), value, node.constant(indices))
      } else {
        let weights: [Double] = points.flatMap {
          rule.weights($0, of: own[index], scale: scales[index])
        }
        let matrix = node.constant(weights, [points.count, own[index]])
        var order: [Int] = (0..<rank).filter { $0 != axis } + [axis]
        value = try node.add(
          BatchedMatMulOperator.ofRows, node.transposed(value, order), matrix)
        order = (0..<rank).map { $0 < axis ? $0 : $0 == axis ? rank - 1 : $0 - 1 }
        value = try node.transposed(value, order)
      }
    }
    if let inside { value = try filled(value, where: inside) }
    return rule.isNearest ? ONNXTensor(value, x.element) : try node.held(value, as: x.element)
  }
}
