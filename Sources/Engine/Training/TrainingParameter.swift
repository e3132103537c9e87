import Engine
import Operators

/// A tensor of weights or other parameters in a network. Training updates this tensor.
public struct TrainingParameter: Sendable {
  /// The role of a parameter in its layer.
  public enum Role: String, Sendable, Hashable, CaseIterable {
    case weights
    case bias
    /// The factor of a normalisation layer.
    case gamma
    /// The offset of a normalisation layer.
    case beta
  }

  /// The name of the layer to which the parameter belongs.
  public let layer: String
  /// The parameter's role in the layer.
  public let role: Role
  /// The extents, in the order of Core ML's model specification.
  public let shape: Shape
  /// The values before training, in row-major order.
  public let initial: [Float]
  /// The input of the graph that replaces the parameter's constant.
  public let value: Graph.ValueID

  /// Creates a parameter.
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
  /// Replaces constants by inputs of the graph, so that training can differentiate with respect to these inputs and
  /// update them.
  ///
  /// Affects constants whose name is the layer's name, a slash and a ``TrainingParameter/Role``, such as
  /// `conv1/weights`. Readers give such names to the parameters of layers. Other constants are unchanged.
  ///
  /// - Parameter isTrained: Returns whether to train the layer of a given name.
  /// - Returns: The parameters, in the order of the layers. Each parameter's graph value (``TrainingParameter/value``)
  ///   is appended to the graph's inputs.
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
  /// Returns the role that a constant's name contains, such as `weights` in `conv1/weights` of the layer `conv1`. Nil
  /// for other names.
  fileprivate init?(named name: String, of layer: String) {
    guard name.hasPrefix("\(layer)/") else { return nil }
    self.init(rawValue: String(name.dropFirst(layer.count + 1)))
  }
}
