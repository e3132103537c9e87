import Foundation
import ModelFormat

/// Makes models smaller by keeping their weights in few bits.
///
/// NeuralNetworks get quantised weights (`QuantizationParams`), ML Programs operations of the family `constexpr_*`:
/// both stay compressed in the file and in memory, and are widened when a kernel packs or reads them. Biases and what
/// norms multiply and add become float16 where that holds them.
public struct ModelCompressor: Sendable {
  /// How weights are to be kept.
  public let settings: CompressionSettings

  /// A compressor.
  ///
  /// - Throws: ``CompressionError`` where the settings contradict themselves.
  public init(_ settings: CompressionSettings) throws {
    try settings.check()
    self.settings = settings
  }

  /// Compresses a model and writes it: `.mlmodel` for NeuralNetworks and pipelines of them, `.mlpackage` for ML
  /// Programs.
  ///
  /// - Throws: ``CompressionError`` or `ModelFormatError`, a sentence.
  @discardableResult
  public func compress(_ file: ModelFile, to url: URL) throws -> CompressionReport {
    var model: Spec.Model = file.model
    if case .mlProgram(let program)? = model.type {
      guard url.pathExtension == "mlpackage" else {
        throw CompressionError(
          "\(file.name) is an ML Program, whose weights lie beside it; name the output *.mlpackage."
        )
      }
      return try compress(program, of: file, to: url)
    }
    let report: CompressionReport = try compress(&model)
    if url.pathExtension == "mlpackage" {
      try Spec.Model.writePackage(to: url) { _ in model }
    } else {
      try model.write(to: url)
    }
    return report
  }

  private func compress(_ program: Spec.MILSpec.Program, of file: ModelFile, to url: URL) throws
    -> CompressionReport
  {
    var report = CompressionReport()
    try Spec.Model.writePackage(to: url) { weights in
      var compression = try ProgramCompression(program, of: file, into: weights, settings)
      var model: Spec.Model = file.model
      model.type = .mlProgram(try compression.apply(to: program))
      model.specificationVersion = max(
        model.specificationVersion, compression.leastSpecificationVersion)
      report = compression.report
      return model
    }
    return report
  }

  /// Compresses a message of networks and pipelines.
  public func compress(_ model: inout Spec.Model) throws -> CompressionReport {
    if settings.groupSize != nil || settings.sparsity != nil {
      throw CompressionError(
        "Groups and sparse weights exist in ML Programs alone; convert the model to an .mlpackage first."
      )
    }
    let compression = NeuralNetworkCompression(settings: settings)
    var report = CompressionReport()
    switch model.type {
    case .neuralNetwork(var network)?:
      report = try compression.apply(to: &network.layers)
      model.type = .neuralNetwork(network)
    case .neuralNetworkClassifier(var network)?:
      report = try compression.apply(to: &network.layers)
      model.type = .neuralNetworkClassifier(network)
    case .neuralNetworkRegressor(var network)?:
      report = try compression.apply(to: &network.layers)
      model.type = .neuralNetworkRegressor(network)
    case .pipeline(var pipeline)?:
      report = try compress(&pipeline)
      model.type = .pipeline(pipeline)
    case .pipelineClassifier(var classifier)?:
      if var pipeline = classifier.pipeline {
        report = try compress(&pipeline)
        classifier.pipeline = pipeline
      }
      model.type = .pipelineClassifier(classifier)
    case .pipelineRegressor(var regressor)?:
      if var pipeline = regressor.pipeline {
        report = try compress(&pipeline)
        regressor.pipeline = pipeline
      }
      model.type = .pipelineRegressor(regressor)
    default:
      throw CompressionError(
        "The model is neither a neural network nor an ML Program; there are no weights to compress."
      )
    }
    // Float16 weights exist since version 2, codes since version 3.
    model.specificationVersion = max(model.specificationVersion, settings.bits == 16 ? 2 : 3)
    return report
  }

  private func compress(_ pipeline: inout Spec.Pipeline) throws -> CompressionReport {
    var report = CompressionReport()
    for index in pipeline.models.indices {
      switch pipeline.models[index].type {
      case .neuralNetwork?, .neuralNetworkClassifier?, .neuralNetworkRegressor?, .pipeline?,
        .pipelineClassifier?, .pipelineRegressor?:
        report.tensors += try compress(&pipeline.models[index]).tensors
      default: break
      }
    }
    return report
  }
}
