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
  /// Makes constants inputs of the graph, so that they can be differentiated by and changed.
  ///
  /// Those are constants that are named after what they are to their layer, as readers do: `conv1/weights`,
  /// for every ``TrainingParameter/Role``. Other constants stay as they are.
  ///
  /// - Parameter isTrained: whether the layer of this name is changed.
  /// - Returns: the parameters in the order of the layers; their values are inputs after those that
  ///   the graph had.
  public mutating func liftParameters(of isTrained: (String) -> Bool) throws
    -> [TrainingParameter]
  {
    var result: [TrainingParameter] = []
    for position in nodes.indices where isTrained(nodes[position].name) {
      let node = nodes[position]
      for value in node.inputs {
        guard let constant = self[value].constant,
          let role = TrainingParameter.Role(named: self[value].name, of: node.name)
        else { continue }
        self[value].constant = nil
        self[value].type = constant.type
        inputs.append(value)
        result.append(
          TrainingParameter(
            layer: node.name, role: role, shape: constant.shape, initial: try constant.floats(),
            value: value))
      }
    }
    return result
  }
}

extension TrainingParameter.Role {
  /// The role that a constant's name says, `conv1/weights` of the layer `conv1`; nil for other names.
  fileprivate init?(named name: String, of layer: String) {
    guard name.hasPrefix("\(layer)/") else { return nil }
    self.init(rawValue: String(name.dropFirst(layer.count + 1)))
  }
}
