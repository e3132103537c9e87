import Graph
import Operators

/// The post-processing of object detectors: decodes boxes from anchors, and selects boxes by non-maximum suppression.
///
/// **Source:** `detection_postprocess.cc` of TensorFlow Lite for the meaning of inputs and settings; Liu et al., “SSD:
/// Single Shot MultiBox Detector”, arXiv:1512.02325.
enum LiteDetectionReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("TFLite_Detection_PostProcess", isCustom: true) { try detections($0) },
    LiteOperatorReader("NON_MAX_SUPPRESSION_V4") { operation in
      let (boxes, scores) = try operation.corners()
      let most: Int = try operation.integers(2).first ?? 0
      let selected = try operation.suppressed(
        boxes, scores, overlap: Float(try operation.number(3)),
        score: Float(try operation.number(4)), most: most)
      return [.written(selected.indices), .written(selected.count)]
    },
  ]

  /// The settings that this reader accepts. One of them, `detections_per_class`, matters only for regular suppression,
  /// which this reader does not support.
  private static let known: Set<String> = [
    "max_detections", "num_classes", "use_regular_nms", "max_classes_per_detection",
    "detections_per_class", "y_scale", "x_scale", "h_scale", "w_scale", "nms_iou_threshold",
    "nms_score_threshold",
  ]

  /// Reads a detector's post-processing.
  ///
  /// The operator's inputs are encodings `[1, N, 4]` (centre y, centre x, height, width, relative to the anchors),
  /// scores `[1, N, classes]`, and anchors `[N, 4]`. The first class may be the background. The outputs are boxes `[1,
  /// M, 4]` (top, left, bottom, right), classes `[1, M]`, scores `[1, M]`, and the number of boxes `[1]`.
  private static func detections(_ operation: LiteOperation) throws -> [LiteResult] {
    guard let bytes = operation.tensorInFile.customOptions else {
      throw operation.invalid("its settings are missing.")
    }
    let settings = try FlexMap(bytes)
    // Settings whose names begin with an underscore are notes of the converter.
    if let other = settings.names.subtracting(known).filter({ !$0.hasPrefix("_") }).min() {
      throw EngineError(
        .unsupported, "it has the setting '\(other)', which is not supported.")
    }
    func setting(_ name: String) throws -> Double {
      guard let value = settings[name] else {
        throw operation.invalid("the setting '\(name)' is missing.")
      }
      return value
    }
    let most = Int(bounding: try setting("max_detections"), to: 0...1_000_000)
    let classes = Int(bounding: try setting("num_classes"), to: 0...1_000_000)
    guard (settings["use_regular_nms"] ?? 0) == 0, (settings["max_classes_per_detection"] ?? 1) == 1
    else {
      throw EngineError(
        .unsupported,
        "it asks for several classes per box (regular suppression), expected fast suppression with one."
      )
    }
    guard let scored = try operation.extents(1), scored.count == 3, let columns = scored[2],
      let count = scored[1], classes > 0, columns == classes || columns == classes + 1
    else { throw operation.invalid("the scores do not fit \(classes) classes.") }
    let scales: [Float] = try ["y_scale", "x_scale", "h_scale", "w_scale"].map {
      Float(try setting($0))
    }
    let boxes = try operation.decoded(count: count, scales: scales)
    var scores = try operation.written(1)
    if columns > classes {
      scores = try operation.add(
        SliceStaticOperator(slices: [AxisSlice(), AxisSlice(), AxisSlice(begin: 1)]), scores,
        part: "foreground")
    }
    let best = try operation.add(
      ReduceAxesOperator(.maximum, axes: [2], keepsAxes: true), scores, part: "best")
    let kinds = try operation.add(
      ReduceAxesOperator(.indexOfMaximum, axes: [2], keepsAxes: false), scores, part: "class")
    let selected = try operation.suppressed(
      boxes, best, overlap: Float(try setting("nms_iou_threshold")),
      score: Float(try setting("nms_score_threshold")), most: most)
    let flatKinds = try operation.reshaped(kinds, [count])
    let flatScores = try operation.reshaped(best, [count])
    func taken(_ values: Graph.ValueID, _ part: String) throws -> Graph.ValueID {
      let picked = try operation.add(GatherOperator(axis: 0), values, selected.indices, part: part)
      // In the outputs, the elements after the last box are 0.
      return try operation.reshaped(
        try operation.add(
          BinaryFunctionOperator(.multiply), picked, selected.isTaken, part: "\(part) selected"),
        [1, most])
    }
    return [
      .written(try operation.reshaped(try operation.toCorners(selected.boxes), [1, most, 4])),
      .written(try taken(flatKinds, "classes")), .written(try taken(flatScores, "scores")),
      .written(try operation.reshaped(try operation.converted(selected.count, to: .float32), [1])),
    ]
  }
}

/// The boxes that non-maximum suppression selects.
private struct SelectedBoxes {
  /// The boxes as centre x, centre y, width, height: `[1, M, 4]`, padded with zeros.
  let boxes: Graph.ValueID
  /// The indices of the selected boxes among all N boxes, `[M]`, padded with zeros.
  let indices: Graph.ValueID
  /// For each of the M elements, 1 if it holds a box, or 0 if it is padding.
  let isTaken: Graph.ValueID
  /// The number of selected boxes.
  let count: Graph.ValueID
}

