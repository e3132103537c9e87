import CoreML
import CreateML
import Foundation
import Tensors
import Testing

/// Tests classifiers of actions on synthetic poses of 18 points.
struct ActionClassifierTests {
  /// The actions of a stick figure.
  private enum Action: String, CaseIterable {
    case jump, squat, walk, wave

    /// Makes a sequence: a figure at a random place, with a random size, speed and phase, and noise in every point.
    func poses(_ generator: inout SplitMix64, frames: Int) throws -> MLMultiArray {
      func random(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &generator)
      }
      let (x, y, size) = (random(0.3...0.7), random(0.3...0.7), random(0.1...0.3))
      let (speed, phase) = (random(0.15...0.4), random(0...6))
      let array = try MLMultiArray(
        shape: [NSNumber(value: frames), 3, 18], dataType: .float32)
      for frame in 0..<frames {
        let swing: Double = sin(speed * Double(frame) + phase)
        for point in 0..<18 {
          // Points 0 to 5 are the head and arms, 6 to 11 the body, 12 to 17 the legs.
          var (across, up) = (Double(point % 3 - 1) / 3, 1 - Double(point / 6))
          let isLeft: Bool = point % 2 == 0
          switch self {
          case .jump: up += 0.5 * max(swing, 0)
          case .squat: if point < 12 { up += 0.3 * swing }
          case .walk: if point >= 12 { across += (isLeft ? 0.3 : -0.3) * swing }
          case .wave: if point < 6, isLeft { across += 0.4 * swing }
          }
          let index: Int = frame * 54 + point
          array[index] = NSNumber(value: x + size * (across + random(-0.05...0.05)))
          array[index + 18] = NSNumber(value: y + size * (up + random(-0.05...0.05)))
          array[index + 36] = NSNumber(value: random(0.6...1))
        }
      }
      return array
    }
  }

  private func sequences(
    _ count: Int, frames: Int, seed: UInt64
  ) throws -> [String: [MLMultiArray]] {
    var generator = SplitMix64(seed: seed)
    var result: [String: [MLMultiArray]] = [:]
    for action in Action.allCases {
      result[action.rawValue] = try (0..<count).map { _ in
        try action.poses(&generator, frames: frames)
      }
    }
    return result
  }

  private func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("ActionClassifierTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  @Test("Twelve sequences of each of four actions train a classifier that names nearly all others")
  func accuracy() throws {
    let classifier = try MLActionClassifier(
      trainingData: .posesByLabel(sequences(12, frames: 60, seed: 1)),
      parameters: .init(
        validation: .dataSource(.posesByLabel(sequences(10, frames: 60, seed: 2))),
        maximumIterations: 30, predictionWindowSize: 30))
    print("\(classifier)")
    #expect(classifier.trainingMetrics.classificationError < 0.05)
    #expect(classifier.validationMetrics.exampleCount == 40)
    #expect(classifier.validationMetrics.classificationError <= 0.1)
  }

  @Test("The written model has Create ML's names and gives the classifier's answers")
  func writing() throws {
    try withFolder { folder in
      let classifier = try MLActionClassifier(
        trainingData: .posesByLabel(sequences(3, frames: 20, seed: 3)),
        parameters: .init(maximumIterations: 5, predictionWindowSize: 20))
      let file: URL = folder.appendingPathComponent("Actions.mlmodel")
      try classifier.write(to: file, metadata: MLModelMetadata(author: "somebody"))
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      let model = try MLModel(contentsOf: file, configuration: configuration)
      let input = try #require(model.modelDescription.inputDescriptionsByName["poses"])
      #expect(input.multiArrayConstraint?.shape == [20, 3, 18])
      #expect(
        model.modelDescription.outputDescriptionsByName.keys.sorted() == [
          "label", "labelProbabilities",
        ])
      #expect(model.modelDescription.metadata[.author] as? String == "somebody")
      for array in try sequences(2, frames: 20, seed: 4).values.joined() {
        let answer = try model.prediction(
          from: MLDictionaryFeatureProvider(dictionary: ["poses": array]))
        #expect(
          try answer.featureValue(for: "label")?.stringValue == classifier.prediction(from: array))
      }
    }
  }

  @Test("Poses without confidence, or with a negative one, have probabilities")
  func withoutConfidence() throws {
    let classifier = try MLActionClassifier(
      trainingData: .posesByLabel(sequences(2, frames: 10, seed: 7)),
      parameters: .init(maximumIterations: 2, predictionWindowSize: 10))
    for confidence in [0, -1.0] {
      let poses = try MLMultiArray(shape: [10, 3, 18], dataType: .float32)
      for index in 0..<poses.count {
        poses[index] = NSNumber(value: index / 18 % 3 == 2 ? confidence : sin(Double(index)))
      }
      let answer = try classifier.model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: ["poses": poses]))
      let probabilities = try #require(
        answer.featureValue(for: "labelProbabilities")?.dictionaryValue)
      #expect(abs(probabilities.values.reduce(0) { $0 + $1.doubleValue } - 1) < 1e-5)
    }
  }

  @Test("Poses in JSON files train the same classifier as arrays")
  func files() throws {
    try withFolder { folder in
      let arrays = try sequences(2, frames: 12, seed: 5)
      for (label, sequences) in arrays {
        let part: URL = folder.appendingPathComponent(label, isDirectory: true)
        try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
        for (number, array) in sequences.enumerated() {
          let frames: [[[Float]]] = (0..<12).map { frame in
            (0..<3).map { row in
              (0..<18).map { array[frame * 54 + row * 18 + $0].floatValue }
            }
          }
          try JSONEncoder().encode(frames).write(
            to: part.appendingPathComponent("\(number).json"))
        }
      }
      let parameters = MLActionClassifier.ModelParameters(
        maximumIterations: 2, predictionWindowSize: 12)
      let (one, other) = (folder.appendingPathComponent("1"), folder.appendingPathComponent("2"))
      try MLActionClassifier(trainingData: .posesByLabel(arrays), parameters: parameters)
        .write(to: one)
      try MLActionClassifier(
        trainingData: .labeledDirectories(at: folder), parameters: parameters
      ).write(to: other)
      #expect(try Data(contentsOf: one) == Data(contentsOf: other))
    }
  }

  @Test("Unusable poses and settings give one sentence")
  func faults() throws {
    func message(
      _ source: MLActionClassifier.DataSource,
      _ parameters: MLActionClassifier.ModelParameters = .init(maximumIterations: 1)
    ) -> String {
      do {
        _ = try MLActionClassifier(trainingData: source, parameters: parameters)
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    var arrays = try sequences(1, frames: 4, seed: 6)
    #expect(
      message(.posesByLabel(["walk": arrays["walk"] ?? []]))
        == "The sequences have 1 label, expected two or more.")
    #expect(
      message(.posesByLabel(arrays), .init(predictionWindowSize: 0))
        .hasPrefix("The window has 0 frames"))
    arrays["wave"] = [try MLMultiArray(shape: [4, 3, 17], dataType: .float32)]
    #expect(
      message(.posesByLabel(arrays)).contains("have 17 points, expected 18 as in the first"))
    arrays["wave"] = [try MLMultiArray(shape: [4, 3, 18], dataType: .float32)]
    arrays["wave"]?[0][7] = NSNumber(value: Float.nan)
    #expect(
      message(.posesByLabel(arrays))
        == "A sequence of poses has a coordinate that is infinite or not a number.")
    arrays["wave"] = [try MLMultiArray(shape: [4, 54], dataType: .float32)]
    #expect(
      message(.posesByLabel(arrays))
        == "A sequence of poses has the shape [4, 54], expected [frames, 3, points].")
    try withFolder { folder in
      let part: URL = folder.appendingPathComponent("walk", isDirectory: true)
      try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
      try Data("[[1, 2]]".utf8).write(to: part.appendingPathComponent("0.json"))
      #expect(message(.labeledDirectories(at: folder)).contains("expected a JSON array of frames"))
      try Data("[[[1], [2]]]".utf8).write(to: part.appendingPathComponent("0.json"))
      #expect(
        message(.labeledDirectories(at: folder)).contains("three arrays of equal length"))
    }
  }
}
