import Engine
import Operators

/// A tensor of a network that training changes.
public struct TrainingParameter: Sendable {
  /// What a parameter is to its layer.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    case weights
    case bias
    /// The factor of a normalisation.
    case gamma
    /// The shift of a normalisation.
    case beta
  }

  /// The layer's name.
  public let layer: String
  /// What it is to the layer.
  public let role: Role
  /// The extents, in the specification's order.
  public let shape: Shape
  /// The values before training, row-major.
  public let initial: [Float]
  /// The graph's input that it became.
  public let value: Graph.ValueID

  /// A parameter.
  public init(
    layer: String, role: Role, shape: Shape, initial: [Float], value: Graph.ValueID
  ) {
    precondition(initial.count == shape.count)
    self.layer = layer
    self.role = role
    self.shape = shape
    self.initial = initial
    self.value = value
  }
}

extension Graph {
  /// Makes the constants of layers inputs of the graph, so that they can be differentiated by and changed.
  ///
  /// Knows convolutions (weights and bias), inner products (likewise) and normalisations (γ and β, where
  /// the layer takes its statistics from its input). Other layers keep their constants.
  ///
  /// - Parameter isTrained: whether the layer of this name is changed.
  /// - Returns: the parameters in the order of the layers; their values are inputs behind those that
  ///   the graph had.
  public mutating func liftParameters(of isTrained: (String) -> Bool) throws
    -> [TrainingParameter]
  {
    var result: [TrainingParameter] = []
    for position in nodes.indices where isTrained(nodes[position].name) {
      try lift(position, &result)
    }
    return result
  }

  private mutating func lift(_ position: Int, _ parameters: inout [TrainingParameter]) throws {
    let name: String = nodes[position].name
    if var layer = nodes[position].operation as? ConvolutionOperator, let weights = layer.weights {
      add(try lifted(weights, .weights, name), at: position, &parameters)
      if let bias = layer.bias {
        add(try lifted(bias, .bias, name), at: position, &parameters)
        layer.takesBiasInput = true
      }
      (layer.weights, layer.bias) = (nil, nil)
      nodes[position].operation = layer
    } else if nodes[position].operation is InnerProductOperator {
      for (input, role) in zip(
        nodes[position].inputs.indices.dropFirst(), [TrainingParameter.Role.weights, .bias])
      {
        try lift(input, of: position, role, &parameters)
      }
    } else if var layer = nodes[position].operation as? BatchNormOperator, !layer.takesParameters,
      layer.isInstanceNormalization
    {
      let ones = Weights([layer.channels], [Float](repeating: 1, count: layer.channels))
      let zeros = Weights([layer.channels], [Float](repeating: 0, count: layer.channels))
      add(try lifted(layer.gamma ?? ones, .gamma, name), at: position, &parameters)
      add(try lifted(layer.beta ?? zeros, .beta, name), at: position, &parameters)
      layer.takesParameters = true
      (layer.gamma, layer.beta) = (nil, nil)
      nodes[position].operation = layer
    }
  }

  /// Makes an input of the graph of a node's constant input; others stay what they are.
  private mutating func lift(
    _ input: Int, of position: Int, _ role: TrainingParameter.Role,
    _ parameters: inout [TrainingParameter]
  ) throws {
    guard let constant = self[nodes[position].inputs[input]].constant else { return }
    let name: String = nodes[position].name
    let value: ValueID = addInput("\(name) \(role.rawValue)", constant.shape)
    nodes[position].inputs[input] = value
    parameters.append(
      TrainingParameter(
        layer: name, role: role, shape: constant.shape, initial: try constant.floats(),
        value: value))
  }

  private mutating func lifted(
    _ weights: Weights, _ role: TrainingParameter.Role, _ layer: String
  ) throws -> TrainingParameter {
    let value: ValueID = addInput("\(layer) \(role.rawValue)", weights.shape)
    return TrainingParameter(
      layer: layer, role: role, shape: weights.shape, initial: try weights.floats(), value: value)
  }

  private mutating func add(
    _ parameter: TrainingParameter, at position: Int, _ parameters: inout [TrainingParameter]
  ) {
    nodes[position].inputs.append(parameter.value)
    parameters.append(parameter)
  }
}
