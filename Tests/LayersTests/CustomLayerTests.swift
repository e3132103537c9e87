import Engine
import Operators
import ModelFormat
import Testing

/// A custom layer class as a user would write it. It multiplies its input by a parameter and adds its first weight.
private final class Rescale: CustomLayerImplementation {
  struct Refusal: Error {}

  private let scale: Float
  private let shift: Float

  init(_ request: CustomLayerRequest) throws {
    guard case .double(let scale)? = request.parameters["scale"] else { throw Refusal() }
    self.scale = Float(scale)
    let bytes: [UInt8] = request.weights.first ?? []
    shift = bytes.withUnsafeBytes { $0.count >= 4 ? $0.loadUnaligned(as: Float.self) : 0 }
  }

  func outputShapes(for inputs: [Shape]) throws -> [Shape] { inputs }

  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    for position in 0..<inputs[0].shape.count {
      if inputs[0].data[position] > 1000 { throw Refusal() }
      outputs[0].data[position] = inputs[0].data[position] * scale + shift
    }
  }
}

@Suite("A custom layer")
struct CustomLayerTests {
  private func layer(parameters: [String: Spec.CustomLayerParams.CustomLayerParamValue])
    throws -> any Operator
  {
    var custom = Spec.CustomLayerParams()
    custom.className = "Rescale"
    custom.parameters = parameters
    custom.weights = [Spec.WeightParams([0.5])]
    var message = Spec.NeuralNetworkLayer(.custom(custom))
    message.name = "rescale"
    message.input = ["x"]
    let network = NetworkContext(mapping: .rank5) { try Rescale($0) }
    return try OperatorCatalog.standard.layer(for: message, in: network).operation
  }

  private var two: Spec.CustomLayerParams.CustomLayerParamValue {
    var value = Spec.CustomLayerParams.CustomLayerParamValue()
    value.value = .doubleValue(2)
    return value
  }

  @Test("computes what its class computes, in the reference and in the kernel")
  func computes() throws {
    let layer = try layer(parameters: ["scale": two])
    let input = ReferenceTensor([1, 1, 2, 1, 2], [1, 2, 3, 4])
    let expected = [ReferenceTensor([1, 1, 2, 1, 2], [2.5, 4.5, 6.5, 8.5])]
    #expect(try layer.reference([input]) == expected)
    let candidate = try #require(layer.candidates.first)
    let types = try #require(try layer.outputTypes(for: [OperatorInput(TensorType(input.shape))]))
    for form in Form.all {
      #expect(try form.trial.run(candidate, inputs: [input], outputs: types) == expected)
    }
  }

  @Test("computes in each run's memory, not in the first run's")
  func otherMemory() throws {
    let layer = try layer(parameters: ["scale": two])
    let candidate = try #require(layer.candidates.first)
    var trial = KernelTrial()
    trial.runsInOtherMemoryFirst = true
    let made = try trial.run(
      candidate, inputs: [ReferenceTensor([2], [1, 2])], outputs: [TensorType([2])])
    #expect(made == [ReferenceTensor([2], [2.5, 4.5])])
  }

  @Test("names its class when its initializer throws")
  func makingThrows() throws {
    let error = try #require(throws: EngineError.self) { try layer(parameters: [:]) }
    #expect(error.code == .customLayer)
    #expect(error.message == "The custom layer class 'Rescale' failed: Refusal().")
  }

  @Test("names its class when its evaluation throws")
  func computingThrows() throws {
    let layer = try layer(parameters: ["scale": two])
    let input = ReferenceTensor([1], [2000])
    let error = try #require(throws: EngineError.self) { try layer.reference([input]) }
    #expect(error.message == "The custom layer class 'Rescale' failed: Refusal().")
  }

  @Test("must give as many output shapes as the model names outputs")
  func outputCount() throws {
    let custom = CustomLayer(
      className: "Rescale", outputCount: 2,
      implementation: try Rescale(
        CustomLayerRequest(
          layerName: "rescale", className: "Rescale", parameters: ["scale": .double(1)],
          weights: { [] })))
    let error = try #require(throws: EngineError.self) {
      try custom.outputTypes(for: [OperatorInput(TensorType([1]))])
    }
    #expect(error.message.contains("gives shapes for 1 outputs, but the model states 2."))
  }
}