extension LiteOperation {
  /// Splits boxes `[1, N, 4]` into four columns, each `[1, N, 1]`.
  private func columns(_ boxes: Graph.ValueID, _ part: String) throws -> [Graph.ValueID] {
    try add(SplitNDOperator(axis: -1, parts: .count(4)), [boxes], outputs: 4, part: part)
  }

  /// Computes boxes from encodings and anchors. A box is its centre x, centre y, width and height.
  fileprivate func decoded(count: Int, scales: [Float]) throws -> Graph.ValueID {
    let encodings = try columns(try reshaped(try written(0), [1, count, 4]), "encodings")
    let anchors = try columns(try reshaped(try written(2), [1, count, 4]), "anchors")
    var made: [Graph.ValueID] = []
    for axis in [1, 0] {
      let shift = try add(
        BinaryFunctionOperator(.multiply),
        try add(
          BinaryFunctionOperator(.divide, number: scales[axis]), encodings[axis], part: "shift"),
        anchors[axis + 2], part: "shift")
      made.append(try add(BinaryFunctionOperator(.add), shift, anchors[axis], part: "centre"))
    }
    for axis in [3, 2] {
      let factor = try add(
        UnaryFunctionOperator(.exponential),
        try add(
          BinaryFunctionOperator(.divide, number: scales[axis]), encodings[axis], part: "size"),
        part: "size")
      made.append(try add(BinaryFunctionOperator(.multiply), factor, anchors[axis], part: "size"))
    }
    return try add(ConcatNDOperator(axis: -1), made, outputs: 1, part: "boxes")[0]
  }

  /// Converts the operator's inputs to the form that the suppression operator needs. The inputs are boxes `[N, 4]`
  /// (top, left, bottom, right) and scores `[N]`. The results are boxes `[1, N, 4]` (centre x, centre y, width, height)
  /// and scores `[1, N, 1]`.
  fileprivate func corners() throws -> (boxes: Graph.ValueID, scores: Graph.ValueID) {
    let edges = try columns(
      try add(ExpandDimsOperator(axes: [0]), try written(0), part: "boxes"), "edges")
    var made: [Graph.ValueID] = []
    for axis in [1, 0] {
      let sum = try add(BinaryFunctionOperator(.add), edges[axis], edges[axis + 2], part: "sum")
      made.append(try add(BinaryFunctionOperator(.multiply, number: 0.5), sum, part: "centre"))
    }
    for axis in [1, 0] {
      let size = try add(
        BinaryFunctionOperator(.subtract), edges[axis + 2], edges[axis], part: "size")
      made.append(try add(UnaryFunctionOperator(.magnitude), size, part: "size"))
    }
    let scores = try add(ExpandDimsOperator(axes: [0, 2]), try written(1), part: "scores")
    return (try add(ConcatNDOperator(axis: -1), made, outputs: 1, part: "boxes")[0], scores)
  }

  /// Converts boxes from centre, width and height to top, left, bottom, right.
  fileprivate func toCorners(_ boxes: Graph.ValueID) throws -> Graph.ValueID {
    let parts = try columns(boxes, "selected boxes")
    var made: [Graph.ValueID] = []
    for sign in [Float(-0.5), 0.5] {
      for axis in [1, 0] {
        let half = try add(
          BinaryFunctionOperator(.multiply, number: sign), parts[axis + 2], part: "half")
        made.append(try add(BinaryFunctionOperator(.add), parts[axis], half, part: "edge"))
      }
    }
    return try add(ConcatNDOperator(axis: -1), made, outputs: 1, part: "edges")[0]
  }

  /// Adds non-maximum suppression of these boxes.
  fileprivate func suppressed(
    _ boxes: Graph.ValueID, _ scores: Graph.ValueID, overlap: Float, score: Float, most: Int
  ) throws -> SelectedBoxes {
    guard (1...1 << 20).contains(most) else {
      throw invalid("the number of detections is \(most), expected 1 or more.")
    }
    let made = try add(
      NonMaximumSuppressionOperator(
        overlapThreshold: overlap, scoreThreshold: score, maximumBoxes: most), [boxes, scores],
      outputs: 4, part: "suppression")
    let positions = try converted(try reshaped(made[2], [most]), to: .int32)
    let zero = scalar(0, .int32)
    // If no score is above the threshold, the graph's operator still returns the box with the highest score. So the
    // highest score is compared with the threshold here.
    let best = try add(
      ReduceAxesOperator(.maximum, axes: [1], keepsAxes: false), made[1], part: "highest")
    let isAbove = try add(
      BinaryFunctionOperator(.isGreater, number: score), try reshaped(best, [1]), part: "above")
    let exists = try converted(
      try add(BinaryFunctionOperator(.isAtLeast), positions, zero, part: "exists"), to: .float32)
    let isTaken = try add(BinaryFunctionOperator(.multiply), exists, isAbove, part: "taken")
    let indices = try add(BinaryFunctionOperator(.maximum), positions, zero, part: "indices")
    let count = try converted(
      try add(ReduceAxesOperator(.sum, axes: [0], keepsAxes: false), isTaken, part: "count"),
      to: .int32)
    let selected = try add(
      BinaryFunctionOperator(.multiply), made[0], try reshaped(isTaken, [1, most, 1]),
      part: "selected")
    return SelectedBoxes(boxes: selected, indices: indices, isTaken: isTaken, count: count)
  }
}
