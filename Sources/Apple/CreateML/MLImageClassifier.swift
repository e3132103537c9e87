import CoreML
import CoreGraphics
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// A classifier of photos that was learnt from a few of each kind, and its training.
///
/// A network that has seen a million other photos describes each one by numbers (see
/// ``ModelTools/FeaturePrint``), and a small classifier learns those. Models are pipelines of both, go on
/// learning with `MLUpdateTask`, and run on Apple's systems too.
public struct MLImageClassifier: CustomStringConvertible {
  /// The model.
  public let model: MLModel
  /// How it was trained.
  public let modelParameters: ModelParameters
  /// How well it knows the photos that it learnt.
  public let trainingMetrics: MLClassifierMetrics
  /// How well it knows the photos that were set apart.
  public let validationMetrics: MLClassifierMetrics

  private let specification: Spec.Model
  private let extractor: PictureExtractor

  /// How much examples count beside small weights, as scikit-learn has it. For 60 photos of three kinds 10
  /// and 100 name no more of 90 others rightly.
  static let strength: Double = 1

  /// Trains a classifier; returns when it is done.
  ///
  /// - Throws: ``MLCreateError`` for photos that cannot be read, fewer than two labels, and where the
  ///   network is not fetched (`atelier fetch squeezenet`, or ``downloadAssets()``).
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
    let metadata: Spec.Metadata = Self.words(MLModelMetadata())
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
        try PictureClassifierModel.linear(
          weights: weights, biases: biases, labels: labels, extractor: extractor.specification,
          metadata: metadata)
      }
    case .nearestNeighbors(let count):
      guard (1...1000).contains(count) else {
        throw MLCreateError.generic(
          reason: "\(count) neighbours are to vote, expected 1 to 1000.")
      }
      specification = PictureClassifierModel.neighbors(
        examples: examples.map { ($0.print, $0.label) }, count: count,
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

  /// What the classifier is.
  public var description: String {
    "Image classifier (\(model.modelDescription.classLabels?.count ?? 0) labels): training"
      + " \(trainingMetrics), validation \(validationMetrics)"
  }

  /// The label of a photo.
  public func prediction(from url: URL) throws -> String {
    try Self.answer(of: model, to: url).label
  }

  /// The labels of photos.
  public func predictions(from urls: [URL]) throws -> [String] {
    try urls.map { try prediction(from: $0) }
  }

  /// How well the classifier knows other photos.
  public func evaluation(on labeledImages: DataSource) -> MLClassifierMetrics {
    Swift.Result {
      try Self.evaluation(
        of: model, on: labeledImages.labeledImages(),
        labels: (model.modelDescription.classLabels ?? []).map { "\($0)" })
    }
    .fold({ MLClassifierMetrics($0) }, { MLClassifierMetrics(error: $0) })
  }

  /// Writes the model as `.mlmodel`.
  public func write(to fileURL: URL, metadata: MLModelMetadata? = nil) throws {
    var written: Spec.Model = specification
    if let metadata { written.description?.metadata = Self.words(metadata) }
    try creating { try written.write(to: fileURL) }
  }

  /// Writes the model to a path; see ``write(to:metadata:)``.
  public func write(toFile path: String, metadata: MLModelMetadata? = nil) throws {
    try write(to: URL(fileURLWithPath: path), metadata: metadata)
  }

  /// Fetches the network that sees the photos, where it is not there yet.
  public static func downloadAssets() throws {
    guard !FeaturePrint.isThere else { return }
    let scratch: URL = FileManager.default.temporaryDirectory.appendingPathComponent(
      "createml-\(UUID().uuidString)", isDirectory: true)
    try creating {
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: scratch) }
      _ = try FetchableModel.squeezenet.fetch(scratch: scratch)
    }
  }

  private static func words(_ metadata: MLModelMetadata) -> Spec.Metadata {
    var words = Spec.Metadata()
    words.author = metadata.author
    words.shortDescription = metadata.shortDescription
    words.license = metadata.license ?? ""
    words.versionString = metadata.version
    words.userDefined = metadata.additional ?? [:]
    return words
  }

  /// The photos to learn, and those to judge by.
  private static func parts(
    of source: DataSource, _ validation: ModelParameters.ValidationData
  ) throws -> (training: [String: [URL]], validation: [String: [URL]]) {
    let all: [String: [URL]] = try source.labeledImages()
    func split(_ ratio: Double, seed: Int) throws -> ([String: [URL]], [String: [URL]]) {
      guard ratio > 0, ratio < 1 else {
        throw MLCreateError.generic(
          reason: "The share of photos for validation is \(ratio), expected more than 0 and less"
            + " than 1.")
      }
      let parts = try DataSource.filesByLabel(all).stratifiedSplit(
        proportions: [1 - ratio, ratio], seed: seed)
      return (try parts[0].labeledImages(), (try? parts[1].labeledImages()) ?? [:])
    }
    switch validation {
    case .none: return (all, [:])
    case .dataSource(let other): return (all, try other.labeledImages())
    case .split(.fixed(let ratio, let seed)): return try split(ratio, seed: seed)
    case .split(.automatic):
      let count: Int = all.values.reduce(0) { $0 + $1.count }
      return count < 50 ? (all, [:]) : try split(0.1, seed: 0)
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
  fileprivate func fold<Value>(
    _ success: (Success) -> Value, _ failure: (Failure) -> Value
  ) -> Value {
    switch self {
    case .success(let value): success(value)
    case .failure(let error): failure(error)
    }
  }
}
