import CoreML
import Foundation
import ModelFormat
import Testing

/// Tests models of the type `nonMaximumSuppression` against greedy suppression in `Double`.
@Suite("Non-maximum suppression")
struct BoxSuppressionTests {
  /// The settings of a model under test.
  struct Making {
    /// The largest allowed overlap of two remaining boxes (intersection over union).
    var overlap = 0.45
    /// The least confidence that a box needs to remain.
    var confidence = 0.25
    /// Whether a box suppresses only boxes of its own class.
    var isPerClass = true
    /// The least and the greatest number of output boxes. If the greatest number is −1, the number is not limited.
    var rows: (UInt64, Int64) = (0, -1)
    /// Whether the thresholds are optional inputs.
    var hasThresholds = false
    var labels: Spec.NonMaximumSuppression.OneOfClassLabels?
    /// A final change to the specification message.
    var change: @Sendable (inout Spec.NonMaximumSuppression) -> Void = { _ in }

    func model() -> Spec.Model {
      var message = Spec.NonMaximumSuppression()
      message.iouThreshold = overlap
      message.confidenceThreshold = confidence
      var top = Spec.NonMaximumSuppression.PickTop()
      top.perClass = isPerClass
      message.suppressionMethod = .pickTop(top)
      message.classLabels = labels
      message.confidenceInputFeatureName = "scores"
      message.coordinatesInputFeatureName = "boxes"
      message.confidenceOutputFeatureName = "confidence"
      message.coordinatesOutputFeatureName = "coordinates"
      var inputs = [
        SampleModels.array("scores", [], .double), SampleModels.array("boxes", [], .double),
      ]
      if hasThresholds {
        message.iouThresholdInputFeatureName = "iou"
        message.confidenceThresholdInputFeatureName = "least"
        for name in ["iou", "least"] {
          inputs.append(SampleModels.feature(name, ClassicalModelTests.double(), isOptional: true))
        }
      }
      change(&message)
      return ClassicalModelTests.model(
        .nonMaximumSuppression(message), inputs: inputs,
        outputs: [output("confidence", columns: nil), output("coordinates", columns: 4)])
    }

    private func output(_ name: String, columns: UInt64?) -> Spec.FeatureDescription {
      var (first, second) = (Spec.SizeRange(), Spec.SizeRange())
      (first.lowerBound, first.upperBound) = rows
      (second.lowerBound, second.upperBound) = (columns ?? 0, columns.map { Int64($0) } ?? -1)
      var range = Spec.ArrayFeatureType.ShapeRange()
      range.sizeRanges = [first, second]
      var array = Spec.ArrayFeatureType()
      array.dataType = .double
      array.shapeFlexibility = .shapeRange(range)
      return SampleModels.feature(name, .multiArrayType(array))
    }
  }

  /// Creates a multi-array from rows of numbers.
  private static func array(_ rows: [[Double]], columns: Int) throws -> MLMultiArray {
    let array = try MLMultiArray(
      shape: [NSNumber(value: rows.count), NSNumber(value: columns)], dataType: .double)
    for (index, number) in rows.joined().enumerated() { array[index] = NSNumber(value: number) }
    return array
  }

  private static func rows(_ array: MLMultiArray?) -> [[Double]] {
    guard let array else { return [] }
    let columns: Int = array.shape[1].intValue
    return (0..<array.shape[0].intValue).map { row in
      (0..<columns).map { array[row * columns + $0].doubleValue }
    }
  }

