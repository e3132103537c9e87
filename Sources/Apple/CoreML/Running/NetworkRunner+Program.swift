import Engine
import Foundation
import ModelFormat

extension NetworkRunner {
  /// Reads a function of a program. This is the function that the configuration names, or the model's default function
  /// if the configuration names no function.
  init(
    _ program: Spec.MILSpec.Program, of model: Spec.Model, description: MLModelDescription,
    settings: RunnerSettings
  ) throws {
    let specification: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    let function: String = model.functionName(asked: settings.functionName)
    var read = try ProgramGraph(
      program, function: function, blobs: settings.blobs,
      makeCustomLayer: CustomLayerBridge.factory)
    let named = specification.functions.first { $0.name == function }
    let declaredInputs: [Spec.FeatureDescription] = named?.input ?? specification.input
    let inputs: [Spec.FeatureDescription] = try read.inputs.map { port in
      guard let feature = declaredInputs.first(where: { $0.name == port.name }) else {
        throw MLModelError(
          .io, "The program's input '\(port.name)' is not in the model's description.")
      }
      return feature
    }
    let interface = NetworkInterface(
      inputs: zip(inputs, read.inputs).map { feature, port in
        NetworkInterface.Feature(feature, arrays: .exact, images: .exact, element: port.held)
      }, outputs: [])
    for (feature, value) in zip(interface.inputs, read.graph.inputs) {
      if case .image(let port, _, _) = feature.kind { read.graph.imageInputs[value] = port }
    }
    let declaredOutputs: [Spec.FeatureDescription] = named?.output ?? specification.output
    var outputs: [NetworkOutput] = []
    for (position, port) in read.outputs.enumerated() {
      guard let output = description.outputDescriptionsByName[port.name],
        let feature = declaredOutputs.first(where: { $0.name == port.name })
      else { continue }
      let declared = NetworkInterface.Feature(feature, arrays: .exact, images: .exact)
      if case .image(let image, _, _) = declared.kind {
        read.graph.imageOutputs[read.graph.outputs[position]] = image
      }
      outputs.append(
        try NetworkOutput(
          output, position: position, widensFloat16: settings.widensFloat16Outputs))
    }
    var classification: Classification?
    if let classes = read.classes {
      let labels: ClassLabels
      switch classes {
      case .strings(let names): labels = .strings(names)
      case .numbers(let numbers): labels = .integers(numbers)
      }
      classification = Classification(
        read.addProbabilities(), labels: labels, description: description)
    }
    self.init(
      Network(
        read.graph, passes: GraphPasses.standard, options: settings.options(for: model)),
      inputs: try NetworkRunner.inputs(
        of: interface, inputs, description, allowsAnySize: settings.allowsAnyInputSize),
      outputs: outputs, classification: classification,
      states: try read.states.map { try NetworkState($0, of: read.graph) })
  }
}

extension Spec.Model {
  /// Returns the name of the function to run. This is the given name, or the name of the model's default function if
  /// the given name is nil. If the model's description lists no functions, the only function is `main`.
  func functionName(asked name: String?) -> String {
    let described: Spec.ModelDescription = description ?? Spec.ModelDescription()
    return described.functions.isEmpty ? "main" : name ?? described.defaultFunctionName
  }
}

extension NetworkState {
  fileprivate init(_ state: ProgramGraph.State, of graph: Graph) throws {
    let extents: [Int] = state.port.extents.compactMap { $0 }
    guard extents.count == state.port.extents.count else {
      throw MLModelError(
        .io, "The state '\(state.port.name)' has a dynamic shape; expected a fixed one.")
    }
    let port = Graph.State(input: state.input, output: state.output)
    self.init(
      name: state.port.name, type: TensorType(Shape(extents), state.port.held),
      storage: graph.storage(of: port, state.port.held),
      visibleType: state.port.written == .float16
        ? .float16 : state.port.held == .int32 ? .int32 : .float32,
      port: port)
  }
}
