import Graph
import Operators

extension SamplingGrid {
  /// The name that resizing operations use for this sampling grid.
  var programName: String {
    switch self {
    case .strictAlignEndpoints: "STRICT_ALIGN_CORNERS"
    case .alignEndpoints: "ALIGN_CORNERS"
    case .upsample: "DEFAULT"
    case .regionOfInterest: "OFFSET_CORNERS"
    case .pixelCentres: "UNALIGN_CORNERS"
    }
  }
}

extension UpsampleOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { x in
      let extents: [Int?] = try node.madePicture(x)
      var inputs: [String: MILOperand] = ["x": .value(x)]
      switch mode {
      case .nearest:
        try factors(&inputs, node)
        return try node.add("upsample_nearest_neighbor", inputs, extents)
      case .bilinear(let grid):
        switch grid {
        case .strictAlignEndpoints, .upsample, .pixelCentres:
          try factors(&inputs, node)
          inputs["align_corners"] = .bool(grid == .strictAlignEndpoints)
          // Before iOS 16, this operation samples at half-integer pixel centres, unless it aligns the corners. So the
          // grid `upsample` needs iOS 16.
          if grid == .upsample { try node.block.output.require(.iOS16) }
          if node.opset >= .iOS16 {
            inputs["half_pixel_centers"] = .bool(grid == .pixelCentres)
          }
          return try node.add("upsample_bilinear", inputs, extents)
        default:
          guard let height = extents[2], let width = extents[3] else {
            throw node.unsupported("the size of its output is not known.")
          }
          return try node.resized(x, height, width, grid, extents)
        }
      }
    }
  }

  /// Adds the scale factors to the inputs. The factors are integers if possible, else float32.
  private func factors(_ inputs: inout [String: MILOperand], _ node: ProgramNode) throws {
    for (name, factor) in [
      ("scale_factor_height", heightFactor), ("scale_factor_width", widthFactor),
    ] {
      if let integer = Int(exactly: factor) {
        inputs[name] = .int(integer)
      } else {
        inputs[name] = .value(try node.number(factor, .float32))
      }
    }
  }
}

extension ProgramNode {
  fileprivate func resized(
    _ x: MILValue, _ height: Int, _ width: Int, _ grid: SamplingGrid, _ extents: [Int?]
  ) throws -> MILValue {
    try add(
      "resize_bilinear",
      [
        "x": .value(x), "target_size_height": .int(height), "target_size_width": .int(width),
        "sampling_mode": .string(grid.programName),
      ], extents)
  }
}

extension ResizeBilinearOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { x in
      try node.resized(x, height, width, grid, try node.madePicture(x))
    }
  }
}

