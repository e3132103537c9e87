import CoreML
import Foundation
import ModelFormat
import ModelTools

/// A sound classifier, trained with a few sounds of each class.
///
/// A network that was trained with millions of other sounds computes features of windows of 975 ms (see
/// ``ModelTools/SoundPrint``), and the initialiser trains logistic regression with these features. The model is a pipeline
/// of the network and the classifier. `MLUpdateTask` can update this pipeline, and Apple's systems can run it. Its input
/// `audioSamples` is a window: 15,600 samples at 16 kHz.
public struct MLSoundClassifier: CustomStringConvertible {
  /// The model.
  public let model: MLModel
  /// The parameters of the training.
  public let modelParameters: ModelParameters
  /// The metrics on the training sounds. Each file counts once.
  public let trainingMetrics: MLClassifierMetrics
  /// The metrics on the validation sounds. Each file counts once.
  public let validationMetrics: MLClassifierMetrics

  private let specification: Spec.Model

  /// The factor C of the logistic regression, scikit-learn's default.
  static let strength: Double = 1

  /// Trains a classifier. Blocks until the training is finished.
  ///
  /// - Throws: ``MLCreateError`` when a sound cannot be read, when there are fewer than two labels, and when nobody has
  ///   downloaded the network with `atelier fetch sound`.
  public init(
    trainingData: DataSource, parameters: ModelParameters = ModelParameters()
  ) throws {
    let overlap: Double = parameters.overlapFactor
    guard (0..<1).contains(overlap) else {
      throw MLCreateError.generic(
        reason: "The overlap factor is \(overlap), expected 0 to less than 1.")
    }
    let (training, validation) = try Self.parts(of: trainingData, parameters.validation)
    let labels: [String] = training.keys.sorted()
    guard labels.count > 1 else {
      throw MLCreateError.generic(
        reason: "The sounds have \(labels.count) label, expected two or more.")
    }
    let extractor = try SoundExtractor()
    let examples = try extractor.prints(of: training, overlap: overlap)
    let classes = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    let problem = LogisticRegression(
      examples.map(\.print), labels: examples.map { classes[$0.label] ?? 0 },
      classCount: labels.count, strength: Self.strength)
    let (weights, biases) = try creating {
      try problem.solved(iterations: max(1, parameters.maxIterations))
    }
    let specification = try creating {
      try FeatureClassifierModel.linear(
        weights: weights, biases: biases, labels: labels, extractor: extractor.specification,
        metadata: MLImageClassifier.specification(of: MLModelMetadata()))
    }
    let opened: MLModel = try creating {
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return try MLModel(specification: specification, configuration: configuration)
    }
    self.specification = specification
    model = opened
    modelParameters = parameters
    func metrics(_ files: [String: [URL]]) -> MLClassifierMetrics {
      Self.metrics(of: opened, on: files, labels: labels, overlap: overlap)
    }
    trainingMetrics = metrics(training)
    validationMetrics = validation.isEmpty ? MLClassifierMetrics(nil) : metrics(validation)
  }

  /// The classifier and its metrics as text.
  public var description: String {
    "Sound classifier (\(model.modelDescription.classLabels?.count ?? 0) labels): training"
      + " \(trainingMetrics), validation \(validationMetrics)"
  }

  /// Predicts the label of a sound: the one with the greatest mean probability of all windows.
  public func prediction(from url: URL) throws -> String {
    let windows = try Self.windows(of: url, overlap: modelParameters.overlapFactor)
    return try Self.windowClassifier(model).answer(to: windows).label
  }

  /// Predicts the labels of sounds.
  public func predictions(from urls: [URL]) throws -> [String] {
    try urls.map { try prediction(from: $0) }
  }

  /// Evaluates the classifier on other sounds.
  public func evaluation(on labeledSounds: DataSource) -> MLClassifierMetrics {
    do {
      return Self.metrics(
        of: model, on: try labeledSounds.labeledSounds(),
        labels: (model.modelDescription.classLabels ?? []).map { "\($0)" },
        overlap: modelParameters.overlapFactor)
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

  /// Splits the sounds into training sounds and validation sounds.
  private static func parts(
    of source: DataSource, _ validation: ModelParameters.ValidationData
  ) throws -> (training: [String: [URL]], validation: [String: [URL]]) {
    switch validation {
    case .none: return (try source.labeledSounds(), [:])
    case .dataSource(let other): return (try source.labeledSounds(), try other.labeledSounds())
    case .split(let strategy): return try source.files().split(strategy)
    }
  }

  private static func metrics(
    of model: MLModel, on files: [String: [URL]], labels: [String], overlap: Double
  ) -> MLClassifierMetrics {
    windowClassifier(model).metrics(on: files, labels: labels, source: \.path) {
      try windows(of: $0, overlap: overlap)
    }
  }

  private static func windowClassifier(_ model: MLModel) -> WindowClassifier {
    WindowClassifier(model: model, input: SoundPrint.inputName, output: "classLabelProbs")
  }

  private static func windows(of file: URL, overlap: Double) throws -> [MLFeatureValue] {
    try SoundExtractor.windows(of: file, overlap: overlap).map { SoundExtractor.input($0) }
  }
}
