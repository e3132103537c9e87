import CoreML
import Engine
import Operators
import ModelFormat

extension StyleNetwork {
  /// A painter with the network as it is now. It is opened and planned once; keep it where more than one
  /// picture is painted.
  public func painter(
    configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws -> Painter {
    try Painter(
      try MLModel(specification: model(storage: .float32), configuration: configuration),
      name: algorithm.rawValue)
  }

  /// The network as a graph whose input is `[N, 3, height, width]` of −1…1 and whose output is the
  /// painting, 0…255.
  func graph() throws -> Graph {
    let model: Spec.Model = model(storage: .float32)
    guard var message = NeuralNetworkMessage(model) else {
      preconditionFailure("a style network is a neural network")
    }
    message.arrays = .exact
    message.images = .exact
    var graph = try Graph(
      message, description: model.description ?? Spec.ModelDescription(), catalog: .standard)
    graph.imageInputs = [:]
    graph.imageOutputs = [:]
    return graph
  }
}
