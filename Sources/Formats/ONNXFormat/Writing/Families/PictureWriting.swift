import Graph
import Operators

/// Pictures resized and read at places.
enum PictureWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(UpsampleOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let factors: [Float] = [operation.heightFactor, operation.widthFactor]
      let areWhole: Bool = factors.allSatisfy { $0 == $0.rounded() }
      let scales: [Float] = [Float](repeating: 1, count: rank - 2) + factors
      switch operation.mode {
      case .nearest:
        guard areWhole else { return try node.resized(operation, nil) }
        return node.resize(
          try node.input(), scales: scales, mode: "nearest", "asymmetric", rounding: "floor")
      case .bilinear(let grid):
        guard let words = grid.onnxWords, areWhole else { return try node.resized(operation, grid) }
        return node.resize(try node.input(), scales: scales, mode: "linear", words)
      }
    },
    OperatorWriting(ResizeBilinearOperator.self) { operation, node in
      try node.resized(to: [operation.height, operation.width], operation.grid)
    },
    OperatorWriting(ResizeOperator.self) { operation, node in
      let extents: [Int?] = try node.extents()
      guard let sizes = operation.sizes, !extents.contains(nil) else {
        return try node.resized(operation, rank: extents.count)
      }
      let shape: [Int] = try node.shape()
      let first: Int = shape.count - sizes.count
      let all: [Int] = shape.enumerated().map { axis, extent in
        axis < first || sizes[axis - first] == 0 ? extent : sizes[axis - first]
      }
      switch operation.mode {
      case .linear:
        guard let words = operation.grid.onnxWords else {
          throw node.unsupported("ONNX has no word for its sampling grid.")
        }
        return node.resize(try node.input(), sizes: all, mode: "linear", words)
      case .nearest:
        guard operation.grid == .upsample else {
          // Each axis by the places that are read.
          var x: String = try node.input()
          for axis in first..<shape.count where all[axis] != shape[axis] {
            let places: [Int] = operation.grid.nearest(extent: shape[axis], count: all[axis])
            x = node.emit("Gather", [x, node.ints(places)], .int("axis", axis))
          }
          return x
        }
        return node.resize(
          try node.input(), sizes: all, mode: "nearest", "asymmetric", rounding: "floor")
      }
    },
    OperatorWriting(ResampleOperator.self) { operation, node in
      guard !operation.isNearest else {
        throw node.unsupported("ONNX rounds halves to even pixels.")
      }
      guard case .minusOneToOne(let aligns) = operation.coordinates else {
        throw node.unsupported("its places are no numbers from −1 to 1.")
      }
      let mode: String
      switch operation.border {
      case .constant(0): mode = "zeros"
      case .edge: mode = "border"
      case .reflection where aligns: mode = "reflection"
      case .symmetry where !aligns: mode = "reflection"
      default: throw node.unsupported("ONNX has no word for what stands around its pictures.")
      }
      return node.emit(
        "GridSample", try node.inputs(), .string("mode", "bilinear"),
        .string("padding_mode", mode), .int("align_corners", aligns ? 1 : 0))
    },
  ]
}

extension SamplingGrid {
  /// The same points in ONNX's words, where each size is a factor of the other's.
  fileprivate var onnxWords: String? {
    switch self {
    case .strictAlignEndpoints: "align_corners"
    case .pixelCentres: "half_pixel"
    case .upsample: "asymmetric"
    default: nil
    }
  }
}

extension NodeContext {
  fileprivate func resize(
    _ x: String, scales: [Float]? = nil, sizes: [Int]? = nil, mode: String, _ words: String,
    rounding: String = "round_prefer_floor"
  ) -> String {
    let inputs: [String] =
      scales.map { [x, "", writer.floats($0)] } ?? [x, "", "", ints(sizes ?? [])]
    return emit(
      "Resize", inputs, .string("mode", mode), .string("coordinate_transformation_mode", words),
      .string("nearest_mode", rounding))
  }

