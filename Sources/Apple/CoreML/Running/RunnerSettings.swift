import Engine
import Foundation
import ModelFormat

/// The parts of a model's configuration that runners need.
struct RunnerSettings: Sendable {
  /// The options before ``options(for:)`` adapts the precision to the type of a model.
  private(set) var options: ExecutionOptions
  /// Whether a model whose outputs are all images may store feature maps as bfloat16.
  private var storesBFloat16: Bool
  /// Whether models take inputs of sizes that their descriptions do not allow.
  let allowsAnyInputSize: Bool
  /// The number of neighbours of a nearest-neighbours classifier; nil for the number in the model.
  let numberOfNeighbors: Int64?
  /// The name of the function to run in a program with several functions; nil for the default function.
  let functionName: String?
  /// Whether ML Programs may compute with a lower precision than they declare.
  let allowsLowPrecision: Bool
  /// Whether ML Programs return float32 arrays for outputs that they declare as float16.
  private(set) var widensFloat16Outputs: Bool
  /// A closure that opens a weight file by the name that an ML Program uses for the file.
  private(set) var blobs: @Sendable (String) throws -> BlobFile = { name in
    throw ModelFormatError(
      code: .badWeights,
      message: "The weight file '\(name)' is missing; load the model from its .mlpackage.")
  }

  /// The folder that contains the model file; nil for a model from memory. Paths of linked models are relative to this
  /// folder.
  private(set) var home: URL?
  /// The number of links that led to this model.
  private(set) var linkDepth = 0

  init(_ configuration: MLModelConfiguration, file: ModelFile? = nil) {
    if let file { blobs = { try file.blobFile(named: $0) } }
    home = file?.url?.standardizedFileURL.deletingLastPathComponent()
    functionName = configuration.functionName
    allowsLowPrecision = configuration.allowLowPrecisionAccumulationOnGPU
    let isExact: Bool = configuration.computeUnits == .cpuOnly
    let precision: Precision =
      isExact ? .float32 : Processor.current.prefersBFloat16 ? .bfloat16 : .bfloat16Pairs
    var options = ExecutionOptions(precision: precision, memoryLimit: configuration.memoryLimit)
    storesBFloat16 = !isExact && Processor.current.storesBFloat16
    if !configuration.measuresKernels { options.tuning = .fixed }
    options.kernelSeed = configuration.kernelSeed
    options.drawsDefinitions = false
    options.expectedRuns = configuration.expectedPredictions
    options.usesDynamicQuantization = configuration.usesDynamicQuantization
    if let threads = configuration.threadCount { options.threads = max(1, threads) }
    self.options = options
    allowsAnyInputSize = configuration.allowsAnyInputSize
    widensFloat16Outputs = configuration.widensFloat16Outputs
    numberOfNeighbors =
      (configuration.parameters?[.numberOfNeighbors] as? NSNumber).map(\.int64Value)
  }
}

extension RunnerSettings {
  /// The settings that decide how a model runs, without the location of its files.
  struct Identity: Hashable {
    fileprivate let options: ExecutionOptions
    fileprivate let storesBFloat16: Bool
    fileprivate let allowsAnyInputSize: Bool
    fileprivate let numberOfNeighbors: Int64?
    fileprivate let functionName: String?
    fileprivate let allowsLowPrecision: Bool
    fileprivate let widensFloat16Outputs: Bool
  }

  /// These settings without the location of files.
  var identity: Identity {
    Identity(
      options: options, storesBFloat16: storesBFloat16, allowsAnyInputSize: allowsAnyInputSize,
      numberOfNeighbors: numberOfNeighbors, functionName: functionName,
      allowsLowPrecision: allowsLowPrecision, widensFloat16Outputs: widensFloat16Outputs)
  }

  /// Returns the options for a model.
  func options(for model: Spec.Model) -> ExecutionOptions {
    var options: ExecutionOptions = options
    // The rounding errors of bfloat16 are hardly visible in 8-bit pixels, and bfloat16 feature maps need half as much
    // memory as float32 feature maps.
    if storesBFloat16, model.givesOnlyPictures { options.precision = .bfloat16 }
    // Softmax amplifies the rounding errors of bfloat16. In a test, bfloat16 changed SqueezeNet's probability of a cat
    // by 0.03.
    if case .neuralNetworkClassifier? = model.type {
      options.precision = options.precision.withoutRounding
    }
    // A program computes at least with the precision of its types. The user may allow a lower precision.
    if case .mlProgram? = model.type, !allowsLowPrecision {
      options.precision = options.precision.withoutRounding
    }
    return options
  }

  /// Returns the settings for the model in a file to which a link leads.
  func following(_ file: ModelFile) -> RunnerSettings {
    var settings = self
    settings.blobs = { try file.blobFile(named: $0) }
    settings.home = file.url?.standardizedFileURL.deletingLastPathComponent()
    settings.linkDepth += 1
    return settings
  }

  /// Returns the settings for models that pass features to each other, in the types that they declare. If one of the
  /// models is a classifier or selects boxes by their confidences, none of the models rounds values to `bfloat16`.
  ///
  /// The reason is that small differences in features can change probabilities by tenths. Also, a nearest-neighbours
  /// classifier compares features with stored examples, which may come from a network that computed in another
  /// precision.
  func feeding(_ models: [Spec.Model]) -> RunnerSettings {
    var settings = self
    settings.widensFloat16Outputs = false
    guard models.contains(where: \.isClassifier) else { return settings }
    settings.options.precision = options.precision.withoutRounding
    settings.storesBFloat16 = false
    return settings
  }
}

extension MLModelConfiguration {
  /// Returns the engine's options for a model with this configuration. The default argument means a neural network that
  /// is not a classifier.
  package func executionOptions(for model: Spec.Model = Spec.Model()) -> ExecutionOptions {
    RunnerSettings(self).options(for: model)
  }
}

extension Spec.Model {
  /// Whether all outputs of the model are images with 8 bits per channel.
  fileprivate var givesOnlyPictures: Bool {
    let outputs: [Spec.FeatureDescription] = description?.output ?? []
    return !outputs.isEmpty
      && outputs.allSatisfy {
        guard case .imageType(let image)? = $0.type?.type else { return false }
        return image.colorSpace != .grayscaleFloat16
      }
  }

  /// Whether the model predicts classes or compares confidences, or is a pipeline that contains such a model.
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
