import Graph

/// Stands for a custom layer whose class is not needed: a model that is read from one file and written to
/// another carries it along. What it gives is known where the caller says it, and it cannot run.
public final class CarriedCustomLayer: CustomLayerImplementation {
  private let className: String
  /// The shape of its output; nil where nobody says it.
  let outputShape: Shape?

  /// Stands for an object of a class.
  public init(_ className: String, outputShape: Shape? = nil) {
    (self.className, self.outputShape) = (className, outputShape)
  }

  /// Makes one for each custom layer.
  public static let factory: CustomLayerFactory = { CarriedCustomLayer($0.className) }

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
