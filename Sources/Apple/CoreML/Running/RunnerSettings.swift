import Engine
import Foundation
import ModelFormat

/// What of a model's configuration the runners need.
struct RunnerSettings: Sendable {
  /// How models run that are no classifiers and give not only pictures.
  private(set) var options: ExecutionOptions
  /// Whether models that give only pictures may keep their feature maps in bfloat16.
  private var keepsBFloat16: Bool
  let allowsAnyInputSize: Bool
  /// The k of a nearest-neighbours classifier; nil for the model's own.
  let numberOfNeighbors: Int64?
  /// The function of a program with several; nil for its default one.
  let functionName: String?
  /// Whether programs, which write their precision down, may compute with less.
  let allowsLowPrecision: Bool
  /// Opens a weight file by the name that an ML Program gives it.
  private(set) var blobs: @Sendable (String) throws -> BlobFile = { name in
    throw ModelFormatError(
      code: .badWeights,
      message: "The weight file '\(name)' is missing; load the model from its .mlpackage.")
  }

  /// The folder that the model lies in, where linked models are looked for; nil for one from memory.
  private(set) var home: URL?
  /// How many links led to the model.
  private(set) var linkDepth = 0

  init(_ configuration: MLModelConfiguration, file: ModelFile? = nil) {
    if let file { blobs = { try file.blobFile(named: $0) } }
    home = file?.url?.standardizedFileURL.deletingLastPathComponent()
    functionName = configuration.functionName
    allowsLowPrecision = configuration.allowLowPrecisionAccumulationOnGPU
    let isExact: Bool = configuration.computeUnits == .cpuOnly
    let precision: Precision =
      !isExact && Processor.current.prefersBFloat16 ? .bfloat16 : .float32
    var options = ExecutionOptions(precision: precision, memoryLimit: configuration.memoryLimit)
    keepsBFloat16 = !isExact && Processor.current.keepsBFloat16
    if !configuration.measuresKernels { options.tuning = .fixed }
    options.kernelSeed = configuration.kernelSeed
    options.drawsDefinitions = false
    options.expectedRuns = configuration.expectedPredictions
    if let threads = configuration.threadCount { options.threads = max(1, threads) }
    self.options = options
    allowsAnyInputSize = configuration.allowsAnyInputSize
    numberOfNeighbors =
      (configuration.parameters?[.numberOfNeighbors] as? NSNumber).map(\.int64Value)
  }
}

extension RunnerSettings {
  /// How a model runs.
  func options(for model: Spec.Model) -> ExecutionOptions {
    var options: ExecutionOptions = options
    // A pixel's eight bits hardly show what bfloat16 loses, and feature maps take half of the memory.
    if keepsBFloat16, model.givesOnlyPictures { options.precision = .bfloat16 }
    // Softmax enlarges what little a bfloat16 loses: 0.03 of SqueezeNet's probability of a cat.
    if case .neuralNetworkClassifier? = model.type { options.precision = .float32 }
    // The type that a program writes is the least precision, unless the user allows less.
    if case .mlProgram? = model.type, !allowsLowPrecision { options.precision = .float32 }
    return options
  }

  /// The settings for a model that another one stands for.
  func following(_ file: ModelFile) -> RunnerSettings {
    var settings = self
    settings.blobs = { try file.blobFile(named: $0) }
    settings.home = file.url?.standardizedFileURL.deletingLastPathComponent()
    settings.linkDepth += 1
    return settings
  }

  /// The settings for models of which some feed others: `float32` where one of them is a classifier or picks boxes by
  /// their confidences.
  /// What little bfloat16 loses moves probabilities by tenths, and examples that were learnt in one
  /// precision must be near the questions that are asked in another.
  func feeding(_ models: [Spec.Model]) -> RunnerSettings {
    guard models.contains(where: \.isClassifier) else { return self }
    var settings = self
    settings.options.precision = .float32
    settings.keepsBFloat16 = false
    return settings
  }
}

extension MLModelConfiguration {
  /// How a model with this configuration runs; what is no classifier where none is given.
  package func executionOptions(for model: Spec.Model = Spec.Model()) -> ExecutionOptions {
    RunnerSettings(self).options(for: model)
  }
}

extension Spec.Model {
  /// Whether all that the model gives are pictures of 8 bits a channel.
  fileprivate var givesOnlyPictures: Bool {
    let outputs: [Spec.FeatureDescription] = description?.output ?? []
    return !outputs.isEmpty
      && outputs.allSatisfy {
        guard case .imageType(let image)? = $0.type?.type else { return false }
        return image.colorSpace != .grayscaleFloat16
      }
  }

  /// Whether the model names classes or compares confidences, or is a pipeline of which a model does.
  fileprivate var isClassifier: Bool {
    switch type {
    case .neuralNetworkClassifier?, .glmClassifier?, .supportVectorClassifier?,
      .treeEnsembleClassifier?, .kNearestNeighborsClassifier?, .pipelineClassifier?,
      .nonMaximumSuppression?:
      return true
    case .pipeline(let pipeline)?:
      return pipeline.models.contains(where: \.isClassifier)
    case .pipelineRegressor(let regressor)?:
      return regressor.pipeline?.models.contains(where: \.isClassifier) ?? false
    default: return false
    }
  }
}
