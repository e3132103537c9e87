import ModelFormat

/// Non-maximum suppression: selects the best boxes and drops boxes that overlap with a better box.
///
/// First drops boxes whose best confidence is below ``confidenceThreshold``. Then visits the remaining boxes from best
/// to worst. Equally confident boxes are visited in their original order. Selects each visited box, unless its
/// intersection over union with a box that is already selected exceeds ``overlapThreshold``. If ``isPerClass`` is set,
/// compares only boxes with the same best class.
///
/// **Source:** NonMaximumSuppression.proto.
public struct BoxSuppression: Sendable {
  /// Boxes with their confidences, row by row.
  public struct Boxes: Sendable {
    /// `[boxes, classes]`
    public var confidences: [Double]
    /// `[boxes, 4]`: centre x, centre y, width and height.
    public var coordinates: [Double]
    /// The number of classes, 1 or more.
    public var classes: Int

    /// Creates boxes. Both arrays must have the same number of boxes.
    public init(confidences: [Double], coordinates: [Double], classes: Int) {
      precondition(
        classes > 0 && confidences.count / classes * classes == confidences.count
          && coordinates.count == confidences.count / classes * 4,
        "\(confidences.count) confidences of \(classes) classes, \(coordinates.count) coordinates")
      self.confidences = confidences
      self.coordinates = coordinates
      self.classes = classes
    }

    /// The number of boxes.
    public var count: Int { coordinates.count / 4 }
  }

  /// The largest intersection over union that two selected boxes may have.
  public let overlapThreshold: Double
  /// The least confidence of a selected box.
  public let confidenceThreshold: Double
  /// Whether only boxes with the same best class are compared.
  public let isPerClass: Bool

  /// Reads and checks a model.
  public init(_ message: Spec.NonMaximumSuppression) throws {
    guard case .pickTop(let method)? = message.suppressionMethod else {
      throw ClassicalModelError.model(
        "The non-maximum suppression names no method, expected pickTop. The model may be newer than "
          + "the specification that is known here.")
    }
    isPerClass = method.perClass
    overlapThreshold = message.iouThreshold
    confidenceThreshold = message.confidenceThreshold
    if let problem = Self.problem(overlap: overlapThreshold, confidence: confidenceThreshold) {
      throw ClassicalModelError.model("\(problem) The model may be damaged.")
    }
  }

  /// Returns the indices of the selected boxes, best first. A NaN confidence counts as a confidence below the
  /// threshold.
  ///
  /// - Parameters:
  ///   - overlap: A value that replaces the model's ``overlapThreshold``; nil for the model's.
  ///   - confidence: A value that replaces the model's ``confidenceThreshold``; nil for the model's.
  public func kept(
    of boxes: Boxes, overlap: Double? = nil, confidence: Double? = nil
  ) throws -> [Int] {
    let (overlap, least) = (overlap ?? overlapThreshold, confidence ?? confidenceThreshold)
    if let problem = Self.problem(overlap: overlap, confidence: least) {
      throw ClassicalModelError.input(problem)
    }
    var candidates: [Box] = (0..<boxes.count).compactMap { index in
      let box = Box(boxes, index)
      return box.confidence >= least ? box : nil
    }
    candidates.sort { ($1.confidence, $0.index) < ($0.confidence, $1.index) }
    var kept: [Int: [Box]] = [:]
    var order: [Int] = []
    for box in candidates {
      let group: Int = isPerClass ? box.bestClass : 0
      guard kept[group]?.contains(where: { $0.overlap(with: box) > overlap }) != true else {
        continue
      }
      kept[group, default: []].append(box)
      order.append(box.index)
    }
    return order
  }

  /// Returns the error message for invalid thresholds; nil if they are valid.
  private static func problem(overlap: Double, confidence: Double) -> String? {
    guard (0...1).contains(overlap) else {
      return "The overlap threshold is \(overlap), expected 0 to 1."
    }
    guard confidence >= 0 else {
      return "The confidence threshold is \(confidence), expected 0 or more."
    }
    return nil
  }
}

/// A box given by its edges, with its best class.
private struct Box {
  let index: Int
  let confidence: Double
  let bestClass: Int
  private let left, top, right, bottom: Double

  init(_ boxes: BoxSuppression.Boxes, _ index: Int) {
    self.index = index
    var (best, most) = (0, -Double.infinity)
    for number in 0..<boxes.classes {
      let confidence: Double = boxes.confidences[index * boxes.classes + number]
      if confidence > most { (best, most) = (number, confidence) }
    }
    (bestClass, confidence) = (best, most)
    let start: Int = index * 4
    let (x, y) = (boxes.coordinates[start], boxes.coordinates[start + 1])
    let (width, height) = (boxes.coordinates[start + 2], boxes.coordinates[start + 3])
    (left, right) = (x - width / 2, x + width / 2)
    (top, bottom) = (y - height / 2, y + height / 2)
  }

  private var area: Double { max(0, right - left) * max(0, bottom - top) }

  /// Returns the intersection over union; 0 for boxes without area.
  func overlap(with other: Box) -> Double {
    let width: Double = min(right, other.right) - max(left, other.left)
    let height: Double = min(bottom, other.bottom) - max(top, other.top)
    guard width > 0, height > 0 else { return 0 }
    let union: Double = area + other.area - width * height
    return union > 0 ? width * height / union : 0
  }
}
