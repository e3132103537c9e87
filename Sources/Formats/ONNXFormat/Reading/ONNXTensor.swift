import Graph

/// A tensor of an ONNX model while it is read: where it is in the graph, and the type that the model gives it.
///
/// The graph may hold another type, see ``ElementType/heldFromONNX``.
package struct ONNXTensor: Sendable {
  /// The value in the graph.
  package var id: Graph.ValueID
  /// The type of the elements in the model.
  package var element: ElementType

  /// A tensor in a graph.
  package init(_ id: Graph.ValueID, _ element: ElementType) {
    self.id = id
    self.element = element
  }
}

/// What a name of a model stands for while the model is read.
package enum ONNXValue: Sendable {
  /// A tensor, constant or not.
  case tensor(ONNXTensor)
  /// Tensors in a row, whose number is known while the model is read.
  case sequence([ONNXTensor])
  /// Something that no operator here takes, in words: “a sequence of tensors”.
  case other(String)
  /// An input of a function that the caller leaves out.
  case absent
}
