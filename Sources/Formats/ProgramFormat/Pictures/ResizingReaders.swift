import Graph
import Operators

/// Operations that resize tensors by factors or to sizes.
enum ResizingReaders {
  static let all: [OperationReader] = [
    OperationReader("upsample_nearest_neighbor", as: [UpsampleOperator.self], .exact) {
      [.value(try upsampled($0, .nearest))]
    },
    OperationReader("upsample_bilinear", as: [UpsampleOperator.self]) { operation in
      let aligns: Bool = try operation.bool("align_corners", or: true)
      let centres: Bool = try operation.bool("half_pixel_centers", or: !aligns)
      guard !(aligns && centres) else {
        throw operation.invalid(
          "align_corners and half_pixel_centers are both true, expected one of them.")
      }
      let grid: SamplingGrid = aligns ? .strictAlignEndpoints : centres ? .pixelCentres : .upsample
      return [.value(try upsampled(operation, .bilinear(grid)))]
    },
    OperationReader("resize_nearest_neighbor", as: [ResizeOperator.self], .exact) { operation in
      try operation.requirePicture("x")
      let sizes: [Int] = [
        try operation.size("target_size_height"), try operation.size("target_size_width"),
      ]
      return [
        .value(
          operation.add(
            ResizeOperator(sizes: sizes, mode: .nearest, grid: .pixelCentres),
            try operation.tensor("x").id))
      ]
    },
    OperationReader("resize_bilinear", as: [ResizeBilinearOperator.self]) { operation in
      try operation.requirePicture("x")
      return [
        .value(
          operation.add(
            ResizeBilinearOperator(
              height: try operation.size("target_size_height", or: 1),
              width: try operation.size("target_size_width", or: 1),
              grid: try operation.samplingGrid()),
            try operation.tensor("x").id))
      ]
    },
    OperationReader(
      "resize", since: .iOS17, as: [ResizeOperator.self, ResizeBilinearOperator.self]
    ) { [.value(try resized($0))] },
  ]

  private static func upsampled(_ operation: ProgramOperation, _ mode: UpsampleOperator.Mode) throws
    -> Graph.ValueID
  {
    try operation.requirePicture("x")
    let factors: [Float] = try ["scale_factor_height", "scale_factor_width"].map { name in
      let factor: Float = try operation.float(name, or: 1)
      guard factor > 0, factor <= 65536 else {
        throw operation.invalid("'\(name)' is \(factor), expected a positive factor.")
      }
      return factor
    }
    return operation.add(
      UpsampleOperator(heightFactor: factors[0], widthFactor: factors[1], mode: mode),
      try operation.tensor("x").id)
  }

  /// Resizes the last axes of `x`. The last numbers of `shape` are their new extents.
  private static func resized(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let x: ProgramTensor = try operation.tensor("x")
    let rank: Int = try operation.rank("x")
    let count: Int = try operation.int("resized_dims")
    let shape: ProgramTensor = try operation.tensor("shape")
    var grid: SamplingGrid = try operation.samplingGrid()
    let mode: ResizeOperator.Mode
    switch try operation.string("interpolation_mode", or: "LINEAR").uppercased() {
    case "LINEAR": mode = .linear
    case "NEAREST_NEIGHBOR":
      mode = .nearest
      // coremltools writes this operation for TensorFlow's nearest-neighbour resizing, whose grid has half-pixel
      // centres.
      if grid == .upsample { grid = .pixelCentres }
    case let other:
      throw operation.invalid(
        "interpolation_mode is '\(other)', expected LINEAR or NEAREST_NEIGHBOR.")
    }
    let known: Int? = shape.constant?.count ?? shape.extents?.first ?? nil
    guard shape.rank == 1, (0...rank).contains(count), count <= known ?? count,
      known ?? 0 <= rank
    else {
      throw operation.invalid(
        "resized_dims is \(count) and 'shape' has \(known ?? 0) numbers, expected at most \(rank) numbers, one per dimension of 'x', and resized_dims of at most that count."
      )
    }
    guard shape.constant != nil else {
      let sizes = operation.add(
        SliceStaticOperator(slices: [AxisSlice(begin: count == 0 ? Int(Int32.max) : -count)]),
        shape.id)
      return operation.add(ResizeOperator(sizes: nil, mode: mode, grid: grid), x.id, sizes)
    }
    let sizes: [Int] = Array(
      try operation.sizes("shape", count: known ?? count, least: 0).suffix(count))
    if mode == .linear, count == 2, rank >= 3, !sizes.contains(0), !x.element.held.isInteger {
      return operation.add(
        ResizeBilinearOperator(height: sizes[0], width: sizes[1], grid: grid), x.id)
    }
    return operation.add(ResizeOperator(sizes: sizes, mode: mode, grid: grid), x.id)
  }
}

extension ProgramOperation {
  /// Throws if a tensor has fewer than three dimensions. An image needs three.
  func requirePicture(_ input: String) throws {
    let rank: Int = try rank(input)
    guard rank >= 3 else {
      throw invalid("'\(input)' has \(rank) dimensions, expected at least 3.")
    }
  }

  /// Returns a size that the program states. The size must be at least one. Returns `standard` if the input is omitted.
  func size(_ input: String, or standard: Int? = nil) throws -> Int {
    let size: Int
    if let standard { size = try int(input, or: standard) } else { size = try int(input) }
    guard (1...1 << 30).contains(size) else {
      throw invalid("'\(input)' is \(size), expected 1 or more.")
    }
    return size
  }

  /// Returns the sampling grid that the input `sampling_mode` names.
  func samplingGrid() throws -> SamplingGrid {
    switch try string("sampling_mode", or: "DEFAULT").uppercased() {
    case "DEFAULT": return .upsample
    case "STRICT_ALIGN_CORNERS": return .strictAlignEndpoints
    case "ALIGN_CORNERS": return .alignEndpoints
    case "OFFSET_CORNERS": return .regionOfInterest
    case "UNALIGN_CORNERS": return .pixelCentres
    case let other:
      throw invalid(
        "sampling_mode is '\(other)', expected DEFAULT, STRICT_ALIGN_CORNERS, ALIGN_CORNERS, OFFSET_CORNERS or UNALIGN_CORNERS."
      )
    }
  }
}
