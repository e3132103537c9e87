import Graph
import Operators

/// Operators that crop regions from images and resize them.
enum RegionWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(CropResizeOperator.self) { operation, node in
      let picture: [Int] = try node.shape(0)
      guard picture.count == 5, picture.allSatisfy({ $0 > 0 }), operation.height > 0,
        operation.width > 0
      else { throw node.unsupported("its input or output has no pixels.") }
      _ = try Shape.computed([operation.height, operation.width], "the grid of a region")
      return try Regions(node: node, operation: operation, picture: picture).output()
    }
  ]
}

/// Crops and resizes regions by reading the image at the points of a grid (`GridSample`). Other nodes compute the grid
/// from the coordinates of each region.
private struct Regions {
  let node: NodeContext
  let operation: CropResizeOperator
  /// The shape of the images, `[1, B, C, H, W]`.
  let picture: [Int]

  func output() throws -> String {
    let (batch, channels, height, width) = (picture[1], picture[2], picture[3], picture[4])
    guard let numbers = try node.extents(1)[2] else {
      throw node.unsupported("the number of values per region is not known.")
    }
    var regions: String = node.reshaped(try node.input(1), to: [-1, numbers])
    if node.element(1).isInteger { regions = node.cast(regions, to: .float32) }
    let edges: [String] = (numbers - 4..<numbers).map {
      node.sliced(regions, axis: 1, from: $0, to: $0 + 1)
    }
    let rows: String = points(interval(edges, isRows: true), operation.height, extent: height)
    let columns: String = points(interval(edges, isRows: false), operation.width, extent: width)
    let gridPoints: String = grid(rows, columns)

    let pixels: String = try node.input(0)
    let source: String
    if numbers == 5 {
      let named: String = node.cast(node.sliced(regions, axis: 1, from: 0, to: 1), to: .int64)
      source = node.emit(
        "Gather",
        [
          node.reshaped(pixels, to: [batch, channels, height, width]),
          node.reshaped(named, to: [-1]),
        ],
        .int("axis", 0))
    } else {
      let count: String = node.sliced(node.shape(of: regions), axis: 0, from: 0, to: 1)
      let all: String = node.emit("Concat", [count, node.ints([1, 1, 1])], .int("axis", 0))
      source = node.emit(
        "Expand", [node.reshaped(pixels, to: [1, batch * channels, height, width]), all])
    }
    var made: String = node.emit(
      "GridSample", [source, gridPoints], .string("mode", "bilinear"),
      .string("padding_mode", "border"), .int("align_corners", 0))
    if let outside = operation.outside {
      let isOutside: String = node.emit(
        "Or",
        [
          unsqueezed(self.isOutside(rows, extent: height), [1, 3]),
          unsqueezed(self.isOutside(columns, extent: width), [1, 2]),
        ])
      made = node.emit("Where", [isOutside, number(Double(outside)), made])
    }
    return node.reshaped(
      made, to: [-1, numbers == 5 ? 1 : batch, channels, operation.height, operation.width])
  }

  /// Computes the first and the last row or column of each region, in pixels. Each result is `[N, 1]`.
  private func interval(_ edges: [String], isRows: Bool) -> (start: String, end: String) {
    let isWidthFirst: Bool =
      operation.coordinates == .cornersWidthFirst || operation.coordinates == .centerSizeWidthFirst
    let first: Int = isRows == isWidthFirst ? 1 : 0
    let extent: Int = picture[isRows ? 3 : 4]
    let scale: Double =
      Double(operation.spatialScale) * (operation.isNormalized ? Double(extent - 1) : 1)
    var (start, end) = (
      node.emit("Mul", [edges[first], number(scale)]),
      node.emit("Mul", [edges[first + 2], number(scale)])
    )
    if operation.coordinates == .centerSizeHeightFirst
      || operation.coordinates == .centerSizeWidthFirst
    {
      let half: String = node.emit("Mul", [end, number(0.5)])
      (start, end) = (node.emit("Sub", [start, half]), node.emit("Add", [start, half]))
    }
    guard operation.grid == .pixelCentres else { return (start, end) }
    // If the end of a region is before its start, the region becomes the whole image.
    let runsBack: String = node.emit("Greater", [start, end])
    return (
      node.emit("Where", [runsBack, number(0), start]),
      node.emit("Where", [runsBack, number(Double(extent - 1)), end])
    )
  }

  /// Computes the rows or columns that each region reads, in pixels. The result is `[N, count]`.
  private func points(
    _ interval: (start: String, end: String), _ count: Int, extent: Int
  ) -> String {
    let (start, end) = interval
    let length: String = node.emit("Sub", [end, start])
    /// Computes `start + length · (step + shift) / parts + offset` for each step from 0 to `count` − 1.
    func spread(_ length: String, shift: Double, parts: Double, offset: Double = 0) -> String {
      let steps: [Float] = (0..<count).map { Float((Double($0) + shift) / parts) }
      let far: String = node.emit("Mul", [length, node.writer.floats(steps, [1, count])])
      let moved: String = node.emit("Add", [start, far])
      return offset == 0 ? moved : node.emit("Add", [moved, number(offset)])
    }
    func upToEnd(_ points: String) -> String { node.emit("Min", [points, end]) }
    let longer: String = node.emit("Add", [length, number(1)])
    switch operation.grid {
    case .strictAlignEndpoints, .alignEndpoints:
      if count > 1 { return spread(length, shift: 0, parts: Double(count - 1)) }
      return operation.grid == .strictAlignEndpoints
        ? start : node.emit("Mul", [node.emit("Add", [start, end]), number(0.5)])
    case .upsample: return upToEnd(spread(longer, shift: 0, parts: Double(count)))
    case .regionOfInterest:
      let most: String = node.emit("Max", [length, number(1)])
      return upToEnd(spread(most, shift: 0.5, parts: Double(count)))
    case .pixelCentres:
      let centres: String = spread(longer, shift: 0.5, parts: Double(count), offset: -0.5)
      return upToEnd(node.emit("Max", [centres, start]))
    }
  }

  /// Converts rows and columns to ONNX's coordinates `[N, height, width, 2]`. The column comes before the row. The
  /// coordinates −1 and 1 are the edges of the image.
  private func grid(_ rows: String, _ columns: String) -> String {
    func coordinate(_ points: String, extent: Int) -> String {
      let inside: String = node.emit("Clip", [points, number(0), number(Double(extent - 1))])
      let scaled: String = node.emit("Mul", [inside, number(2 / Double(extent))])
      return node.emit("Add", [scaled, number(1 / Double(extent) - 1)])
    }
    let zeros: String = node.writer.floats(
      [Float](repeating: 0, count: operation.height * operation.width),
      [1, operation.height, operation.width, 1])
    let x: String = unsqueezed(coordinate(columns, extent: picture[4]), [1, 3])
    let y: String = unsqueezed(coordinate(rows, extent: picture[3]), [2, 3])
    return node.emit(
      "Concat", [node.emit("Add", [x, zeros]), node.emit("Add", [y, zeros])], .int("axis", 3))
  }

  private func isOutside(_ points: String, extent: Int) -> String {
    node.emit(
      "Or",
      [
        node.emit("Less", [points, number(0)]),
        node.emit("Greater", [points, number(Double(extent - 1))]),
      ])
  }

  private func unsqueezed(_ value: String, _ axes: [Int]) -> String {
    node.emit("Unsqueeze", [value, node.ints(axes)])
  }

  private func number(_ value: Double) -> String { node.writer.number(value, as: .float32) }
}
