import Graph
import ModelFormat

/// An operator that a layer of a NeuralNetwork can express.
public protocol NeuralNetworkEncodable: Operator {
  /// Writes the operator's parameters into a layer. Throws `unsupported` if no layer expresses the parameters.
  func encode(into encoder: inout LayerEncoder) throws
}

/// The layer into which an operator writes its parameters, together with the operator's constant inputs.
public struct LayerEncoder {
  /// The layer. The writer sets the layer's name, inputs and outputs. The operator sets all other fields.
  public var layer = Spec.NeuralNetworkLayer()
  /// For each input of the operator, its values. Nil if the input is not constant.
  public let constants: [Constant?]
  /// For each input of the operator, its type. Nil if the type is not known.
  public let inputTypes: [TensorType?]
  /// The indices of the operator's inputs that have become weights of the layer. The writer does not connect these
  /// inputs.
  public private(set) var embedded: Set<Int> = []

  /// Makes an encoder for an operator with these inputs.
  public init(constants: [Constant?], inputTypes: [TensorType?]) {
    self.constants = constants
    self.inputTypes = inputTypes
  }

  /// Returns the values of an input as weights of the layer. Nil if the operator has no such input.
  ///
  /// - Parameter channelAxis: The axis of the weights to which per-channel scales belong.
  /// - Throws: `unsupported` if the input is not a constant, because a NeuralNetwork's weights cannot change at run
  ///   time.
  public mutating func weights(_ input: Int, _ role: String, channelAxis: Int = 0) throws
    -> Spec.WeightParams?
  {
    guard constants.indices.contains(input) else { return nil }
    guard let constant = constants[input] else {
      throw EngineError(
        .unsupported,
        "the network computes the \(role), but a NeuralNetwork layer holds them as constants; write an ML Program (.mlpackage)."
      )
    }
    embedded.insert(input)
    return try Spec.WeightParams(constant, channelAxis: channelAxis)
  }
}
