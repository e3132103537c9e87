import Graph

/// Non-maximum suppression: of several overlapping boxes, keeps the one with the highest score.
///
/// The score of a box is the score of its best class. Boxes above the score threshold are visited in descending order
/// of their scores (equal scores in input order). A box is suppressed if its intersection over union with a box that
/// was kept exceeds the overlap threshold. If ``isPerClass`` is set, a box suppresses only boxes of the same best
/// class. If no box exceeds the score threshold, the box with the highest score is kept. A NaN score exceeds no
/// threshold and is last in the order.
///
/// - Inputs: boxes `[B, N, 4]` as centre x, centre y, width, height; scores `[B, N, C]`; and optionally the two
///   thresholds and the maximum number of boxes, each as a tensor of one element. The operator's properties replace
///   missing inputs.
/// - Outputs, where M is the maximum number of boxes: boxes `[B, M, 4]` and scores `[B, M, C]`, padded with 0; indices
///   `[B, M]`, padded with −1; and the number of boxes kept `[B]`.
///
/// **Source:** `NonMaximumSuppressionLayerParams`.
public struct NonMaximumSuppressionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "NonMaximumSuppression", summary: "non-maximum suppression: keeps the best of overlapping boxes"
  )

  /// The largest intersection over union at which two boxes are both kept. Ignored if there is a third input.
  public let overlapThreshold: Float
  /// The score that a box must exceed. Ignored if there is a fourth input.
  public let scoreThreshold: Float
  /// The largest number of boxes to keep; nil if the fifth input holds it.
  public let maximumBoxes: Int?
  /// Whether only boxes of the same best class suppress each other.
  public let isPerClass: Bool

  /// Creates a non-maximum suppression. `maximumBoxes` is nil if the fifth input holds this number.
  public init(
    overlapThreshold: Float, scoreThreshold: Float, maximumBoxes: Int?, isPerClass: Bool = false
  ) {
    self.overlapThreshold = overlapThreshold
    self.scoreThreshold = scoreThreshold
    self.maximumBoxes = maximumBoxes
    self.isPerClass = isPerClass
  }

  /// Boxes and scores are floating-point. The thresholds and the maximum number of boxes may be integers.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    (input < 2 ? ElementTypes.floatingPoint : .numbers).contains(element)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let (boxes, scores) = (inputs[0].shape, inputs[1].shape)
    guard boxes.rank == 3, boxes[2] == 4, scores.rank == 3, scores[0] == boxes[0],
      scores[1] == boxes[1], scores[2] > 0
    else {
      throw EngineError(
        .invalidInput,
        "the boxes are \(boxes) and the scores \(scores), expected batch × number × 4 and batch × number × classes."
      )
    }
    guard let most = maximumBoxes ?? inputs[4].integers?.first else { return nil }
    return [
      TensorType(try Shape.checked([boxes[0], most, 4])),
      TensorType(try Shape.checked([boxes[0], most, scores[2]])),
      TensorType([boxes[0], most]), TensorType([boxes[0]]),
    ]
  }
}
