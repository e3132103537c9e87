import Graph
import Operators

/// Operations that crop images, or that crop and resize regions of images.
enum RegionReaders {
  static let all: [OperationReader] = [
    OperationReader("crop", as: [CropOperator.self], .exact) { operation in
      try operation.requirePicture("x")
      let rows: [Int] = try operation.edges("crop_height")
      let columns: [Int] = try operation.edges("crop_width")
      let amounts = EdgeAmounts(
        top: rows[0], bottom: rows[1], left: columns[0], right: columns[1])
      return [
        .value(operation.add(CropOperator(amounts: amounts), try operation.tensor("x").id))
      ]
    },
    OperationReader("crop_resize", as: [CropResizeOperator.self]) {
      [.value(try $0.opset >= .iOS17 ? boxes($0) : regions($0))]
    },
  ]

  /// Reads `crop_resize` up to iOS 16. It crops N regions, `[N, 1, 4 or 5, 1, 1]`, from B images. The result is `[N, B,
  /// C, h, w]`.
  private static func regions(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let (x, roi) = (try operation.tensor("x"), try operation.tensor("roi"))
    guard x.rank == 4, roi.rank == 5 else {
      throw operation.invalid(
        "'x' has \(x.rank ?? 0) dimensions and 'roi' \(roi.rank ?? 0), expected 4 and 5.")
    }
    let outside: Float? =
      operation.opset >= .iOS16 ? try operation.float("pad_value", or: 0) : nil
    return operation.add(
      try cropResize(operation, outside: outside),
      operation.add(ExpandDimsOperator(axes: [0]), x.id), operation.real(roi))
  }

  /// Reads `crop_resize` from iOS 17 on. The boxes are `[N, 4]`, and each box has the index of its image. If the
  /// program omits these indices, box i belongs to image i. The result is `[N, C, h, w]`.
  private static func boxes(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let (x, boxes) = (try operation.tensor("x"), try operation.tensor("boxes"))
    guard x.rank == 4, boxes.rank == 2 else {
      throw operation.invalid(
        "'x' has \(x.rank ?? 0) dimensions and 'boxes' \(boxes.rank ?? 0), expected 4 and 2.")
    }
    let indices: Graph.ValueID
    if let given = try operation.optionalTensor("box_indices") {
      guard given.rank == 1 else {
        throw operation.invalid(
          "'box_indices' has \(given.rank ?? 0) dimensions, expected 1: one picture index per box.")
      }
      indices = operation.real(given)
    } else {
      guard let count = boxes.constant?.shape[0] ?? boxes.extents?[0] else {
        throw operation.unsupported(
          "the number of boxes is not known and 'box_indices' is omitted; add 'box_indices'.")
      }
      let shape: Shape = try Shape.computed([count], "the numbers of the boxes' pictures")
      indices = operation.constant(
        ReferenceTensor(shape, (0..<count).map(Double.init), .float32))
    }
    let regions = operation.add(
      ConcatNDOperator(axis: 1), operation.add(ExpandDimsOperator(axes: [1]), indices),
      operation.real(boxes))
    let made = operation.add(
      try cropResize(operation, outside: try operation.float("pad_value", or: 0)),
      operation.add(ExpandDimsOperator(axes: [0]), x.id),
      operation.add(ExpandDimsOperator(axes: [1, 3, 4]), regions))
    return operation.add(SqueezeOperator(axes: [1]), made)
  }

  private static func cropResize(_ operation: ProgramOperation, outside: Float?) throws
    -> CropResizeOperator
  {
    let coordinates: CropResizeOperator.Coordinates
    switch try operation.string("box_coordinate_mode", or: "CORNERS_HEIGHT_FIRST").uppercased() {
    case "CORNERS_HEIGHT_FIRST": coordinates = .cornersHeightFirst
    case "CORNERS_WIDTH_FIRST": coordinates = .cornersWidthFirst
    case "CENTER_SIZE_HEIGHT_FIRST": coordinates = .centerSizeHeightFirst
    case "CENTER_SIZE_WIDTH_FIRST": coordinates = .centerSizeWidthFirst
    case let other:
      throw operation.invalid(
        "box_coordinate_mode is '\(other)', expected CORNERS or CENTER_SIZE with _HEIGHT_FIRST or _WIDTH_FIRST."
      )
    }
    return CropResizeOperator(
      height: try operation.size("target_height", or: 1),
      width: try operation.size("target_width", or: 1), grid: try operation.samplingGrid(),
      coordinates: coordinates,
      isNormalized: try operation.bool("normalized_coordinates", or: false),
      spatialScale: try operation.float("spatial_scale", or: 1), outside: outside)
  }
}

extension ProgramOperation {
  /// Returns the two amounts that the program states for the start and the end of an axis.
  func edges(_ input: String) throws -> [Int] {
    guard has(input) else { throw invalid("the input '\(input)' is missing.") }
    return try sizes(input, count: 2, least: 0)
  }
}
