import Graph

/// An operator that the caller's own class computes, found by the class name in the model.
///
/// - Inputs and outputs: any number of any shape, as the class says. Shapes are handed over as the
///   graph has them: `[sequence, batch, C, H, W]` in the five-dimensional mapping.
/// - Memory: dense `float32`, row-major, valid during the call only.
/// - Errors: no class of the name (Apple's sentence); a class that throws or that promises another
///   number of outputs than the model names.
///
/// **Source:** `CustomLayerParams`; Apple's `MLCustomLayer`.
public struct CustomLayer: Operator {
  public static let declaration = OperatorDeclaration(
    "Custom", summary: "what the caller's own class computes")

  /// The caller's class may remember.
  public static var isDeterministic: Bool { false }

  /// The class name in the model.
  public var className: String
  /// The number of outputs that the model names.
  public var outputCount: Int
  /// The caller's object.
  public var implementation: any CustomLayerImplementation
  /// The parameters that the object was made with, by name.
  public var parameters: [String: CustomLayerParameter]
  /// Reads the weights that the object was made with: raw little-endian bytes in the file's encoding.
  public var weights: @Sendable () -> [[UInt8]]
  /// What the model says of it to people; may be empty.
  public var summary: String

  /// An operator over the caller's object.
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
    if let carried = implementation as? CarriedCustomLayer {
      return outputCount == 1 ? carried.outputShape.map { [TensorType($0)] } : nil
    }
    let shapes: [Shape] = try Self.wrapping(className) {
      try implementation.outputShapes(for: inputs.map(\.shape))
    }
    guard shapes.count == outputCount else {
      throw EngineError(
        .customLayer,
        "The custom layer class '\(className)' gives shapes for \(shapes.count) outputs, "
          + "but the model names \(outputCount).")
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
      // Safe: as many floats as values; freed on leaving, after the class is done with them.
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

  /// Runs the caller's code; what it throws becomes an error that names the class.
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
