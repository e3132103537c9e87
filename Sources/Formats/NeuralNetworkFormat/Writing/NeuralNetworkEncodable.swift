import Graph
import ModelFormat

/// An operator that a layer of a NeuralNetwork can stand for.
public protocol NeuralNetworkEncodable: Operator {
  /// Writes the parameters into a layer; throws `unsupported` where no layer says the same.
  func encode(into encoder: inout LayerEncoder) throws
}

/// What an operator writes itself into: a layer of the specification, and the operator's constants.
public struct LayerEncoder {
  /// The layer. Its name, inputs and outputs are the writer's; the operator fills the rest.
  public var layer = Spec.NeuralNetworkLayer()
  /// One an input of the operator: its values where they are constant, else nil.
  public let constants: [Constant?]
  /// The types of the operator's inputs, where they are known.
  public let inputTypes: [TensorType?]
  /// The inputs that have become part of the layer, as its weights; the writer does not connect them.
  public private(set) var embedded: Set<Int> = []

  /// An encoder for an operator with these inputs.
  public init(constants: [Constant?], inputTypes: [TensorType?]) {
    self.constants = constants
    self.inputTypes = inputTypes
  }

  /// The values of an input, to be written as weights of the layer; nil where the operator has no such input.
  ///
  /// - Parameter channelAxis: the dimension by which the layer counts channels.
  /// - Throws: `unsupported` when the input is no constant: a NeuralNetwork's weights do not change.
  public mutating func weights(_ input: Int, _ role: String, channelAxis: Int = 0) throws
    -> Spec.WeightParams?
  {
    guard constants.indices.contains(input) else { return nil }
    guard let constant = constants[input] else {
      throw EngineError(
        .unsupported,
        "the \(role) are computed by the network; a NeuralNetwork layer holds them as constants.")
    }
    embedded.insert(input)
    return try Spec.WeightParams(constant, channelAxis: channelAxis)
  }
}
