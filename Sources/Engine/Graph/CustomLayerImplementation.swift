/// A request to the module `CoreML` for a custom layer: the name of the class, and the layer's parameters and weights.
public struct CustomLayerRequest: Sendable {
  /// The layer's name in the model.
  public let layerName: String
  /// The name of the class in the model.
  public let className: String
  /// The parameters that the model gives the class, by name.
  public let parameters: [String: CustomLayerParameter]
  private let readWeights: @Sendable () -> [[UInt8]]

  /// The weights in the model, as little-endian bytes in the encoding of the file. Every access reads them again.
  public var weights: [[UInt8]] { readWeights() }

  /// Creates a request.
  ///
  /// - Parameter weights: Reads the weights from the model.
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

/// Makes a custom layer for a request, which names the class.
public typealias CustomLayerFactory =
  @Sendable (CustomLayerRequest) throws -> any CustomLayerImplementation

/// A custom layer as the engine sees it. The module `CoreML` wraps the user's `MLCustomLayer` in a type that conforms
/// to this protocol.
public protocol CustomLayerImplementation: AnyObject, Sendable {
  /// Returns the shapes of the outputs for inputs of these shapes.
  func outputShapes(for inputs: [Shape]) throws -> [Shape]
  /// Computes the outputs. The memory of every tensor is dense `float32` and valid only during the call.
  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws
}

/// The memory of one tensor during a call of a custom layer. It is dense `float32` in row-major order.
public struct CustomLayerTensor {
  /// The extents, outermost first.
  public let shape: Shape
  /// The address of the first element.
  public let data: UnsafeMutablePointer<Float>

  /// Creates a view over memory that the caller owns.
  public init(shape: Shape, data: UnsafeMutablePointer<Float>) {
    self.shape = shape
    self.data = data
  }
}
