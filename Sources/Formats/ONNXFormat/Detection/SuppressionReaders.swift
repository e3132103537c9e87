import Graph
import Operators

/// Non-maximum suppression.
enum SuppressionReaders {
  static let all: [NodeReader] = [
    NodeReader("NonMaxSuppression", as: [NonMaximumSuppressionOperator.self]) {
      [try $0.suppression()]
    }
  ]
}

extension ONNXNode {
  /// Adds non-maximum suppression for each class of each image. Each row of the result holds three indices: of an
  /// image, of a class, and of a selected box.
  fileprivate func suppression() throws -> ONNXTensor {
    let (boxes, scores) = (try tensor(0), try tensor(1))
    let sizes: [Int?] = try extents(scores)
    guard sizes.count == 3, try rank(boxes) == 3 else {
      throw invalid("boxes and scores have \(try rank(boxes)) and \(sizes.count) axes, expected 3.")
    }
    guard let pictures = try sizes[0] ?? extents(boxes)[0], let classes = sizes[1] else {
      throw unsupported(
        "the numbers of images and classes must be known before the network runs.")
    }
    // The graph's operator suppresses the boxes of an image across all classes. So each class of each image becomes an
    // image with one class.
    let (rows, overflows) = pictures.multipliedReportingOverflow(by: classes)
    guard !overflows, (1...1 << 20).contains(rows) else {
      throw unsupported("there are \(pictures) × \(classes) rows of scores, expected 1 to 2²⁰.")
    }
    var corners: Graph.ValueID = try middles(of: real(boxes))
    if classes > 1 {
      let each = try add(
        TileOperator(repetitions: [1, classes, 1, 1]), add(ExpandDimsOperator(axes: [1]), corners))
      corners = try reshaped(each, to: [rows, -1, 4])
    }
    let values = try reshaped(real(scores), to: [rows, -1, 1])
    let selected: [Graph.ValueID] = try selected(corners, values, of: sizes[2])
    // If no score is above the threshold, the graph's operator still returns the box with the highest score. So the
    // scores are compared with the threshold once more.
    let indices = try add(ExpandDimsOperator(axes: [2]), selected[1])
    var isTaken = try join(.isAtLeast, indices, number: 0)
    if let threshold = try optional(4) {
      let isAbove = try join(.isGreater, selected[0], reshaped(real(threshold), to: []))
      isTaken = try join(.multiply, isTaken, isAbove)
    }
    let names: [Double] = (0..<rows).flatMap { row in
      [row / classes, row % classes].map(Double.init)
    }
    let named = try join(
      .add, join(.multiply, indices, number: 0), constant(names, Shape([rows, 1, 2])))
    let all = try reshaped(add(ConcatNDOperator(axis: 2), named, indices), to: [-1, 3])
    let selectedRows = try add(WhereNonZeroOperator(), reshaped(isTaken, to: [-1]))
    builder.state([Extent(from: 0), 1], .float32, of: selectedRows)
    let taken = try add(
      CastOperator(to: .int32), add(SqueezeOperator(axes: [1]), selectedRows))
    let made = try add(GatherOperator(axis: 0), all, taken)
    return ONNXTensor(try add(CastOperator(to: .int32), made), .int64)
  }

  /// Returns the scores `[rows, most, 1]` and the indices `[rows, most]` of the selected boxes. There is one row for
  /// each class of each image. At most `most` boxes are selected per row. Indices of unused entries are −1.
  private func selected(_ boxes: Graph.ValueID, _ scores: Graph.ValueID, of count: Int?) throws
    -> [Graph.ValueID]
  {
    func number(_ position: Int, or standard: Float) throws -> Float? {
      try optional(position) == nil ? standard : try floats(at: position)?.first
    }
    let (overlap, least) = (try number(3, or: 0), try number(4, or: -.infinity))
    let most: Int? = try optional(2) == nil ? 0 : try ints(at: 2)?.first
    if let overlap, let least, let most, let count {
      let suppression = NonMaximumSuppressionOperator(
        overlapThreshold: overlap, scoreThreshold: least,
        maximumBoxes: max(0, min(most, count)))
      return Array(try add(suppression, [boxes, scores], outputs: 4)[1...2])
    }
    func input(_ position: Int, or standard: Double) throws -> Graph.ValueID {
      guard let given = try optional(position) else { return constant(standard) }
      return try reshaped(real(given), to: [])
    }
    let all = try add(
      CastOperator(to: .float32), sliced(extents(of: scores), axis: 0, rank: 1, from: 1, to: 2))
    let suppression = NonMaximumSuppressionOperator(
      overlapThreshold: 0, scoreThreshold: 0, maximumBoxes: nil)
    let made: [Graph.ValueID] = try builder.add(
      suppression,
      [
        boxes, scores, input(3, or: 0), input(4, or: -.infinity),
        join(.minimum, input(2, or: 0), reshaped(all, to: [])),
      ], outputs: 4, name: name)
    let rows: Extent = builder.extents(of: boxes)?[0].map { Extent($0) } ?? Extent(from: 0)
    builder.state([rows, Extent(from: 0), 1], .float32, of: made[1])
    builder.state([rows, Extent(from: 0)], .float32, of: made[2])
    return Array(made[1...2])
  }

  /// Returns boxes as centre, width and height. The node says whether its boxes have that form, or are two opposite
  /// corners with y before x.
  private func middles(of boxes: Graph.ValueID) throws -> Graph.ValueID {
    if int("center_point_box", or: 0) == 1 { return boxes }
    let edges: [Graph.ValueID] = try (0..<4).map {
      try sliced(boxes, axis: 2, rank: 3, from: $0, to: $0 + 1)
    }
    func middle(_ first: Int, _ second: Int) throws -> Graph.ValueID {
      try scaled(join(.add, edges[first], edges[second]), by: 0.5)
    }
    func size(_ first: Int, _ second: Int) throws -> Graph.ValueID {
      try map(.magnitude, join(.subtract, edges[second], edges[first]))
    }
    return try add(
      ConcatNDOperator(axis: 2), [middle(1, 3), middle(0, 2), size(1, 3), size(0, 2)])
  }
}
