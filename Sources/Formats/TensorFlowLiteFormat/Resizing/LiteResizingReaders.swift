import Graph
import Operators

/// Operators that resize images.
enum LiteResizingReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("RESIZE_BILINEAR", .pictures([0])) { operation in
      let grid = try grid(operation, corners: 2, centres: 3)
      return [try resized(operation, grid, isNearest: false)]
    },
    LiteOperatorReader("RESIZE_NEAREST_NEIGHBOR", .pictures([0])) { operation in
      let grid = try grid(operation, corners: 0, centres: 1)
      return [try resized(operation, grid, isNearest: true)]
    },
  ]

  private static func grid(_ operation: LiteOperation, corners: Int, centres: Int) throws
    -> SamplingGrid
  {
    if try operation.bool(corners) { return .strictAlignEndpoints }
    return try operation.bool(centres) ? .pixelCentres : .upsample
  }

  private static func resized(_ operation: LiteOperation, _ grid: SamplingGrid, isNearest: Bool)
    throws -> LiteResult
  {
    let picture = try operation.picture(0)
    let inputGrid: QuantizedGrid? = isNearest ? try operation.value(0).grid : nil
    guard let sizes = try operation.knownIntegers(1) else {
      return .picture(
        try operation.add(
          ResizeOperator(sizes: nil, mode: isNearest ? .nearest : .linear, grid: grid), picture,
          try operation.written(1)), grid: inputGrid)
    }
    guard sizes.count == 2, sizes.allSatisfy({ (1...1 << 24).contains($0) }) else {
      throw operation.invalid("the size is \(sizes), expected a height and a width.")
    }
    let extents: [Int?] = try operation.extents(0) ?? []
    let known: [Int] = extents.dropFirst().prefix(2).compactMap { $0 }
    // The converter may have computed the new size from the image size in the file. If the input's extents are dynamic,
    // the reader turns the new size into a factor of that image size.
    let fileSize: [Int] = Array(try operation.fileTensor(0).shape.dropFirst().prefix(2))
    if known.count < 2, operation.context.followsExtents, fileSize.count == 2,
      fileSize.allSatisfy({ $0 > 0 })
    {
      if fileSize == sizes { return .picture(picture, grid: try operation.value(0).grid) }
      let factors: [Float] = zip(sizes, fileSize).map { Float($0) / Float($1) }
      return .picture(
        try operation.add(
          UpsampleOperator(
            heightFactor: factors[0], widthFactor: factors[1],
            mode: isNearest ? .nearest : .bilinear(grid)), picture), grid: inputGrid)
    }
    if known == sizes { return .picture(picture, grid: try operation.value(0).grid) }
    guard isNearest else {
      return .picture(
        try operation.add(
          ResizeBilinearOperator(height: sizes[0], width: sizes[1], grid: grid), picture))
    }
    if grid != .strictAlignEndpoints, known.count == 2,
      zip(sizes, known).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
    {
      return .picture(
        try operation.add(
          UpsampleOperator(
            heightFactor: Float(sizes[0] / known[0]), widthFactor: Float(sizes[1] / known[1])),
          picture), grid: inputGrid)
    }
    return .picture(
      try operation.add(ResizeOperator(sizes: sizes, mode: .nearest, grid: grid), picture),
      grid: inputGrid)
  }
}
