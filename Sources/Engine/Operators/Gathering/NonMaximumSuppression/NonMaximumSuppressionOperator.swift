import Graph

/// Keeps the best of boxes that overlap.
///
/// The score of a box is its best class's. Boxes above the score threshold are taken in falling order
/// of scores (the first of equals first), and one is left out when its intersection over union with a
/// box taken before is greater than the threshold; with ``isPerClass`` only boxes of the same best class
/// leave each other out. When none is taken, the box of the best score is. A score that is not a number
/// is above no threshold and comes last.
///
/// - Inputs: boxes `[B, N, 4]` as centre x, centre y, width, height; scores `[B, N, C]`; and optionally
///   the two thresholds and the number of boxes, one number each. What is not an input is a parameter.
/// - Outputs, with M the number of boxes asked for: boxes `[B, M, 4]` and scores `[B, M, C]` filled up
///   with 0, indices `[B, M]` filled up with −1, and the number taken `[B]`.
///
/// **Source:** `NonMaximumSuppressionLayerParams`.
public struct NonMaximumSuppressionOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "NonMaximumSuppression", summary: "keeps the best of boxes that overlap")

  /// The greatest overlap of boxes that are both kept, unless the third input says.
  public let overlapThreshold: Float
  /// The score that a box must exceed, unless the fourth input says.
  public let scoreThreshold: Float
  /// The most boxes that are kept; nil when the fifth input says.
  public let maximumBoxes: Int?
  /// Whether boxes of different classes leave each other alone.
  public let isPerClass: Bool

  /// A suppression; nil for the number of boxes where the fifth input holds it.
  public init(
    overlapThreshold: Float, scoreThreshold: Float, maximumBoxes: Int?, isPerClass: Bool = false
  ) {
    self.overlapThreshold = overlapThreshold
    self.scoreThreshold = scoreThreshold
    self.maximumBoxes = maximumBoxes
    self.isPerClass = isPerClass
  }

  /// Boxes and scores have fractions; thresholds and the number of boxes may be whole numbers.
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
