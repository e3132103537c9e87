/// What a graph knows of a tensor: the type of its elements and its shape.
public struct TensorType: Sendable, Hashable, CustomStringConvertible {
  /// The type of the elements as the model means them, not as a plan stores them.
  public var element: ElementType
  /// The extents, outermost first.
  public var shape: Shape

  /// A tensor type; elements are `float32` unless told otherwise.
  public init(_ shape: Shape, _ element: ElementType = .float32) {
    self.element = element
    self.shape = shape
  }

  /// For messages and listings: `float32 1 × 3 × 320 × 320`.
  public var description: String { "\(element) \(shape)" }
}
