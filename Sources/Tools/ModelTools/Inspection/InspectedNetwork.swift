import Engine
import Foundation
import Imaging
import Operators
import ModelFormat

/// A neural network of a model file, from the message to the plan, for tools that look at each stage.
public struct InspectedNetwork: Sendable {
  /// The file.
  public let file: ModelFile
  /// What the network means.
  public let graph: Graph
  /// What crosses the network's border.
  public let interface: NetworkInterface

  /// Decodes the network of a model; throws ``ModelToolsError`` where it is no neural network.
  public init(_ file: ModelFile, makeCustomLayer: @escaping CustomLayerFactory) throws {
    guard let message = NeuralNetworkMessage(file.model) else {
      throw ModelToolsError(
        .unsupported,
        "Model \(file.name) is of type \(file.model.kindName); only neural networks and programs have a"
          + " graph and a plan to show. `atelier inspect` without --stage shows what the file says."
      )
    }
    let description: Spec.ModelDescription = file.model.description ?? Spec.ModelDescription()
    self.file = file
    var graph = try Graph(
      message, description: description, catalog: .standard, makeCustomLayer: makeCustomLayer)
    interface = NetworkInterface(message, description: description)
    // Where the declared shapes contradict the layers, inferring types says so, with the layer.
    if let declared = try? interface.declaredInputTypes() {
      try? graph.freeOutputShapes(from: declared)
    }
    self.graph = graph
  }

  /// The type of each input, as declared, or with pictures of another size.
  public func inputTypes(pictures size: PictureSize? = nil) throws -> [TensorType] {
    let declared: [TensorType] = try interface.declaredInputTypes()
    guard let size else { return declared }
    return zip(interface.inputs, declared).map { feature, type in
      guard case .image = feature.kind else { return type }
      return TensorType(feature.shape(width: size.width, height: size.height))
    }
  }

  /// The graph with the types that these inputs give.
  public func typedGraph(for inputTypes: [TensorType]) throws -> Graph {
    var typed: Graph = graph
    try typed.inferTypes(from: inputTypes)
    return typed
  }

  /// The network with its passes, ready to plan.
  public func network(_ options: ExecutionOptions) -> Network {
    Network(graph, passes: GraphPasses.standard, options: options)
  }
}

extension Spec.Model {
  /// The type of the model by the specification's name: `neuralNetworkClassifier`.
  public var kindName: String {
    type.flatMap { Mirror(reflecting: $0).children.first?.label } ?? "model without a type"
  }
}
