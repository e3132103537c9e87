import Engine
import Foundation
import Operators
import ModelFormat

/// Runs a model that is a graph. Such a model is a neural network, a neural network classifier or regressor, or an ML
/// Program.
struct NetworkRunner: ModelRunner {
  let network: Network
  let inputs: [NetworkInput]
  let outputs: [NetworkOutput]
  let classification: Classification?
  /// The states of the network. In the network, the states are the last inputs.
  let states: [NetworkState]

  /// Decodes the network and makes its custom layers. Returns nil for a model that is not a graph.
  init?(_ model: Spec.Model, description: MLModelDescription, settings: RunnerSettings) throws {
    guard let message = NeuralNetworkMessage(model) else { return nil }
    let specification: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    var graph = try Graph(
      message, description: specification, catalog: .standard,
      makeCustomLayer: CustomLayerBridge.factory)
    let interface = NetworkInterface(message, description: specification)
    if settings.allowsAnyInputSize {
      try graph.freeOutputShapes(from: try interface.declaredInputTypes())
    }
    inputs = try NetworkRunner.inputs(
      of: interface, specification, description, allowsAnySize: settings.allowsAnyInputSize)
    let classification: Classification? = try NetworkRunner.classification(
      of: model, description: description, graph: &graph)
    let madeByClassifier: Set<String> =
      classification == nil
      ? []
      : Set(
        [description.predictedFeatureName, description.predictedProbabilitiesName].compactMap {
          $0
        })
    var outputs: [NetworkOutput] = []
    for (position, feature) in interface.outputs.enumerated()
    where !madeByClassifier.contains(feature.name) {
      guard let output = description.outputDescriptionsByName[feature.name] else { continue }
      outputs.append(try NetworkOutput(output, position: position))
    }
    self.outputs = outputs
    self.classification = classification
    states = []
    network = Network(graph, passes: GraphPasses.standard, options: settings.options(for: model))
  }

  /// Makes a runner from a network and the runner's other parts.
  init(
    _ network: Network, inputs: [NetworkInput], outputs: [NetworkOutput],
    classification: Classification?, states: [NetworkState]
  ) {
    self.network = network
    self.inputs = inputs
    self.outputs = outputs
    self.classification = classification
    self.states = states
  }

  static func inputs(
    of interface: NetworkInterface, _ specification: Spec.ModelDescription,
    _ description: MLModelDescription, allowsAnySize: Bool
  ) throws -> [NetworkInput] {
    try inputs(of: interface, specification.input, description, allowsAnySize: allowsAnySize)
  }

  /// Makes the inputs of a network.
  ///
  /// - Parameter specification: The file's descriptions of the inputs, in the order of the interface's inputs.
  static func inputs(
    of interface: NetworkInterface, _ specification: [Spec.FeatureDescription],
    _ description: MLModelDescription, allowsAnySize: Bool
  ) throws -> [NetworkInput] {
    let types: [TensorType] = try interface.declaredInputTypes()
    return zip(interface.inputs, zip(types, specification)).map { feature, declared in
      NetworkInput(
        feature, declaredType: declared.0,
        description: description.inputDescriptionsByName[feature.name]
          ?? MLFeatureDescription(declared.1),
        valueWhenMissing: defaultValue(of: declared.1), allowsAnySize: allowsAnySize)
    }
  }

  private static func defaultValue(of feature: Spec.FeatureDescription) -> Double {
    guard case .multiArrayType(let array)? = feature.type?.type else { return 0 }
    let isInteger: Bool = array.dataType == .int32
    switch array.defaultOptionalValue {
    case .intDefaultValue(let value)?: return Double(value)
    case .floatDefaultValue(let value)?:
      return isInteger ? Double(value.rounded(.towardZero)) : Double(value)
    case .doubleDefaultValue(let value)?: return isInteger ? value.rounded(.towardZero) : value
    case nil: return 0
    }
  }

  private static func classification(
    of model: Spec.Model, description: MLModelDescription, graph: inout Graph
  ) throws -> Classification? {
    guard case .neuralNetworkClassifier(let classifier)? = model.type else { return nil }
    guard let labels = description.labels, labels.count > 0 else {
      throw MLModelError(.io, "The classifier has no class labels. The model may be damaged.")
    }
    return try Classification(classifier, labels: labels, description: description, graph: &graph)
  }

  var threadCount: Int { network.options.threads }

  func networkRunner() -> NetworkRunner? { self }

  func prediction(
    from input: any MLFeatureProvider, call: PredictionCall
  ) throws -> [String: MLFeatureValue] {
    var values: [MLFeatureValue?] = []
    var types: [TensorType] = []
    values.reserveCapacity(inputs.count)
    types.reserveCapacity(inputs.count)
    try call.limits.check()
    for port in inputs {
      let value: MLFeatureValue? = try port.value(in: input)
      values.append(value)
      types.append(try port.tensorType(for: value))
    }
    let backings: [String: Any] = call.options?.outputBackings ?? [:]
    let memory: StateMemory? = try stateMemory(for: call)
    types += states.map(\.type)
    return try network.plan(for: types).withSession { session in
      for (index, port) in inputs.enumerated() {
        try port.write(values[index], to: session.input(index))
      }
      memory?.bind(to: session, as: states)
      try session.run(call.limits)
      var results: [String: MLFeatureValue] = [:]
      results.reserveCapacity(outputs.count + 2)
      for output in outputs {
        results[output.name] = try output.value(
          in: session, backing: backings.isEmpty ? nil : backings[output.name])
      }
      try classification?.add(to: &results, from: session)
      return results
    }
  }

  /// Returns the memory of the caller's states, or nil for a network without states.
  private func stateMemory(for call: PredictionCall) throws -> StateMemory? {
    guard !states.isEmpty else {
      guard call.state == nil else {
        throw MLModelError(
          .generic, "The model has no state; call prediction(from:) without one.")
      }
      return nil
    }
    guard let memory = call.state else {
      throw MLModelError(
        .generic,
        "The model has state (\(states.map { "'\($0.name)'" }.joined(separator: ", "))); make one with "
          + "makeState() and call prediction(from:using:).")
    }
    try memory.requireStates(states)
    return memory
  }
}
