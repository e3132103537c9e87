import CoreML
import Foundation
import ModelFormat
import Tensors
import Testing

/// Tests Apple's updatable drawing classifier on drawings from Quick, Draw!.
@Suite("The updatable drawing classifier", .enabled(if: Fixtures.areAvailable))
struct DrawingClassifierTests {
  private static let classes: [String] = ["cats", "rainbows", "trains"]
  private static let model: URL = Fixtures.drawings.appendingPathComponent(
    "UpdatableDrawingClassifier.mlmodel")

  /// For each random choice of examples: the number of correct answers, out of 300, that scikit-learn 1.9.1 gives with
  /// the same examples and the same weights, 1 / distance. Expected/drawing_accuracy.py counted the answers.
  private static let scikitLearn: [Int] = [169, 138, 173, 196, 195, 177, 195, 179, 197, 191]

  private static func drawings() throws -> [[CVPixelBuffer]] {
    try classes.map { name in
      let bytes: Data = try Data(
        contentsOf: Fixtures.drawings.appendingPathComponent("\(name)1000.bin"))
      return (0..<1000).map { index in
        var created: CVPixelBuffer?
        _ = CVPixelBufferCreate(
          kCFAllocatorDefault, 28, 28, kCVPixelFormatType_OneComponent8, nil, &created)
        let buffer = created!
        CVPixelBufferLockBaseAddress(buffer, [])
        let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
        for y in 0..<28 {
          for x in 0..<28 {
            base[y * CVPixelBufferGetBytesPerRow(buffer) + x] = bytes[index * 784 + y * 28 + x]
          }
        }
        CVPixelBufferUnlockBaseAddress(buffer, [])
        return buffer
      }
    }
  }

  private static func labels(_ drawings: [CVPixelBuffer], by model: MLModel) throws -> [String] {
    let batch = MLArrayBatchProvider(
      array: try drawings.map { try MLDictionaryFeatureProvider(dictionary: ["drawing": $0]) })
    let results: any MLBatchProvider = try model.predictions(fromBatch: batch)
    return (0..<results.count).map {
      results.features(at: $0).featureValue(for: "label")!.stringValue
    }
  }

  @Test("Three drawings of each class train it as well as scikit-learn's classifier")
  func accuracy() throws {
    let drawings: [[CVPixelBuffer]] = try Self.drawings()
    let before = try MLModel(contentsOf: Self.model)
    #expect(try Set(Self.labels(drawings.map { $0[0] }, by: before)) == ["unknown"])
    var right: [Int] = []
    for draw in 0..<10 {
      var generator = SplitMix64(seed: UInt64(draw))
      let orders: [[Int]] = Self.classes.map { _ in generator.order(1000) }
      var examples: [[String: Any]] = []
      var asked: [CVPixelBuffer] = []
      var truth: [String] = []
      for (number, name) in Self.classes.enumerated() {
        examples += orders[number][..<3].map { ["drawing": drawings[number][$0], "label": name] }
        asked += orders[number][3..<103].map { drawings[number][$0] }
        truth += Array(repeating: name, count: 100)
      }
      let context: MLUpdateContext = try update(Self.model, with: examples)
      let answers: [String] = try Self.labels(asked, by: context.model)
      right.append(zip(answers, truth).count { $0 == $1 })
      if draw == 0 { try checkWritten(context, asked, answers) }
    }
    let mean = Double(right.reduce(0, +)) / 3000
    let expected = Double(Self.scikitLearn.reduce(0, +)) / 3000
    #expect(mean >= expected - 0.005, "right: \(right)")
  }

  @Test("Neighbours found by the test's own search are correct as often as scikit-learn's")
  func bruteForce() throws {
    let points: [[[Double]]] = try Fixtures.withFolder { folder in
      let model: Spec.Model = try ModelFile.open(Self.model).model
      guard case .pipelineClassifier(let classifier)? = model.type,
        let first = classifier.pipeline?.models.first
      else { return [] }
      let embedding = try MLModel(
        contentsOf: first.written(to: folder), configuration: exactConfiguration())
      return try Self.drawings().map { drawings in
        try drawings.map { drawing in
          let input = try MLDictionaryFeatureProvider(dictionary: ["drawing": drawing])
          let array = try embedding.prediction(from: input).featureValue(for: "embedding")!
            .multiArrayValue!
          return (0..<array.count).map { array[$0].doubleValue }
        }
      }
    }
    let right: [Int] = (0..<10).map { draw in
      var generator = SplitMix64(seed: UInt64(draw))
      let orders: [[Int]] = Self.classes.map { _ in generator.order(1000) }
      var count: Int = 0
      for (truth, order) in orders.enumerated() {
        for asked in order[3..<103] {
          count += Self.nearest(points[truth][asked], points, orders) == truth ? 1 : 0
        }
      }
      return count
    }
    #expect(zip(right, Self.scikitLearn).allSatisfy { abs($0 - $1) <= 1 }, "\(right)")
  }

  /// Returns the class of a drawing by its five nearest of nine examples. It is the class with the largest sum of 1 /
  /// distance.
  private static func nearest(
    _ asked: [Double], _ points: [[[Double]]], _ orders: [[Int]]
  ) -> Int {
    var distances: [(distance: Double, label: Int)] = []
    for (label, order) in orders.enumerated() {
      for example in order[..<3] {
        let squaredDifferences: [Double] = zip(points[label][example], asked).map {
          ($0 - $1) * ($0 - $1)
        }
        distances.append((squaredDifferences.reduce(0, +).squareRoot(), label))
      }
    }
    var sums: [Double] = [0, 0, 0]
    for neighbor in distances.sorted(by: { $0.distance < $1.distance })[..<5] {
      sums[neighbor.label] += 1 / max(neighbor.distance, 1e-300)
    }
    return sums.indices.max { sums[$0] < sums[$1] } ?? 0
  }

  private func checkWritten(
    _ context: MLUpdateContext, _ asked: [CVPixelBuffer], _ answers: [String]
  ) throws {
    try Fixtures.withFolder { folder in
      let url: URL = folder.appendingPathComponent("drawings.mlmodelc")
      try context.model.write(to: url)
      #expect(
        try Self.labels(asked, by: MLModel(contentsOf: url, configuration: exactConfiguration()))
          == answers)
    }
  }
}