extension ResizeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let constantSizes: [Int]? = sizes ?? node.ints(1)
    let rank: Int = try node.rank(0)
    if let constantSizes, constantSizes.count == 2, rank >= 3 {
      let known: [Int?] = Array(try node.made().suffix(2))
      if let height = known[0], let width = known[1] {
        if mode == .linear {
          return try node.onPicture { x in
            try node.resized(x, height, width, grid, try node.madePicture(x))
          }
        }
        if grid == .pixelCentres {
          return try node.onPicture { x in
            try node.add(
              "resize_nearest_neighbor",
              [
                "x": .value(x), "target_size_height": .int(height),
                "target_size_width": .int(width),
              ], try node.madePicture(x))
          }
        }
      }
    }
    guard mode == .linear || grid != .upsample else {
      return [try nearest(node)]
    }
    try node.block.output.require(.iOS17)
    let count: Int? = try constantSizes?.count ?? node.extents(1)[0]
    guard let count else { throw node.unsupported("how many axes are resized is not known.") }
    let x: MILValue = try node.real(0)
    let shape: MILOperand = try constantSizes.map { .ints($0) } ?? .value(node.integer(1))
    return try node.only(
      "resize",
      [
        "x": .value(x), "shape": shape, "resized_dims": .int(count),
        "sampling_mode": .string(grid.programName),
        "interpolation_mode": .string(mode == .linear ? "LINEAR" : "NEAREST_NEIGHBOR"),
      ])
  }

  /// Resizes by nearest neighbour. Along an axis of extent X, output element i of N reads the input element `i · X /
  /// N`, rounded down.
  private func nearest(_ node: ProgramNode) throws -> MILValue {
    var x: MILValue = try node.moved()
    let made: [Int?] = try node.made()
    for axis in made.indices where made[axis] != x.extents[axis] || made[axis] == nil {
      guard let old = x.extents[axis], let new = made[axis] else {
        if let indices = try computedIndices(x, axis, node) {
          var extents: [Int?] = x.extents
          extents[axis] = made[axis]
          x = try node.gathered(x, indices, axis: axis, extents)
        }
        continue
      }
      _ = try Shape.computed([new], "the pixels that it reads")
      let indices: [Int64] = (0..<new).map { Int64($0 * old / new) }
      var extents: [Int?] = x.extents
      extents[axis] = new
      x = try node.gathered(
        x, try node.block.numbers(ReferenceTensor([new], integerValues: indices, .int32), .int32),
        axis: axis, extents)
    }
    return x
  }

  /// Computes the indices of the input elements to read along an axis, at run time. Nil if the axis is unchanged.
  private func computedIndices(_ x: MILValue, _ axis: Int, _ node: ProgramNode) throws -> MILValue?
  {
    guard let count = try sizes?.count ?? node.extents(1)[0] else {
      throw node.unsupported("the number of resized axes is not known.")
    }
    let position: Int = axis - (x.rank - count)
    guard position >= 0, sizes?[position] != 0 else { return nil }
    let new: MILValue =
      if let size = sizes?[position] {
        try node.number(Float(size), .int32)
      } else {
        try node.scalar(try node.slice(try node.integer(1), [(position, position + 1)]))
      }
    let old: MILValue = try node.scalar(
      try node.slice(try node.shape(of: x), [(axis, axis + 1)]))
    let steps: MILValue = try node.add(
      "range_1d", ["end": .value(new), "start": .int(0), "step": .int(1)], [nil], .int32)
    return try node.binary("floor_div", try node.binary("mul", steps, old), new)
  }
}

extension CropResizeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let (x, regions) = (try node.real(0), try node.real(1))
    guard x.rank == 5, x.extents[0] == 1, regions.rank == 5 else {
      throw node.unsupported("its pictures have a sequence.")
    }
    var inputs: [String: MILOperand] = [
      "x": .value(try node.squeeze(x, [0])), "target_height": .int(height),
      "target_width": .int(width), "normalized_coordinates": .bool(isNormalized),
      "spatial_scale": .value(try node.number(spatialScale)),
      "box_coordinate_mode": .string(coordinates.programName),
      "sampling_mode": .string(grid.programName),
    ]
    let made: [Int?] = try node.made()
    if let outside {
      try node.block.output.require(.iOS16)
      inputs["pad_value"] = .real(outside)
    } else {
      guard node.opset < .iOS16 else {
        throw node.unsupported(
          "outside of the picture it reads its edge, which only iOS 15's operation can do.")
      }
    }
    guard node.opset < .iOS17 else {
      throw node.unsupported("in the operations of iOS 17 its regions have another form.")
    }
    inputs["roi"] = .value(regions)
    return [try node.add("crop_resize", inputs, made)]
  }
}

extension CropResizeOperator.Coordinates {
  fileprivate var programName: String {
    switch self {
    case .cornersHeightFirst: "CORNERS_HEIGHT_FIRST"
    case .cornersWidthFirst: "CORNERS_WIDTH_FIRST"
    case .centerSizeHeightFirst: "CENTER_SIZE_HEIGHT_FIRST"
    case .centerSizeWidthFirst: "CENTER_SIZE_WIDTH_FIRST"
    }
  }
}

extension ResampleOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var value: Float = 0
    let border: String
    switch self.border {
    case .constant(let number):
      value = number
      border = "constant"
    case .edge: border = "border"
    case .reflection: border = "reflection"
    case .symmetry: border = "symmetric"
    }
    let mode: String
    var aligns = true
    switch coordinates {
    case .pixels: mode = "unnormalized"
    case .minusOneToOne(let ends): (mode, aligns) = ("normalized_minus_one_to_one", ends)
    case .zeroToOne(let ends): (mode, aligns) = ("normalized_zero_to_one", ends)
    }
    return try node.only(
      "resample",
      [
        "x": .value(try node.real(0)), "coordinates": .value(try node.real(1)),
        "sampling_mode": .string(isNearest ? "nearest" : "bilinear"),
        "padding_mode": .string(border), "padding_value": .real(value),
        "coordinates_mode": .string(mode), "align_corners": .bool(aligns),
      ])
  }
}