  /// The last axes resized to sizes that are computed, or of a tensor whose extents are free.
  fileprivate func resized(_ operation: ResizeOperator, rank: Int) throws -> String {
    let x: String = try input()
    let words: String?
    switch operation.mode {
    case .linear: words = operation.grid.onnxWords
    case .nearest: words = operation.grid == .upsample ? "asymmetric" : nil
    }
    guard let words else {
      throw unsupported(
        "ONNX has no word for its sampling grid, and the sizes are not known before the network runs."
      )
    }
    let own: String = shape(of: x)
    let count: Int? = try operation.sizes?.count ?? extents(1).first ?? nil
    guard let count, count <= rank else {
      throw unsupported("it is not known how many sizes it is given.")
    }
    let given: String = try operation.sizes.map { ints($0) } ?? wholes(1)
    let isOwn: String = emit("Equal", [given, ints([0])])
    let sizes: String = emit(
      "Where", [isOwn, sliced(own, axis: 0, from: rank - count, to: rank), given])
    let leading: String = sliced(own, axis: 0, from: 0, to: rank - count)
    return emit(
      "Resize", [x, "", "", emit("Concat", [leading, sizes], .int("axis", 0))],
      .string("mode", operation.mode == .linear ? "linear" : "nearest"),
      .string("coordinate_transformation_mode", words), .string("nearest_mode", "floor"))
  }

  /// The last two axes resized to sizes.
  fileprivate func resized(to sizes: [Int], _ grid: SamplingGrid) throws -> String {
    let rank: Int = try rank()
    let x: String = try input()
    guard let words = grid.onnxWords else {
      var made: String = x
      for (position, size) in sizes.enumerated() {
        made = try blended(made, axis: rank - 2 + position, to: size, grid)
      }
      return made
    }
    let leading: String = sliced(shape(of: x), axis: 0, from: 0, to: rank - 2)
    let all: String = emit("Concat", [leading, ints(sizes)], .int("axis", 0))
    return emit(
      "Resize", [x, "", "", all], .string("mode", "linear"),
      .string("coordinate_transformation_mode", words))
  }

  /// Lines of an axis between those that are there, at the points of a grid that ONNX has no word for.
  private func blended(
    _ x: String, axis: Int, to count: Int, _ grid: SamplingGrid
  ) throws -> String {
    let extents: [Int?] = try extents()
    guard let extent = extents[axis] else {
      throw unsupported(
        "ONNX has no word for its sampling grid, and the size of the picture is not known.")
    }
    let taps: [InterpolationTap] = grid.points(extent: extent, count: count).map {
      InterpolationTap($0, extent: extent)
    }
    let shape: [Int] = [count] + [Int](repeating: 1, count: extents.count - 1 - axis)
    func lines(_ places: [Int], _ shares: [Double]) -> String {
      emit(
        "Mul",
        [
          emit("Gather", [x, ints(places)], .int("axis", axis)),
          writer.floats(shares.map(Float.init), shape),
        ])
    }
    return emit(
      "Add",
      [
        lines(taps.map(\.lower), taps.map { 1 - $0.weight }),
        lines(taps.map(\.upper), taps.map(\.weight)),
      ])
  }

  /// A picture enlarged by factors with fractions: it is spread over the size that they give.
  fileprivate func resized(_ operation: UpsampleOperator, _ grid: SamplingGrid?) throws -> String {
    let extents: [Int?] = try extents()
    guard let height = extents[extents.count - 2], let width = extents[extents.count - 1] else {
      throw unsupported("its factors have fractions, and the size of the picture is not known.")
    }
    let sizes: [Int] = [
      Int(bounding: Float(height) * operation.heightFactor),
      Int(bounding: Float(width) * operation.widthFactor),
    ]
    if let grid { return try resized(to: sizes, grid) }
    var x: String = try input()
    for (place, extent) in [height, width].enumerated() {
      let places: [Int] = SamplingGrid.upsample.nearest(extent: extent, count: sizes[place])
      x = emit("Gather", [x, ints(places)], .int("axis", extents.count - 2 + place))
    }
    return x
  }
}
