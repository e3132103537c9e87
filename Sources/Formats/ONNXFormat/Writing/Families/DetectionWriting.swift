import Graph
import Operators

/// Non-maximum suppression.
enum DetectionWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(
      NonMaximumSuppressionOperator.self,
      all: { operation, node in
        let shape: [Int] = try node.shape(1)
        guard shape.count == 3, shape.allSatisfy({ $0 > 0 }) else {
          throw node.unsupported("its input has no boxes.")
        }
        _ = try Shape.computed([max(shape[1], shape[2])], "the indices of its boxes or classes")
        return try Suppression(
          node: node, operation: operation, boxCount: shape[1], classCount: shape[2]
        ).outputs()
      })
  ]
}

/// Writes non-maximum suppression. ONNX's operator returns the indices of the selected boxes as rows. The graph's
/// operator returns the selected boxes, sorted by descending score and padded to a fixed number. So the writer marks
/// the selected boxes, sorts the selected boxes by score, and gathers them.
private struct Suppression {
  let node: NodeContext
  let operation: NonMaximumSuppressionOperator
  let boxCount: Int
  let classCount: Int

  /// Writes the nodes. Returns the names of the boxes, scores, indices and counts.
  func outputs() throws -> [String] {
    let (boxes, scores) = (try node.input(0), try node.input(1))
    let first: String = node.sliced(scores, axis: 2, from: 0, to: 1)
    let isNoNumber: String = node.emit("IsNaN", [first])
    let known: String = node.emit("Where", [node.emit("IsNaN", [scores]), lowest, scores])
    let largest: String = node.emit("ReduceMax", [known, node.ints([2])], .int("keepdims", 1))
    // The largest score of each box, `[B, N, 1]`. If the first score of a box is NaN, the box is above no threshold.
    let best: String = node.emit("Where", [isNoNumber, lowest, largest])
    let marks: String = try selectionMarks(boxes, suppressionScores(best, known, isNoNumber))

    // Only selected boxes have a finite sort key. If no box is selected, the box with the highest score counts as
    // selected.
    let finite: String = node.emit(
      "Max", [largest, number(-Double(Float.greatestFiniteMagnitude))])
    let keys: String = squeezed(node.emit("Where", [isNoNumber, lowest, finite]))
    let likeliest: String = node.emit("ArgMax", [keys], .int("axis", 1), .int("keepdims", 1))
    let alone: String = node.emit("Equal", [likeliest, node.ints(Array(0..<boxCount))])
    let sum: String = node.emit("ReduceSum", [marks, node.ints([1])], .int("keepdims", 1))
    let selected: String = node.emit(
      "Where",
      [
        node.emit("Less", [sum, number(0.5)]), alone,
        node.emit("Greater", [marks, number(0.5)]),
      ])
    let sorted: String = node.emit(
      "TopK", [node.emit("Where", [selected, keys, lowest]), node.ints([boxCount])], outputs: 2,
      [.int("axis", 1)])[1]
    let found: String = node.emit(
      "ReduceSum", [node.cast(selected, to: .int64), node.ints([1])], .int("keepdims", 1))

    let (positions, most) = try positions()
    let last: String = node.emit("Min", [positions, node.ints([boxCount - 1])])
    let indices: String = node.emit("Gather", [sorted, last], .int("axis", 1))
    let count: String = node.emit("Min", [found, most])
    let isTaken: String = node.emit("Less", [positions, count])
    return [
      gathered(boxes, indices, isTaken), gathered(scores, indices, isTaken),
      node.cast(node.emit("Where", [isTaken, indices, node.ints([-1])]), to: .float32),
      node.cast(node.emit("Squeeze", [count, node.ints([1])]), to: .float32),
    ]
  }

  /// Computes the scores by which ONNX's operator ranks the boxes, `[B, classes, N]`.
  private func suppressionScores(_ best: String, _ scores: String, _ isNoNumber: String) -> String {
    let row: String = node.transposed(best, [0, 2, 1])
    guard operation.isPerClass, classCount > 1 else { return row }
    let likeliest: String = node.emit("ArgMax", [scores], .int("axis", 2), .int("keepdims", 1))
    let own: String = node.emit("Where", [isNoNumber, node.ints([0]), likeliest])
    let all: String = node.writer.ints(Array(0..<classCount), [1, classCount, 1])
    let isOwn: String = node.emit("Equal", [node.transposed(own, [0, 2, 1]), all])
    return node.emit("Where", [isOwn, row, lowest])
  }

  /// Computes marks `[B, N]`. A mark is 1 for a selected box, and 0 for any other box.
  private func selectionMarks(_ boxes: String, _ scores: String) throws -> String {
    let rows: String = node.emit(
      "NonMaxSuppression",
      [
        boxes, scores, node.ints([boxCount]),
        try threshold(2, operation.overlapThreshold), try threshold(3, operation.scoreThreshold),
      ], .int("center_point_box", 1))
    let positions: String = node.emit("Gather", [rows, node.ints([0, 2])], .int("axis", 1))
    let ones: String = node.emit(
      "Expand", [number(1), node.sliced(node.shape(of: rows), axis: 0, from: 0, to: 1)])
    return node.emit("ScatterND", [blank(boxes), positions, ones])
  }

  /// Makes zeros, one for each box.
  private func blank(_ boxes: String) -> String {
    let sizes: String = node.sliced(node.shape(of: boxes), axis: 0, from: 0, to: 2)
    return node.emit("Expand", [number(0), sizes])
  }

  private func threshold(_ position: Int, _ standard: Float) throws -> String {
    guard node.node.inputs.count > position else { return node.writer.floats([standard]) }
    return node.reshaped(try node.input(position), to: [1])
  }

  /// Returns the indices 0, 1 … of the boxes in the result, and the number of these boxes.
  private func positions() throws -> (String, most: String) {
    if node.node.inputs.count > 4 {
      let most: String = node.reshaped(try node.integerValues(4), to: [])
      return (
        node.emit("Range", [node.writer.ints([0], []), most, node.writer.ints([1], [])]), most
      )
    }
    let most: Int = operation.maximumBoxes ?? 0
    guard most > 0 else { throw node.unsupported("it asks for 0 boxes.") }
    return (node.ints(Array(0..<most)), node.ints([most]))
  }

  /// Gathers rows of a tensor `[B, N, n]` at indices. Rows that hold no selected box become zeros.
  private func gathered(_ rows: String, _ indices: String, _ isTaken: String) -> String {
    let all: String = node.emit(
      "GatherND", [rows, node.emit("Unsqueeze", [indices, node.ints([2])])],
      .int("batch_dims", 1))
    return node.emit("Where", [node.emit("Unsqueeze", [isTaken, node.ints([2])]), all, number(0)])
  }

  private func squeezed(_ value: String) -> String {
    node.emit("Squeeze", [value, node.ints([2])])
  }

  private func number(_ value: Double) -> String { node.writer.number(value, as: .float32) }

  private var lowest: String { number(-Double.infinity) }
}