  private static func predict(
    _ model: MLModel, _ scores: [[Double]], _ boxes: [[Double]], columns: Int = 3,
    _ others: [String: Any] = [:]
  ) throws -> (scores: [[Double]], boxes: [[Double]]) {
    var features: [String: Any] = others
    features["scores"] = try array(scores, columns: columns)
    features["boxes"] = try array(boxes, columns: 4)
    let made = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: features))
    return (
      rows(made.featureValue(for: "confidence")?.multiArrayValue),
      rows(made.featureValue(for: "coordinates")?.multiArrayValue)
    )
  }

  /// Returns the boxes that remain. Computes them independently of the kernel, by comparing one pair of boxes after
  /// another.
  private static func remaining(
    _ scores: [[Double]], _ boxes: [[Double]], overlap: Double, least: Double, isPerClass: Bool
  ) -> [Int] {
    func share(_ a: [Double], _ b: [Double]) -> Double {
      func common(_ axis: Int) -> Double {
        let end: Double = min(a[axis] + a[axis + 2] / 2, b[axis] + b[axis + 2] / 2)
        return max(0, end - max(a[axis] - a[axis + 2] / 2, b[axis] - b[axis + 2] / 2))
      }
      let both: Double = common(0) * common(1)
      return both / (a[2] * a[3] + b[2] * b[3] - both)
    }
    let best: [Double] = scores.map { $0.max()! }
    let classes: [Int] = scores.map { row in row.firstIndex(of: row.max()!)! }
    var open: [Int] = scores.indices.filter { best[$0] >= least }
    var result: [Int] = []
    while let top = open.max(by: { best[$0] < best[$1] || best[$0] == best[$1] && $0 > $1 }) {
      result.append(top)
      open.removeAll { other in
        other == top
          || (!isPerClass || classes[other] == classes[top])
            && share(boxes[other], boxes[top]) > overlap
      }
    }
    return result
  }

  @Test(
    "The best boxes remain, for each class or across classes",
    arguments: [true, false], [UInt64(1), 2, 3])
  func random(isPerClass: Bool, seed: UInt64) throws {
    var generator = SystemGenerator(seed: seed)
    let count = 60
    let boxes: [[Double]] = (0..<count).map { _ in
      [
        Double.random(in: 0.3...0.7, using: &generator),
        Double.random(in: 0.3...0.7, using: &generator),
        Double.random(in: 0.1...0.4, using: &generator),
        Double.random(in: 0.1...0.4, using: &generator),
      ]
    }
    let scores: [[Double]] = (0..<count).map { _ in
      (0..<3).map { _ in Double.random(in: 0...1, using: &generator) }
    }
    let thresholds: [(Double, Double)] = [(0.45, 0.25), (0, 0.9), (1, 0), (0.2, 0.6)]
    for (overlap, least) in thresholds {
      let model = try Making(overlap: overlap, confidence: least, isPerClass: isPerClass)
        .model().loaded()
      let made = try Self.predict(model, scores, boxes)
      let wanted: [Int] = Self.remaining(
        scores, boxes, overlap: overlap, least: least, isPerClass: isPerClass)
      #expect(!wanted.isEmpty)
      #expect(made.scores == wanted.map { scores[$0] })
      #expect(made.boxes == wanted.map { boxes[$0] })
    }
  }

  /// Three boxes. The first overlaps the second by a third, and the second is more confident. The last is separate from
  /// the others.
  private static let boxes: [[Double]] = [
    [0.5, 0.5, 0.2, 0.2], [0.6, 0.5, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1],
  ]
  private static let scores: [[Double]] = [[0.1, 0.6, 0], [0, 0.7, 0], [0.3, 0.2, 0.1]]

  @Test("Thresholds may be inputs; the model's values are the defaults")
  func thresholds() throws {
    let model = try Making(hasThresholds: true).model().loaded()
    #expect(try Self.predict(model, Self.scores, Self.boxes).scores.count == 3)
    #expect(
      try Self.predict(model, Self.scores, Self.boxes, ["iou": 0.3]).scores
        == [Self.scores[1], Self.scores[2]])
    #expect(
      try Self.predict(model, Self.scores, Self.boxes, ["least": 0.65]).boxes == [Self.boxes[1]])
    #expect(
      sentence { _ = try Self.predict(model, Self.scores, Self.boxes, ["iou": 1.5]) }
        == "The overlap threshold is 1.5, expected 0 to 1.")
  }

  @Test(
    "Of equal boxes with equal confidence the first remains, and overlaps of 1 suppress nothing")
  func ties() throws {
    let boxes = [[Double]](repeating: [0.3, 0.3, 0.1, 0.1], count: 3)
    let scores: [[Double]] = [[0.5, 0, 0], [0.5, 0.1, 0], [0.5, 0, 0.1]]
    #expect(try Self.predict(Making().model().loaded(), scores, boxes).scores == [scores[0]])
    #expect(
      try Self.predict(Making(overlap: 1).model().loaded(), scores, boxes).scores == scores)
  }

  @Test("No boxes, or none above the threshold, give no boxes")
  func none() throws {
    let model = try Making().model().loaded()
    let empty = try Self.predict(model, [], [])
    #expect(empty.scores.isEmpty && empty.boxes.isEmpty)
    let low = try Self.predict(model, [[0.1, 0.2, 0.2]], [[0.5, 0.5, 0.1, 0.1]])
    #expect(low.scores.isEmpty && low.boxes.isEmpty)
    let unsure = try Self.predict(model, [[.nan, .nan, .nan]], [[0.5, 0.5, 0.1, 0.1]])
    #expect(unsure.scores.isEmpty)
  }

  @Test("A declared number of boxes pads with zeros or truncates the list")
  func declaredRows() throws {
    let fixed = try Making(rows: (5, 5)).model().loaded()
    let filled = try Self.predict(fixed, Self.scores, Self.boxes)
    #expect(filled.scores.count == 5 && filled.boxes.count == 5)
    #expect(filled.scores[3...] == [[0, 0, 0], [0, 0, 0]])
    #expect(filled.boxes[4] == [0, 0, 0, 0])
    let few = try Making(rows: (0, 1)).model().loaded()
    #expect(try Self.predict(few, Self.scores, Self.boxes).boxes == [Self.boxes[1]])
  }

  @Test("Class labels are the model's: strings or integers")
  func labels() throws {
    var texts = Spec.StringVector()
    texts.vector = ["cat", "dog", "bird"]
    var model = try Making(labels: .stringClassLabels(texts)).model().loaded()
    #expect(model.modelDescription.classLabels as? [String] == ["cat", "dog", "bird"])
    #expect(try Self.predict(model, Self.scores, Self.boxes).scores.count == 3)
    var numbers = Spec.Int64Vector()
    numbers.vector = [7, 9]
    model = try Making(labels: .int64ClassLabels(numbers)).model().loaded()
    #expect(model.modelDescription.classLabels as? [NSNumber] == [7, 9])
    #expect(
      sentence { _ = try Self.predict(model, Self.scores, Self.boxes) }
        == "The input feature \"scores\" has 3 confidences for each box, expected 2, one for each "
        + "class label.")
  }

  @Test("Arrays of invalid shapes are refused with a message")
  func shapes() throws {
    let model = try Making().model().loaded()
    func refusal(_ features: [String: MLMultiArray]) -> String {
      sentence {
        _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: features))
      } ?? ""
    }
    let (scores, boxes) = (
      try Self.array(Self.scores, columns: 3), try Self.array(Self.boxes, columns: 4)
    )
    #expect(
      refusal(["scores": scores, "boxes": scores])
        == "The input feature \"boxes\" has 3 numbers for each box, expected 4: centre x, centre y, "
        + "width and height.")
    #expect(
      refusal(["scores": scores, "boxes": try Self.array([Self.boxes[0]], columns: 4)])
        == "The input feature \"scores\" holds 3 boxes, but \"boxes\" holds 1; expected the same number."
    )
    #expect(
      refusal(["scores": try MLMultiArray([0.5, 0.5]), "boxes": boxes])
        .contains("has the shape 2, expected two axes: one row for each box"))
    // Leading axes of length 1 are allowed.
    let stacked = try MLMultiArray(shape: [1, 3, 4], dataType: .double)
    for index in 0..<12 { stacked[index] = boxes[index] }
    let made = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["scores": scores, "boxes": stacked]))
    #expect(Self.rows(made.featureValue(for: "coordinates")?.multiArrayValue).count == 3)
  }

  @Test("Models with contradictory settings are refused when they are loaded")
  func damaged() throws {
    func refusal(_ making: Making) -> String { sentence { _ = try making.model().loaded() } ?? "" }
    #expect(
      refusal(Making { $0.suppressionMethod = nil }).contains("names no method, expected pickTop"))
    #expect(
      refusal(Making(overlap: .nan)).contains("overlap threshold is nan, expected 0 to 1"))
    #expect(
      refusal(Making(confidence: -1)).contains("confidence threshold is -1.0, expected 0"))
    #expect(
      refusal(Making { $0.coordinatesInputFeatureName = "places" })
        .contains("names \"places\" as its input of coordinates, but the model does not describe"))
    #expect(refusal(Making(rows: (1 << 40, -1))).contains("expected a number that both allow"))
  }

  @Test("In a pipeline the boxes of a network are suppressed")
  func pipeline() throws {
    var network: Spec.Model = SampleModels.network([
      SampleModels.linear(alpha: 1, beta: 0, from: "raw", to: "boxes"),
      SampleModels.linear(alpha: 0.5, beta: 0, from: "odds", to: "scores"),
    ])
    if case .neuralNetwork(var layers)? = network.type {
      layers.arrayInputShapeMapping = .exactArrayMapping
      network.type = .neuralNetwork(layers)
    }
    network.description?.input = [
      SampleModels.array("raw", [3, 4]), SampleModels.array("odds", [3, 3]),
    ]
    network.description?.output = [
      SampleModels.array("boxes", [3, 4]), SampleModels.array("scores", [3, 3]),
    ]
    let suppression: Spec.Model = Making(overlap: 0.3).model()
    var pipeline = Spec.Pipeline()
    pipeline.models = [network, suppression]
    let model = try ClassicalModelTests.model(
      .pipeline(pipeline), inputs: network.description?.input ?? [],
      outputs: suppression.description?.output ?? []
    ).loaded()
    let made = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [
        "raw": try Self.array(Self.boxes, columns: 4),
        "odds": try Self.array(Self.scores.map { $0.map { $0 * 2 } }, columns: 3),
      ]))
    let remaining: [[Double]] = Self.rows(made.featureValue(for: "coordinates")?.multiArrayValue)
    #expect(remaining == [Self.boxes[1], Self.boxes[2]].map { $0.map { Double(Float($0)) } })
  }
}

/// A generator with a fixed seed.
private struct SystemGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
