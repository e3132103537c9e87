import Graph

/// A placeholder for the class of a custom layer. A model with placeholders can be read from one file and written to
/// another, but it cannot run. The caller may state the output shape of the layer.
public final class PassthroughCustomLayer: CustomLayerImplementation {
  private let className: String
  /// The shape of the layer's output; nil if it is not known.
  let outputShape: Shape?

  /// Creates a placeholder for an object of the class with this name.
  public init(_ className: String, outputShape: Shape? = nil) {
    (self.className, self.outputShape) = (className, outputShape)
  }

  /// Makes a placeholder for each custom layer.
  public static let factory: CustomLayerFactory = { PassthroughCustomLayer($0.className) }

  private var missing: EngineError {
    EngineError(
      .customLayer,
      "Error creating Core ML custom layer implementation from factory for layer \"\(className)\".")
  }

  public func outputShapes(for inputs: [Shape]) throws -> [Shape] { throw missing }

  public func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    throw missing
  }
}
