import Engine
import Foundation
import Imaging
import Operators
import ModelFormat

/// The neural network of a model file, for tools that show its stages: the message, the graph and the plan.
public struct InspectedNetwork: Sendable {
  /// The file.
  public let file: ModelFile
  /// The graph of the network.
  public let graph: Graph
  /// The inputs and outputs of the network.
  public let interface: NetworkInterface

  /// Decodes the network of a model. Throws ``ModelToolsError`` if it is not a neural network.
  public init(_ file: ModelFile, makeCustomLayer: @escaping CustomLayerFactory) throws {
    guard let message = NeuralNetworkMessage(file.model) else {
      throw ModelToolsError(
        .unsupported,
        "Model \(file.name) is of type \(file.model.kindName); only neural networks and ML Programs"
          + " have a graph and a plan. `atelier inspect` without --stage shows the content of the"
          + " file."
      )
    }
    let description: Spec.ModelDescription = file.model.description ?? Spec.ModelDescription()
    self.file = file
    var graph = try Graph(
      message, description: description, catalog: .standard, makeCustomLayer: makeCustomLayer)
    interface = NetworkInterface(message, description: description)
    // Errors are ignored here. If the declared shapes contradict the layers, shape inference later throws an error that
    // names the layer.
    if let declared = try? interface.declaredInputTypes() {
      try? graph.freeOutputShapes(from: declared)
    }
    self.graph = graph
  }

  /// Returns the declared type of each input. If `size` is not nil, pictures get this size.
  public func inputTypes(pictures size: PictureSize? = nil) throws -> [TensorType] {
    let declared: [TensorType] = try interface.declaredInputTypes()
    guard let size else { return declared }
    return zip(interface.inputs, declared).map { feature, type in
      guard case .image = feature.kind else { return type }
      return TensorType(feature.shape(width: size.width, height: size.height))
    }
  }

  /// Runs shape inference with the given types of the inputs. Returns the graph, in which each value then has its type.
  public func typedGraph(for inputTypes: [TensorType]) throws -> Graph {
    var typed: Graph = graph
    try typed.inferTypes(from: inputTypes)
    return typed
  }

  /// Returns the network with the standard graph passes, ready to plan.
  public func network(_ options: ExecutionOptions) -> Network {
    Network(graph, passes: GraphPasses.standard, options: options)
  }
}

extension Spec.Model {
  /// The type of the model as the specification names it, such as `neuralNetworkClassifier`.
  public var kindName: String {
    type.flatMap { Mirror(reflecting: $0).children.first?.label } ?? "model without a type"
  }
}
