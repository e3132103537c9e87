import Graph

/// A tensor of an ONNX model: its value in the graph and its type in the model.
///
/// The graph may store the tensor in another type than the model. See ``ElementType/heldFromONNX``.
package struct ONNXTensor: Sendable {
  /// The value in the graph.
  package var id: Graph.ValueID
  /// The type of the elements in the model.
  package var element: ElementType

  /// Makes a tensor of a model from a value of the graph.
  package init(_ id: Graph.ValueID, _ element: ElementType) {
    self.id = id
    self.element = element
  }
}

/// The value of a name while the model is read.
package enum ONNXValue: Sendable {
  /// A tensor. It may be constant.
  case tensor(ONNXTensor)
  /// A sequence of tensors. Their number is known while the model is read.
  case sequence([ONNXTensor])
  /// A value that no supported operator takes. The string describes the value in words: “a sequence of tensors”.
  case other(String)
  /// An input of a function that the function's caller omits.
  case absent
}
