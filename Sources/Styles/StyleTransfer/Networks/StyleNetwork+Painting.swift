import Engine
import Imaging
import Operators
import ModelFormat

extension StyleNetwork {
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

  /// A picture painted in the style.
  ///
  /// - Parameter longestSide: larger pictures are made smaller first; nil takes all as they are.
  public func paint(
    _ picture: Picture, longestSide: Int? = nil, options: ExecutionOptions = ExecutionOptions()
  ) throws -> Picture {
    var photo: Picture = picture.withoutAlpha
    let side: Int = max(photo.width, photo.height)
    if let longestSide, side > longestSide {
      let factor: Double = Double(longestSide) / Double(side)
      photo = try photo.scaled(
        toWidth: max(1, Int((Double(photo.width) * factor).rounded())),
        height: max(1, Int((Double(photo.height) * factor).rounded())))
    }
    var graph: Graph = try graph()
    try graph.inferTypes(from: [TensorType([1, 3, photo.height, photo.width])])
    let painted: [FloatTensor] = try graph.run(
      [photo.planes.map { $0 / 127.5 - 1 }], options: options)
    return try Picture(width: photo.width, height: photo.height, planes: painted[0].values)
  }
}
