/// The type of a tensor in a graph: its element type and its shape.
public struct TensorType: Sendable, Hashable, CustomStringConvertible {
  /// The element type in the graph. A plan may store the tensor with another element type.
  public var element: ElementType
  /// The extents, outermost first.
  public var shape: Shape

  /// Creates a tensor type. The default element type is `float32`.
  public init(_ shape: Shape, _ element: ElementType = .float32) {
    self.element = element
    self.shape = shape
  }

  /// The type in messages and listings, for example `float32 1 × 3 × 320 × 320`.
  public var description: String { "\(element) \(shape)" }
}
