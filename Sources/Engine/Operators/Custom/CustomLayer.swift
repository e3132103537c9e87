import Graph

/// An operator that the caller's class implements. The model states the name of the class.
///
/// - Inputs and outputs: any number and shape; the class decides. The class receives the shapes that the graph uses. In
///   a model with Core ML's rank-5 array mapping, the shapes are `[sequence, batch, C, H, W]`.
/// - Memory: dense `float32`, row-major, valid only during the call.
/// - Errors: there is no class with this name (the error message is that of Apple's Core ML); the class throws an
///   error; the class states a number of output shapes that differs from ``outputCount``.
///
/// **Source:** `CustomLayerParams`; Apple's `MLCustomLayer`.
public struct CustomLayer: Operator {
  public static let declaration = OperatorDeclaration(
    "Custom", summary: "the computation of the caller's class")

  /// False, because the caller's class may have state.
  public static var isDeterministic: Bool { false }

  /// The name of the class, as the model states it.
  public var className: String
  /// The number of the layer's outputs in the model.
  public var outputCount: Int
  /// The caller's object.
  public var implementation: any CustomLayerImplementation
  /// The parameters that the model gives to the object, by name.
  public var parameters: [String: CustomLayerParameter]
  /// Reads the weights that the model gives to the object, one array of bytes for each weight tensor. The bytes are
  /// little-endian and in the model file's encoding.
  public var weights: @Sendable () -> [[UInt8]]
  /// The description of the layer in the model; may be empty.
  public var summary: String

  /// Creates an operator that calls the caller's object.
  public init(
    className: String, outputCount: Int = 1, implementation: any CustomLayerImplementation,
    parameters: [String: CustomLayerParameter] = [:],
    weights: @escaping @Sendable () -> [[UInt8]] = { [] }, summary: String = ""
  ) {
    self.className = className
    self.outputCount = outputCount
    self.implementation = implementation
    self.parameters = parameters
    self.weights = weights
    self.summary = summary
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    if let carried = implementation as? PassthroughCustomLayer {
      return outputCount == 1 ? carried.outputShape.map { [TensorType($0)] } : nil
    }
    let shapes: [Shape] = try Self.wrapping(className) {
      try implementation.outputShapes(for: inputs.map(\.shape))
    }
    guard shapes.count == outputCount else {
      throw EngineError(
        .customLayer,
        "The custom layer class '\(className)' gives shapes for \(shapes.count) outputs, "
          + "but the model states \(outputCount).")
    }
    for shape in shapes where shape.dimensions.contains(where: { $0 < 0 }) {
      throw EngineError(
        .customLayer,
        "The custom layer class '\(className)' gives the output shape \(shape), "
          + "expected no negative sizes.")
    }
    return shapes.map { TensorType($0) }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let types = try outputTypes(for: inputs.map { OperatorInput(TensorType($0.shape)) }) ?? []
    var outputs: [CustomLayerTensor] = []
    var sources: [CustomLayerTensor] = []
    defer { for tensor in sources + outputs { tensor.data.deallocate() } }
    for input in inputs {
      // Safe: the buffer holds as many floats as the tensor has values. The function frees the buffer when it returns,
      // after the class has used the floats.
      let data = UnsafeMutablePointer<Float>.allocate(capacity: max(input.values.count, 1))
      for position in input.values.indices { data[position] = Float(input.values[position]) }
      sources.append(CustomLayerTensor(shape: input.shape, data: data))
    }
    for type in types {
      let data = UnsafeMutablePointer<Float>.allocate(capacity: max(type.shape.count, 1))
      data.initialize(repeating: 0, count: type.shape.count)
      outputs.append(CustomLayerTensor(shape: type.shape, data: data))
    }
    try Self.wrapping(className) {
      try implementation.evaluate(inputs: sources, outputs: outputs)
    }
    return outputs.map { (tensor: CustomLayerTensor) -> ReferenceTensor in
      ReferenceTensor(tensor.shape, (0..<tensor.shape.count).map { Double(tensor.data[$0]) })
    }
  }

  /// Calls the caller's code. If this code throws an error of another type than `EngineError`, throws an `EngineError`
  /// that names the class.
  package static func wrapping<Result>(_ className: String, _ body: () throws -> Result) throws
    -> Result
  {
    do {
      return try body()
    } catch let error as EngineError {
      throw error
    } catch {
      throw EngineError(
        .customLayer, "The custom layer class '\(className)' failed: \(error).")
    }
  }
}
