import CoreML
import Foundation
import ModelFormat
import ModelTools

/// A classifier of actions: of sequences of body poses, such as those of `VNDetectHumanBodyPoseRequest`.
///
/// The model's input `poses` is a window of frames, `[frames, 3, points]`: for each frame the horizontal coordinates, the
/// vertical coordinates and the confidences of the points, as `keypointsMultiArray()` returns them. The outputs are
/// `label` and `labelProbabilities`. Apple trains a graph convolution (ST-GCN); here, it is convolutions over time.
public struct MLActionClassifier: CustomStringConvertible {
  /// The model.
  public let model: MLModel
  /// The parameters of the training.
  public let modelParameters: ModelParameters
  /// The metrics on the training sequences. Each sequence counts once.
  public let trainingMetrics: MLClassifierMetrics
  /// The metrics on the validation sequences. Each sequence counts once.
  public let validationMetrics: MLClassifierMetrics

  private let specification: Spec.Model
  private let points: Int

  /// Trains a classifier. Blocks until the training is finished.
  ///
  /// - Throws: ``MLCreateError`` when sequences cannot be read or differ in their points, when there are fewer than two
  ///   labels, or when a parameter is out of range.
  public init(
    trainingData: DataSource, parameters: ModelParameters = ModelParameters()
  ) throws {
    let frames: Int = parameters.predictionWindowSize
    guard (1...10_000).contains(frames), parameters.maximumIterations > 0 else {
      throw MLCreateError.generic(
        reason: "The window has \(frames) frames and the training \(parameters.maximumIterations)"
          + " iterations, expected 1 to 10,000 frames and 1 iteration or more.")
    }
    let training: [String: [PoseSequence]] = try trainingData.sequences()
    let labels: [String] = training.keys.sorted()
    guard labels.count > 1 else {
      throw MLCreateError.generic(
        reason: "The sequences have \(labels.count) label, expected two or more.")
    }
    let points: Int = training[labels[0]]?.first?.points ?? 0
    let windows: [(poses: [Float], label: Int)] = try labels.enumerated().flatMap { number, label in
      try (training[label] ?? []).flatMap { sequence in
        try sequence.windows(frames: frames, points: points).map { ($0, number) }
      }
    }
    var network = ActionNetwork(
      frames: frames, points: points, labels: labels, seed: parameters.randomSeed)
    let specification: Spec.Model = try creating {
      try network.train(
        windows, iterations: parameters.maximumIterations, seed: parameters.randomSeed)
      return try network.specification()
    }
    let opened: MLModel = try creating {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return try MLModel(specification: specification, configuration: configuration)
    }
    self.specification = specification
    self.points = points
    model = opened
    modelParameters = parameters
    func metrics(_ sequences: [String: [PoseSequence]]) -> MLClassifierMetrics {
      Self.metrics(of: opened, on: sequences, labels: labels, frames: frames, points: points)
    }
    trainingMetrics = metrics(training)
    switch parameters.validation {
    case .none: validationMetrics = MLClassifierMetrics(nil)
    case .dataSource(let other): validationMetrics = metrics(try other.sequences())
    }
  }

  /// The classifier and its metrics as text.
  public var description: String {
    "Action classifier (\(model.modelDescription.classLabels?.count ?? 0) labels): training"
      + " \(trainingMetrics), validation \(validationMetrics)"
  }

  /// Predicts the action of a sequence `[frames, 3, points]`: the one with the greatest mean probability of all windows.
  /// Not in Apple's framework, which takes a film.
  public func prediction(from poses: MLMultiArray) throws -> String {
    let windows = try Self.windows(
      of: PoseSequence(poses), frames: modelParameters.predictionWindowSize, points: points)
    return try Self.windowClassifier(model).answer(to: windows).label
  }

  /// Evaluates the classifier on other sequences.
  public func evaluation(on labeledPoses: DataSource) -> MLClassifierMetrics {
    do {
      return Self.metrics(
        of: model, on: try labeledPoses.sequences(),
        labels: (model.modelDescription.classLabels ?? []).map { "\($0)" },
        frames: modelParameters.predictionWindowSize, points: points)
    } catch {
      return MLClassifierMetrics(error: error)
    }
  }

  /// Writes the model to a `.mlmodel` file.
  public func write(to fileURL: URL, metadata: MLModelMetadata? = nil) throws {
    try specification.write(to: fileURL, metadata: metadata)
  }

  /// Writes the model to a path. See ``write(to:metadata:)``.
  public func write(toFile path: String, metadata: MLModelMetadata? = nil) throws {
    try write(to: URL(fileURLWithPath: path), metadata: metadata)
  }

  private static func metrics(
    of model: MLModel, on sequences: [String: [PoseSequence]], labels: [String], frames: Int,
    points: Int
  ) -> MLClassifierMetrics {
    windowClassifier(model).metrics(on: sequences, labels: labels, source: \.source) {
      try windows(of: $0, frames: frames, points: points)
    }
  }

  private static func windowClassifier(_ model: MLModel) -> WindowClassifier {
    WindowClassifier(model: model, input: "poses", output: "labelProbabilities")
  }

  private static func windows(
    of sequence: PoseSequence, frames: Int, points: Int
  ) throws -> [MLFeatureValue] {
    try sequence.windows(frames: frames, points: points).map { window in
      let shape: [Int] = [frames, PoseSequence.coordinates, points]
      return MLFeatureValue(
        multiArray: MLMultiArray(MLShapedArray(scalars: window, shape: shape)))
    }
  }
}
