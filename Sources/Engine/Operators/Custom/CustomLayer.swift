import Backends
import Graph
import ModelFormat

/// A layer that the caller's own class computes, found by the class name in the model.
///
/// - Inputs and outputs: any number of any shape, as the class says. Shapes are handed over as the
///   graph has them: `[sequence, batch, C, H, W]` in the five-dimensional mapping.
/// - Memory: dense `float32`, row-major, valid during the call only.
/// - Errors: no class of the name (Apple's sentence); a class that throws or that promises another
///   number of outputs than the model names.
///
/// **Source:** `CustomLayerParams`; Apple's `MLCustomLayer`.
public struct CustomLayer: Layer {
  public static let declaration = OperatorDeclaration(
    "Custom", specification: "custom", summary: "what the caller's own class computes")

  /// The caller's class may remember.
  public static var isDeterministic: Bool { false }

  /// The class name in the model.
  public var className: String
  /// The number of outputs that the model names.
  public var outputCount: Int
  /// The caller's object.
  public var implementation: any CustomLayerImplementation

  /// A layer over the caller's object.
  public init(
    className: String, outputCount: Int = 1, implementation: any CustomLayerImplementation
  ) {
    self.className = className
    self.outputCount = outputCount
    self.implementation = implementation
  }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .custom(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    var parameters: [String: CustomLayerParameter] = [:]
    for (name, parameter) in message.parameters {
      switch parameter.value {
      case .doubleValue(let value)?: parameters[name] = .double(value)
      case .stringValue(let value)?: parameters[name] = .string(value)
      case .intValue(let value)?: parameters[name] = .integer(value)
      case .longValue(let value)?: parameters[name] = .long(value)
      case .boolValue(let value)?: parameters[name] = .bool(value)
      case nil: throw decoder.invalid("the parameter '\(name)' has no value.")
      }
    }
    let request = CustomLayerRequest(
      layerName: decoder.name, className: message.className, parameters: parameters,
      weights: message.weights.map(\.storedBytes))
    self.init(
      className: message.className, outputCount: decoder.outputCount,
      implementation: try Self.wrapping(message.className) {
        try decoder.network.makeCustomLayer(request)
      })
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
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

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("custom layer class") { [self] (request: KernelRequest) -> Kernel? in
        let inputs: [Shape] = request.inputs.map(\.shape)
        let outputs: [Shape] = request.outputs.map(\.shape)
        return Kernel(
          CustomLayerStep(self, inputs: inputs, outputs: outputs),
          inputs: inputs.map { TensorDescriptor($0) }, outputs: outputs.map { TensorDescriptor($0) }
        )
      }
    ]
  }

  /// Runs the caller's code; what it throws becomes an error that names the class.
  package static func wrapping<Result>(_ className: String, _ body: () throws -> Result) throws -> Result {
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

/// Hands the session's memory to the caller's object.
private final class CustomLayerStep: Step, @unchecked Sendable {
  private let layer: CustomLayer
  private let inputs: [Shape]
  private let outputs: [Shape]

  init(_ layer: CustomLayer, inputs: [Shape], outputs: [Shape]) {
    self.layer = layer
    self.inputs = inputs
    self.outputs = outputs
  }

  override var detail: String { layer.className }

  /// The views of one session's memory, whose pointers stay the same as long as it lives.
  private final class Views {
    var inputs: [CustomLayerTensor] = []
    var outputs: [CustomLayerTensor] = []
    var isFilled = false
  }

  override func makeState() throws -> AnyObject? { Views() }

  override func run(_ memory: StepMemory) throws {
    guard let state = memory.state else { preconditionFailure("a session keeps its state") }
    // Safe: the state is what makeState() returned.
    let held = unsafeDowncast(state, to: Views.self)
    if !held.isFilled {
      held.inputs = views(of: inputs, memory.inputs)
      held.outputs = views(of: outputs, memory.outputs)
      held.isFilled = true
    }
    try CustomLayer.wrapping(layer.className) {
      try layer.implementation.evaluate(inputs: held.inputs, outputs: held.outputs)
    }
  }

  private func views(
    of shapes: [Shape], _ pointers: UnsafePointer<UnsafeMutableRawPointer>
  ) -> [CustomLayerTensor] {
    // Safe: the planner gives dense float32 memory of these shapes.
    shapes.indices.map { (index: Int) -> CustomLayerTensor in
      CustomLayerTensor(
        shape: shapes[index], data: pointers[index].assumingMemoryBound(to: Float.self))
    }
  }
}

extension Spec.WeightParams {
  /// The stored bytes, little-endian, in whichever field the model has them.
  package var storedBytes: [UInt8] {
    if !floatValue.isEmpty {
      return floatValue.array().flatMap { (value: Float) -> [UInt8] in
        withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
      }
    }
    if !float16Value.isEmpty { return float16Value.array() }
    if !int8RawValue.isEmpty { return int8RawValue.array() }
    return rawValue.array()
  }
}
