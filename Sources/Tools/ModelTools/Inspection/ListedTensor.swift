import Engine

/// The element type and extents of a tensor, as fields and in words.
public struct ListedTensor: Encodable, Sendable {
  /// The name of the tensor in the model. Nil if it has none.
  public let name: String?
  /// The element type and extents in words, such as `float32 1 × 3 × 4`. Nil if the extents depend on the values of
  /// inputs.
  public let type: String?
  /// The element type, such as `float32`.
  public let elementType: String?
  /// The extents. Nil if the extents depend on the values of inputs.
  public let shape: [Int]?
  /// The layout in memory, `dense` or `channelsLast`. Nil if the tensor is not part of a plan.
  public let layout: String?

  /// Lists a value of a graph.
  init(_ value: Graph.Value) { self.init(name: value.name, value.type) }

  /// Lists a tensor with its type. `type` is nil if the type depends on the values of inputs.
  init(name: String, _ type: TensorType?) {
    self.name = name
    self.type = type.map { "\($0)" }
    elementType = type.map { "\($0.element)" }
    shape = type?.shape.dimensions
    layout = nil
  }

  /// Lists a tensor as a plan stores it, with its layout.
  init(_ form: TensorDescriptor) {
    name = nil
    type = "\(form)"
    elementType = "\(form.storage)"
    shape = form.shape.dimensions
    layout = "\(form.layout)"
  }
}
