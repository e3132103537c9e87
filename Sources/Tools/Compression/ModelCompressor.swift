import Foundation
import ModelFormat

/// Makes models smaller: stores their weights in few bits.
///
/// A NeuralNetwork gets quantised weights (`QuantizationParams`). An ML Program gets operations of the family
/// `constexpr_*`. In both types of model, the weights stay compressed in the file and in memory, and are decompressed
/// when a kernel packs or reads them. In a NeuralNetwork, biases and the scales and offsets of norms become float16 if
/// float16 can represent them. In an ML Program, they are not changed.
public struct ModelCompressor: Sendable {
  /// The settings of the compression.
  public let settings: CompressionSettings

  /// Creates a compressor.
  ///
  /// - Throws: ``CompressionError`` if a setting is out of its range.
  public init(_ settings: CompressionSettings) throws {
    try settings.check()
    self.settings = settings
  }

  /// Compresses a model and writes the result: an `.mlmodel` for a NeuralNetwork or a pipeline of NeuralNetworks, an
  /// `.mlpackage` for an ML Program.
  ///
  /// - Throws: ``CompressionError`` or `ModelFormatError`.
  @discardableResult
  public func compress(_ file: ModelFile, to url: URL) throws -> CompressionReport {
    var model: Spec.Model = file.model
    if case .mlProgram(let program)? = model.type {
      guard url.pathExtension == "mlpackage" else {
        throw CompressionError(
          "\(file.name) is an ML Program, which is written as a package. Name the output"
            + " *.mlpackage."
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

  /// Compresses a NeuralNetwork, or a pipeline of NeuralNetworks, in memory.
  public func compress(_ model: inout Spec.Model) throws -> CompressionReport {
    if settings.groupSize != nil || settings.sparsity != nil {
      throw CompressionError(
        "Only ML Programs have groups and sparse weights. Convert the model to an .mlpackage first."
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
        "The model is not a neural network or an ML Program, so it has no weights to compress."
      )
    }
    // Version 2 of the specification introduced float16 weights, and version 3 quantised weights.
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
