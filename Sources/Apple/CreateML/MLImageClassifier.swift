import CoreML
import CoreGraphics
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// An image classifier, trained with a few photos of each class.
///
/// A network that was trained with a million other photos computes features of each photo (see
/// ``ModelTools/FeaturePrint``), and the initialiser trains a small classifier with these features. The model is a
/// pipeline of the network and the classifier. `MLUpdateTask` can update this pipeline, and Apple's systems can run it.
public struct MLImageClassifier: CustomStringConvertible {
  /// The model.
  public let model: MLModel
  /// The parameters of the training.
  public let modelParameters: ModelParameters
  /// The metrics on the training photos.
  public let trainingMetrics: MLClassifierMetrics
  /// The metrics on the validation photos.
  public let validationMetrics: MLClassifierMetrics

  private let specification: Spec.Model
  private let extractor: PictureExtractor

  /// The factor C of the logistic regression. The value is scikit-learn's default. In a test with 60 training photos
  /// and 90 test photos of three classes, the values 10 and 100 were not better than the value 1.
  static let strength: Double = 1

  /// Trains a classifier. Blocks until the training is finished.
  ///
  /// - Throws: ``MLCreateError`` when a photo cannot be read, when there are fewer than two labels, and when nobody has
  ///   downloaded the network with `atelier fetch squeezenet` or ``downloadAssets()``.
  public init(
    trainingData: DataSource, parameters: ModelParameters = ModelParameters()
  ) throws {
    let (training, validation) = try Self.parts(of: trainingData, parameters.validation)
    let labels: [String] = training.keys.sorted()
    guard labels.count > 1 else {
      throw MLCreateError.generic(
        reason: "The photos have \(labels.count) label, expected two or more.")
    }
    let extractor = try PictureExtractor()
    let examples = try extractor.prints(of: training)
    let metadata: Spec.Metadata = Self.specification(of: MLModelMetadata())
    let classes = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    switch parameters.classifier {
    case .logisticRegressor:
      let problem = LogisticRegression(
        examples.map(\.print), labels: examples.map { classes[$0.label] ?? 0 },
        classCount: labels.count, strength: Self.strength)
      let (weights, biases) = try creating {
        try problem.solved(iterations: max(1, parameters.maxIterations))
      }
      specification = try creating {
        try FeatureClassifierModel.linear(
          weights: weights, biases: biases, labels: labels, extractor: extractor.specification,
          metadata: metadata)
      }
    case .nearestNeighbors(let count):
      guard (1...1000).contains(count) else {
        throw MLCreateError.generic(
          reason: "The number of neighbours is \(count), expected 1 to 1000.")
      }
      specification = FeatureClassifierModel.neighbors(
        examples: examples.map { ($0.print, $0.label) }, neighborCount: count,
        extractor: extractor.specification, metadata: metadata)
    }
    let opened: MLModel = try creating { [specification] in
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      return try MLModel(specification: specification, configuration: configuration)
    }
    model = opened
    modelParameters = parameters
    self.extractor = extractor
    func metrics(_ files: [String: [URL]]) -> MLClassifierMetrics {
      Swift.Result { try Self.evaluation(of: opened, on: files, labels: labels) }
        .fold({ MLClassifierMetrics($0) }, { MLClassifierMetrics(error: $0) })
    }
    trainingMetrics = metrics(training)
    validationMetrics = validation.isEmpty ? MLClassifierMetrics(nil) : metrics(validation)
  }

  /// The classifier and its metrics as text.
  public var description: String {
    "Image classifier (\(model.modelDescription.classLabels?.count ?? 0) labels): training"
      + " \(trainingMetrics), validation \(validationMetrics)"
  }

  /// Predicts the label of a photo.
  public func prediction(from url: URL) throws -> String {
    try Self.answer(of: model, to: url).label
  }

  /// Predicts the labels of photos.
  public func predictions(from urls: [URL]) throws -> [String] {
    try urls.map { try prediction(from: $0) }
  }

  /// Evaluates the classifier on other photos.
  public func evaluation(on labeledImages: DataSource) -> MLClassifierMetrics {
    Swift.Result {
      try Self.evaluation(
        of: model, on: labeledImages.labeledImages(),
        labels: (model.modelDescription.classLabels ?? []).map { "\($0)" })
    }
    .fold({ MLClassifierMetrics($0) }, { MLClassifierMetrics(error: $0) })
  }

  /// Writes the model to a `.mlmodel` file.
  public func write(to fileURL: URL, metadata: MLModelMetadata? = nil) throws {
    try specification.write(to: fileURL, metadata: metadata)
  }

  /// Writes the model to a path. See ``write(to:metadata:)``.
  public func write(toFile path: String, metadata: MLModelMetadata? = nil) throws {
    try write(to: URL(fileURLWithPath: path), metadata: metadata)
  }

  /// Downloads the network that computes features if its file does not exist.
  public static func downloadAssets() throws {
    guard !FeaturePrint.isAvailable else { return }
    let scratch: URL = FileManager.default.temporaryDirectory.appendingPathComponent(
      "createml-\(UUID().uuidString)", isDirectory: true)
    try creating {
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: scratch) }
      _ = try FetchableModel.squeezenet.fetch(scratch: scratch)
    }
  }

  static func specification(of metadata: MLModelMetadata) -> Spec.Metadata {
    var message = Spec.Metadata()
    message.author = metadata.author
    message.shortDescription = metadata.shortDescription
    message.license = metadata.license ?? ""
    message.versionString = metadata.version
    message.userDefined = metadata.additional ?? [:]
    return message
  }

  /// Splits the photos into training photos and validation photos.
  private static func parts(
    of source: DataSource, _ validation: ModelParameters.ValidationData
  ) throws -> (training: [String: [URL]], validation: [String: [URL]]) {
    switch validation {
    case .none: return (try source.labeledImages(), [:])
    case .dataSource(let other): return (try source.labeledImages(), try other.labeledImages())
    case .split(let strategy): return try source.files().split(strategy)
    }
  }

  private static func evaluation(
    of model: MLModel, on files: [String: [URL]], labels: [String]
  ) throws -> ClassifierEvaluation {
    var answers: [ClassifierEvaluation.Answer] = []
    for (label, files) in files.sorted(by: { $0.key < $1.key }) {
      for file in files {
        let (guess, probabilities) = try answer(of: model, to: file)
        answers.append(
          ClassifierEvaluation.Answer(
            source: file.path, truth: label, guess: guess, probabilities: probabilities))
      }
    }
    return ClassifierEvaluation(answers, order: labels)
  }

  private static func answer(
    of model: MLModel, to file: URL
  ) throws -> (label: String, probabilities: [String: Double]) {
    try creating {
      let picture: MLFeatureValue = try PictureExtractor.input(Picture(contentsOf: file))
      let features = try model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: [FeaturePrint.inputName: picture]))
      let label: String = features.featureValue(for: "classLabel")?.stringValue ?? ""
      var probabilities: [String: Double] = [:]
      for (key, number) in features.featureValue(for: "classLabelProbs")?.dictionaryValue ?? [:] {
        probabilities["\(key.base)"] = number.doubleValue
      }
      return (label, probabilities)
    }
  }
}

extension Swift.Result {
  func fold<Value>(
    _ success: (Success) -> Value, _ failure: (Failure) -> Value
  ) -> Value {
    switch self {
    case .success(let value): success(value)
    case .failure(let error): failure(error)
    }
  }
}
