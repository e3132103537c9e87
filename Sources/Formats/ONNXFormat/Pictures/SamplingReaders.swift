import Graph
import Operators

/// Pictures read at places that are given or that a linear map makes.
enum SamplingReaders {
  static let all: [NodeReader] = [
    NodeReader("GridSample", as: [ResampleOperator.self]) { node in
      let (x, places) = (try node.tensor(0), try node.tensor(1))
      guard try node.rank(x) == 4, try node.rank(places) == 4 else {
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
        let pixels: Graph.ValueID = try node.pixels(places, of: x, endsAreCentres: aligns)
        let sampling = ResampleOperator(isNearest: true, border: border, coordinates: .pixels)
        return [ONNXTensor(try node.add(sampling, node.real(x), pixels), x.element)]
      }
      let sampling = ResampleOperator(
        border: border, coordinates: .minusOneToOne(endsAreCentres: aligns))
      return [ONNXTensor(try node.add(sampling, node.real(x), places.id), x.element)]
    },
    NodeReader("AffineGrid", as: [BatchedMatMulOperator.self]) { [try $0.grid()] },
  ]
}

extension ONNXNode {
  /// Places of a picture as whole pixels; halves go to the even one, which no operator does.
  fileprivate func pixels(_ places: ONNXTensor, of x: ONNXTensor, endsAreCentres: Bool) throws
    -> Graph.ValueID
  {
    // The last number of a place is the column.
    let sizes = try add(
      CastOperator(to: .float32),
      add(GatherOperator(axis: 0), extents(of: x.id), constant([3, 2])))
    let ends = try scaled(sizes, by: 1, plus: -1)
    let factors = try scaled(endsAreCentres ? ends : sizes, by: 0.5)
    let scaledPlaces = try join(.multiply, places.id, factors)
    return try map(.round, join(.add, scaledPlaces, scaled(ends, by: 0.5)))
  }

  /// The places that a linear map makes of the pixels of a picture or a volume.
  fileprivate func grid() throws -> ONNXTensor {
    let map: ONNXTensor = try tensor(0)
    guard let size = try knownInts(at: 1, "the size"), size.count == 4 || size.count == 5 else {
      throw invalid("the size is missing, expected 4 or 5 numbers.")
    }
    let spatial = Array(size.dropFirst(2))
    let count: Int = spatial.product
    guard spatial.allSatisfy({ $0 > 0 }), Shape(spatial).isMeasurable else {
      throw unsupported("the picture is \(Shape(spatial)), expected sizes of 1 or more.")
    }
    let aligns: Bool = flag("align_corners")
    @Sendable func place(_ index: Int, of extent: Int) -> Double {
      if aligns { return extent == 1 ? 0 : 2 * Double(index) / Double(extent - 1) - 1 }
      return (2 * Double(index) + 1) / Double(extent) - 1
    }
    // Columns before rows, and 1 for the shift.
    let grid = try Constant.computed(
      [1, count, spatial.count + 1], "the places of \(Shape(spatial)) pixels, aligned \(aligns)"
    ) {
      var values: [Float] = []
      values.reserveCapacity(count * (spatial.count + 1))
      Shape(spatial).forEachIndex { index, _ in
        values += zip(index, spatial).map { Float(place($0, of: $1)) }.reversed() + [1]
      }
      return values
    }
    let places = builder.addConstant(grid, name: name)
    let made = try add(BatchedMatMulOperator(transposesRight: true), places, real(map))
    return try held(
      reshaped(made, to: [-1] + spatial + [spatial.count]), as: map.element)
  }
}
