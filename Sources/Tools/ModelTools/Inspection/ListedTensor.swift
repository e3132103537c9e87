import Engine

/// A tensor as a program reads it: its element type and its extents, and the same in words.
public struct ListedTensor: Encodable, Sendable {
  /// Its name in the model; nil where it has none.
  public let name: String?
  /// Element type and extents in words, `float32 1 × 3 × 4`; nil where they depend on data.
  public let type: String?
  /// The element type: `float32`.
  public let elementType: String?
  /// The extents; nil where they depend on data.
  public let shape: [Int]?
  /// How the elements lie in memory, `dense` or `channelsLast`; nil where no plan decides it.
  public let layout: String?

  /// A value of a graph.
  init(_ value: Graph.Value) { self.init(name: value.name, value.type) }

  /// A tensor of a type; nil where it depends on data.
  init(name: String, _ type: TensorType?) {
    self.name = name
    self.type = type.map { "\($0)" }
    elementType = type.map { "\($0.element)" }
    shape = type?.shape.dimensions
    layout = nil
  }

  /// A tensor as a plan keeps it.
  init(_ form: TensorDescriptor) {
    name = nil
    type = "\(form)"
    elementType = "\(form.storage)"
    shape = form.shape.dimensions
    layout = "\(form.layout)"
  }
}
