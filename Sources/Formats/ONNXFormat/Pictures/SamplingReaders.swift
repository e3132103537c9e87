import Graph
import Operators

/// Grid sampling: operators that read images at given positions, and operators that compute such positions from an
/// affine map.
enum SamplingReaders {
  static let all: [NodeReader] = [
    NodeReader("GridSample", as: [ResampleOperator.self]) { node in
      let (x, positions) = (try node.tensor(0), try node.tensor(1))
      guard try node.rank(x) == 4, try node.rank(positions) == 4 else {
        throw node.unsupported("the input has \(try node.rank(x)) axes, expected 4.")
      }
      let isNearest: Bool
      switch node.string("mode", or: "linear") {
      case "linear", "bilinear": isNearest = false
      case "nearest": isNearest = true
      case let other: throw node.unsupported("the mode is '\(other)', expected linear or nearest.")
      }
      let aligns: Bool = node.flag("align_corners")
      let border: ResampleOperator.Border
      switch node.string("padding_mode", or: "zeros") {
      case "zeros": border = .constant(0)
      case "border": border = .edge
      case "reflection": border = aligns ? .reflection : .symmetry
      case let other: throw node.invalid("the padding mode is '\(other)'.")
      }
      if isNearest {
        let pixels: Graph.ValueID = try node.pixels(positions, of: x, endsAreCentres: aligns)
        let sampling = ResampleOperator(isNearest: true, border: border, coordinates: .pixels)
        return [ONNXTensor(try node.add(sampling, node.real(x), pixels), x.element)]
      }
      let sampling = ResampleOperator(
        border: border, coordinates: .minusOneToOne(endsAreCentres: aligns))
      return [ONNXTensor(try node.add(sampling, node.real(x), positions.id), x.element)]
    },
    NodeReader("AffineGrid", as: [BatchedMatMulOperator.self]) { [try $0.grid()] },
  ]
}

extension ONNXNode {
  /// Rounds positions in an image to integer pixels, for nearest-neighbour sampling. Halves round to even. The graph's
  /// sampling operators round halves differently.
  fileprivate func pixels(_ positions: ONNXTensor, of x: ONNXTensor, endsAreCentres: Bool) throws
    -> Graph.ValueID
  {
    // The last coordinate of a position is the column.
    let sizes = try add(
      CastOperator(to: .float32),
      add(GatherOperator(axis: 0), extents(of: x.id), constant([3, 2])))
    let ends = try scaled(sizes, by: 1, plus: -1)
    let factors = try scaled(endsAreCentres ? ends : sizes, by: 0.5)
    let scaledPositions = try join(.multiply, positions.id, factors)
    return try map(.round, join(.add, scaledPositions, scaled(ends, by: 0.5)))
  }

  /// Computes the positions to which an affine map sends the pixels of an image or volume.
  fileprivate func grid() throws -> ONNXTensor {
    let map: ONNXTensor = try tensor(0)
    let stated: ONNXTensor = try tensor(1)
    guard let count = try rank(ofShape: stated), count == 4 || count == 5 else {
      throw invalid("the size is \(try extents(stated)), expected 4 or 5 numbers.")
    }
    guard let size = try ints(at: 1) else {
      return try self.grid(map, ofSize: integer(stated), axes: count - 2)
    }
    let spatial = Array(size.dropFirst(2))
    guard spatial.allSatisfy({ $0 > 0 }), Shape(spatial).isMeasurable else {
      throw unsupported("the picture is \(Shape(spatial)), expected sizes of 1 or more.")
    }
    let aligns: Bool = flag("align_corners")
    @Sendable func coordinate(_ index: Int, of extent: Int) -> Double {
      if aligns { return extent == 1 ? 0 : 2 * Double(index) / Double(extent - 1) - 1 }
      return (2 * Double(index) + 1) / Double(extent) - 1
    }
    // Each pixel is the vector of its column, its row, and a 1 for the translation.
    let grid = try Constant.computed(
      [1, spatial.product, spatial.count + 1],
      "the coordinates of \(Shape(spatial)) pixels, aligned \(aligns)"
    ) {
      var values: [Float] = []
      values.reserveCapacity(spatial.product * (spatial.count + 1))
      Shape(spatial).forEachIndex { index, _ in
        values += zip(index, spatial).map { Float(coordinate($0, of: $1)) }.reversed() + [1]
      }
      return values
    }
    let positions = builder.addConstant(grid, name: name)
    let made = try add(BatchedMatMulOperator(transposesRight: true), positions, real(map))
    return try held(
      reshaped(made, to: [-1] + spatial + [spatial.count]), as: map.element)
  }

  /// Computes the positions to which an affine map sends pixels, for a size that is known only at run time. `size`
  /// holds the batch size, the number of channels, and then `axes` extents.
  private func grid(_ map: ONNXTensor, ofSize size: Graph.ValueID, axes: Int) throws -> ONNXTensor {
    let spatial = try sliced(size, axis: 0, rank: 1, from: 2, to: axes + 2)
    let shape = try joined([spatial, constant([1])])
    // Each coordinate is a column of the matrix. The column for the last axis of the image comes first. The last column
    // holds ones, for the translation.
    var columns: [Graph.ValueID] = try (0..<axes).reversed().map { axis in
      let extent = try element(axis, of: spatial)
      // Numerator and divisor are integers, so that a coordinate is rounded only once.
      let least = try join(.subtract, constant([1]), extent)
      let doubled = try positions(below: join(.multiply, extent, constant([2])), by: 2)
      let numerators = try join(.add, doubled, least)
      // The coordinates −1 and 1 are the edges of the image. If `align_corners` is set, they are the centres of the
      // pixels at the edges.
      let divisor =
        flag("align_corners")
        ? try join(.maximum, join(.subtract, extent, constant([1])), constant([1])) : extent
      let coordinates = try join(
        .divide, add(CastOperator(to: .float32), numerators),
        add(CastOperator(to: .float32), divisor))
      return try broadcast(along(axis, rank: axes + 1, coordinates), to: shape)
    }
    columns.append(try broadcast(constant([1.0], [1]), to: shape))
    for column in columns where builder.extents(of: column) == nil {
      builder.state([Extent](repeating: Extent(from: 0), count: axes + 1), .float32, of: column)
    }
    let pixels = try reshaped(
      add(ConcatNDOperator(axis: axes), columns), to: [1, -1, axes + 1])
    let made = try add(BatchedMatMulOperator(transposesRight: true), pixels, real(map))
    let target = try joined([constant([-1]), spatial, constant([axes])])
    let grid = try add(ReshapeDynamicOperator(), made, target)
    if builder.extents(of: grid) == nil {
      builder.state([Extent](repeating: Extent(from: 0), count: axes + 2), .float32, of: grid)
    }
    return try held(grid, as: map.element)
  }
}
