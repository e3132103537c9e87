import Foundation
import Graph
import ModelFormat
import NeuralNetworkFormat
import Operators
import ProgramFormat

/// Reads neural networks and ML Programs from `.mlmodel`, `.mlpackage` and `.mlmodelc`.
public enum CoreMLReader: ModelReader {
  public static let formatName = "Core ML"

  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    ["mlmodel", "mlpackage", "mlmodelc"].contains(url.pathExtension.lowercased())
  }

  public static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel {
    let file: ModelFile = try ModelFile.open(url)
    var model: GraphModel = try model(of: file, options)
    for (name, extents) in options.extents {
      guard let position = model.inputs.firstIndex(where: { $0.name == name }) else {
        throw EngineError(
          .invalidInput,
          "The model has no input '\(name)'; it has \(model.inputs.map { "'\($0.name)'" }.joined(separator: ", "))."
        )
      }
      model.inputs[position].extents = extents
      model.inputs[position].usual = nil
      model.inputs[position].choices = []
    }
    if !options.extents.isEmpty { model.inferOutputs() }
    return model
  }

  private static func model(of file: ModelFile, _ options: ReadingOptions) throws -> GraphModel {
    let factory: CustomLayerFactory = options.makeCustomLayer ?? PassthroughCustomLayer.factory
    if let network = try GraphModel(neuralNetwork: file.model, makeCustomLayer: factory) {
      return network
    }
    guard case .mlProgram(let program)? = file.model.type else {
      throw EngineError(.unsupported, "Model \(file.name) is \(statement(on: file.model.type)).")
    }
    let description: Spec.ModelDescription = file.model.description ?? Spec.ModelDescription()
    let function: String =
      description.functions.isEmpty ? "main" : options.function ?? description.defaultFunctionName
    let named = description.functions.first { $0.name == function }
    let described: [Spec.FeatureDescription] =
      (named?.input ?? description.input) + (named?.output ?? description.output)
      + (named?.state ?? description.state)
    var model = try GraphModel(
      program, function: function, blobs: { try file.blobFile(named: $0) },
      features: described.map { GraphModel.Feature($0) },
      classLabel: named?.predictedFeatureName ?? description.predictedFeatureName,
      makeCustomLayer: factory)
    model.metadata = GraphModel.Metadata(description.metadata ?? Spec.Metadata())
    return model
  }

  private static func statement(on type: Spec.Model.OneOfType?) -> String {
    switch type {
    case .pipeline?, .pipelineClassifier?, .pipelineRegressor?:
      "a pipeline of several models; only single networks can be converted. Convert each of its models separately"
    case let other?:
      "of type \(Mirror(reflecting: other).children.first?.label ?? "unknown"), which is not a network; only neural"
        + " networks and ML Programs can be converted"
    case nil: "of a type that specification version 10 does not define; it may be newer"
    }
  }
}
