import Engine
import Foundation
import ModelFormat

extension NetworkRunner {
  /// Makes a runner for a graph that does not come from a Core ML file.
  init(_ model: GraphModel, description: MLModelDescription, settings: RunnerSettings) throws {
    let specification = Spec.ModelDescription(model)
    let states = Set(model.graph.states.map(\.input))
    let positions: [Int] = model.inputs.indices.filter { !states.contains($0) }
    let interface = NetworkInterface(
      inputs: zip(positions, specification.input).map { position, feature in
        NetworkInterface.Feature(
          feature, arrays: .exact, images: .exact, element: model.inputs[position].held)
      }, outputs: [])
    let stateOutputs = Set(model.graph.states.compactMap(\.output))
    var outputs: [NetworkOutput] = []
    for (position, feature) in model.outputs.enumerated()
    where !stateOutputs.contains(position) && model.classes?.output != position {
      guard let output = description.outputDescriptionsByName[feature.name] else { continue }
      outputs.append(try NetworkOutput(output, position: position))
    }
    let classification: Classification? = model.classes.flatMap { classes in
      description.labels.map {
        Classification(classes.output, labels: $0, description: description)
      }
    }
    var execution: ExecutionOptions = settings.options
    if classification != nil { execution.precision = execution.precision.withoutRounding }
    self.init(
      Network(model.graph, passes: GraphPasses.standard, options: execution),
      inputs: try NetworkRunner.inputs(
        of: interface, specification.input, description,
        allowsAnySize: settings.allowsAnyInputSize),
      outputs: outputs, classification: classification,
      states: try model.graph.states.map { try NetworkState($0, of: model) })
  }
}

extension NetworkState {
  fileprivate init(_ port: Graph.State, of model: GraphModel) throws {
    let feature: GraphModel.Feature = model.inputs[port.input]
    let extents: [Int] = feature.extents?.compactMap(\.fixed) ?? []
    guard extents.count == feature.extents?.count else {
      throw MLModelError(
        .io, "The state '\(feature.name)' has a dynamic shape; expected a fixed one.")
    }
    self.init(
      name: feature.name, type: TensorType(Shape(extents), feature.held),
      storage: model.graph.storage(of: port, feature.held),
      visibleType: feature.element == .float16
        ? .float16 : feature.held == .int32 ? .int32 : .float32,
      port: port)
  }
}

extension MLModelDescription {
  /// Makes the model description from the inputs and outputs of a graph.
  convenience init(_ model: GraphModel) {
    var specification = Spec.Model()
    specification.description = Spec.ModelDescription(model)
    if let classes = model.classes {
      // The message `classifier` only passes the labels to the description.
      var classifier = Spec.NeuralNetworkClassifier()
      var strings = Spec.StringVector()
      var numbers = Spec.Int64Vector()
      strings.vector = classes.labels
      numbers.vector = classes.labels.map { Int64($0) ?? 0 }
      classifier.classLabels =
        classes.areNumbers ? .int64ClassLabels(numbers) : .stringClassLabels(strings)
      specification.type = .neuralNetworkClassifier(classifier)
    }
    self.init(unnamed: specification)
  }
}

extension LoadedModel {
  /// Makes a model from a graph.
  init(_ model: GraphModel, configuration: MLModelConfiguration) throws {
    let described = MLModelDescription(model)
    description = described
    updatable = nil
    runner = try translatingErrors {
      try NetworkRunner(
        model, description: described, settings: RunnerSettings(configuration))
    }
  }
}

extension MLModel {
  /// Makes a model from a graph. The graph comes from a reader of another file format or from ``GraphBuilder``.
  package convenience init(
    graph: GraphModel, configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws {
    self.init(
      try LoadedModel(graph, configuration: configuration), configuration: configuration)
  }
}
