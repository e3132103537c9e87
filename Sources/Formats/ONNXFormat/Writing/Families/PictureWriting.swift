import Graph
import Operators

/// Operators that resize or sample images.
enum PictureWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(UpsampleOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let factors: [Float] = [operation.heightFactor, operation.widthFactor]
      let areIntegers: Bool = factors.allSatisfy { $0 == $0.rounded() }
      let scales: [Float] = [Float](repeating: 1, count: rank - 2) + factors
      switch operation.mode {
      case .nearest:
        guard areIntegers else { return try node.resized(operation, nil) }
        return node.resize(
          try node.input(), scales: scales, mode: "nearest", "asymmetric", rounding: "floor")
      case .bilinear(let grid):
        guard let name = grid.onnxName, areIntegers else {
          return try node.resized(operation, grid)
        }
        return node.resize(try node.input(), scales: scales, mode: "linear", name)
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
        guard let name = operation.grid.onnxName else {
          throw node.unsupported("ONNX cannot express its sampling grid.")
        }
        return node.resize(try node.input(), sizes: all, mode: "linear", name)
      case .nearest:
        guard operation.grid == .upsample else {
          // Resizes one axis after the other, by gathering the input elements that the output elements read.
          var x: String = try node.input()
          for axis in first..<shape.count where all[axis] != shape[axis] {
            let indices: [Int] = operation.grid.nearest(extent: shape[axis], count: all[axis])
            x = node.emit("Gather", [x, node.ints(indices)], .int("axis", axis))
          }
          return x
        }
        return node.resize(
          try node.input(), sizes: all, mode: "nearest", "asymmetric", rounding: "floor")
      }
    },
    OperatorWriting(ResampleOperator.self) { operation, node in
      guard !operation.isNearest else {
        throw node.unsupported("it rounds halves up, but ONNX rounds them to even pixels.")
      }
      guard case .minusOneToOne(let aligns) = operation.coordinates else {
        throw node.unsupported("its coordinates are not numbers from −1 to 1.")
      }
      let mode: String
      switch operation.border {
      case .constant(0): mode = "zeros"
      case .edge: mode = "border"
      case .reflection where aligns: mode = "reflection"
      case .symmetry where !aligns: mode = "reflection"
      default: throw node.unsupported("ONNX cannot express its padding mode.")
      }
      return node.emit(
        "GridSample", try node.inputs(), .string("mode", "bilinear"),
        .string("padding_mode", mode), .int("align_corners", aligns ? 1 : 0))
    },
  ]
}

extension SamplingGrid {
  /// ONNX's name of this sampling grid, for scale factors that are the new size divided by the old size. Nil if ONNX
  /// has no such grid.
  fileprivate var onnxName: String? {
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
    _ x: String, scales: [Float]? = nil, sizes: [Int]? = nil, mode: String, _ name: String,
    rounding: String = "round_prefer_floor"
  ) -> String {
    let inputs: [String] =
      scales.map { [x, "", writer.floats($0)] } ?? [x, "", "", ints(sizes ?? [])]
    return emit(
      "Resize", inputs, .string("mode", mode), .string("coordinate_transformation_mode", name),
      .string("nearest_mode", rounding))
  }

  /// Resizes the last axes if the sizes are computed at run time, or if the tensor has dynamic extents.
  fileprivate func resized(_ operation: ResizeOperator, rank: Int) throws -> String {
    let x: String = try input()
    let name: String?
    switch operation.mode {
    case .linear: name = operation.grid.onnxName
    case .nearest: name = operation.grid == .upsample ? "asymmetric" : nil
    }
    guard let name else {
      throw unsupported(
        "ONNX cannot express its sampling grid, and the sizes are not known before the network runs."
      )
    }
    let own: String = shape(of: x)
    let count: Int? = try operation.sizes?.count ?? extents(1).first ?? nil
    guard let count, count <= rank else {
      throw unsupported("the number of sizes is not known.")
    }
    let given: String = try operation.sizes.map { ints($0) } ?? integerValues(1)
    let isOwn: String = emit("Equal", [given, ints([0])])
    let sizes: String = emit(
      "Where", [isOwn, sliced(own, axis: 0, from: rank - count, to: rank), given])
    let leading: String = sliced(own, axis: 0, from: 0, to: rank - count)
    return emit(
      "Resize", [x, "", "", emit("Concat", [leading, sizes], .int("axis", 0))],
      .string("mode", operation.mode == .linear ? "linear" : "nearest"),
      .string("coordinate_transformation_mode", name), .string("nearest_mode", "floor"))
  }

  /// Resizes the last two axes to these sizes.
  fileprivate func resized(to sizes: [Int], _ grid: SamplingGrid) throws -> String {
    let rank: Int = try rank()
    let x: String = try input()
    guard let name = grid.onnxName else {
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
      .string("coordinate_transformation_mode", name))
  }

  /// Resizes an axis by blending its rows or columns, for a sampling grid that ONNX cannot express.
  private func blended(
    _ x: String, axis: Int, to count: Int, _ grid: SamplingGrid
  ) throws -> String {
    let extents: [Int?] = try extents()
    guard let extent = extents[axis] else {
      throw unsupported(
        "ONNX cannot express its sampling grid, and the size of the picture is not known.")
    }
    _ = try Shape.computed([count], "the points that it reads")
    let taps: [InterpolationTap] = grid.points(extent: extent, count: count).map {
      InterpolationTap($0, extent: extent)
    }
    let shape: [Int] = [count] + [Int](repeating: 1, count: extents.count - 1 - axis)
    func lines(_ indices: [Int], _ weights: [Double]) -> String {
      emit(
        "Mul",
        [
          emit("Gather", [x, ints(indices)], .int("axis", axis)),
          writer.floats(weights.map(Float.init), shape),
        ])
    }
    return emit(
      "Add",
      [
        lines(taps.map(\.lower), taps.map { 1 - $0.weight }),
        lines(taps.map(\.upper), taps.map(\.weight)),
      ])
  }

  /// Resizes an image by fractional factors. The writer states the resulting size instead of the factors.
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
    for (position, extent) in [height, width].enumerated() {
      let indices: [Int] = SamplingGrid.upsample.nearest(extent: extent, count: sizes[position])
      x = emit("Gather", [x, ints(indices)], .int("axis", extents.count - 2 + position))
    }
    return x
  }
}
