/// What the facade needs to make a custom layer: the class that the model names, and its data.
public struct CustomLayerRequest: Sendable {
  /// The layer's name in the model.
  public let layerName: String
  /// The class name in the model.
  public let className: String
  /// The parameters that the model gives, by name.
  public let parameters: [String: CustomLayerParameter]
  private let readWeights: @Sendable () -> [[UInt8]]

  /// The weights that the model gives, as raw little-endian bytes in the file's encoding; read anew by every call.
  public var weights: [[UInt8]] { readWeights() }

  /// A request.
  ///
  /// - Parameter weights: reads the weights.
  public init(
    layerName: String, className: String, parameters: [String: CustomLayerParameter],
    weights: @escaping @Sendable () -> [[UInt8]]
  ) {
    self.layerName = layerName
    self.className = className
    self.parameters = parameters
    readWeights = weights
  }
}

/// One parameter of a custom layer. **Source:** `CustomLayerParams.CustomLayerParamValue`.
public enum CustomLayerParameter: Sendable, Equatable {
  case double(Double)
  case string(String)
  case integer(Int32)
  case long(Int64)
  case bool(Bool)
}

/// Makes custom layers by class name.
public typealias CustomLayerFactory =
  @Sendable (CustomLayerRequest) throws -> any CustomLayerImplementation

/// A custom layer as the engine sees it; the facade wraps the user's `MLCustomLayer` in one.
public protocol CustomLayerImplementation: AnyObject, Sendable {
  /// The shapes of the outputs for inputs of these shapes.
  func outputShapes(for inputs: [Shape]) throws -> [Shape]
  /// Computes: every tensor is dense `float32` memory that is valid during the call only.
  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws
}

/// Memory of one tensor during a call of a custom layer: dense `float32`, row-major.
public struct CustomLayerTensor {
  /// The extents, outermost first.
  public let shape: Shape
  /// The first element.
  public let data: UnsafeMutablePointer<Float>

  /// A view over memory that somebody else owns.
  public init(shape: Shape, data: UnsafeMutablePointer<Float>) {
    self.shape = shape
    self.data = data
  }
}
