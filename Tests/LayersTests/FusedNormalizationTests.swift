import Engine
import Operators
import ModelFormat
import Testing

@Suite("Normalisation with what passes fuse")
struct FusedNormalizationTests {
  private func tensor(_ shape: Shape, seed: UInt64) -> ReferenceTensor {
    var generator = SampleGenerator(seed: seed)
    return ReferenceTensor(
      shape, (0..<shape.count).map { _ in Double(Float(generator.uniform(-2...3))) })
  }

  private func weights(_ count: Int, seed: UInt64) -> Weights {
    var generator = SampleGenerator(seed: seed)
    return Weights([count], (0..<count).map { _ in Float(generator.uniform(0.5...1.5)) })
  }

  private func check(_ layer: some KernelProvider, _ inputs: [ReferenceTensor]) throws {
    let types = try #require(
      try layer.outputTypes(for: inputs.map { OperatorInput(TensorType($0.shape)) }))
    let answer = try layer.reference(inputs)[0]
    let candidate = try #require(layer.kernels.first)
    for form in Form.all where form.storage == .float32 {
      let outputs = try #require(try form.trial.run(candidate, inputs: inputs, outputs: types))
      let comparison = Comparison(outputs[0], to: answer)
      #expect(comparison.error <= 2e-5, "\(form.testDescription): \(comparison)")
    }
  }

  static let activations: [ActivationFunction] = [
    .reLU, .leakyReLU(alpha: 0.2), .tanh, .elu(alpha: 1), .sigmoid,
  ]

  @Test("instance norm applies its activation", arguments: activations)
  func instanceActivation(activation: ActivationFunction) throws {
    try check(
      BatchNormOperator(
        channels: 19, statistics: .instance, gamma: weights(19, seed: 1),
        beta: weights(19, seed: 2), activation: activation),
      [tensor([2, 19, 7, 9], seed: 3)])
  }

  @Test("instance norm adds its second input before the activation")
  func instanceResidual() throws {
    let layer = BatchNormOperator(
      channels: 16, statistics: .instance, gamma: weights(16, seed: 1), activation: .reLU,
      residual: CropOperator.Offset(top: 0, left: 0))
    try check(layer, [tensor([2, 16, 5, 6], seed: 3), tensor([2, 16, 5, 6], seed: 4)])
  }

  @Test("instance norm takes its factors and shifts from inputs")
  func instanceParameters() throws {
    var layer = BatchNormOperator(channels: 16, statistics: .instance, activation: .reLU)
    layer.takesParameters = true
    let parameters = [tensor([1, 16, 1, 1], seed: 5), tensor([1, 16, 1, 1], seed: 6)]
    try check(layer, [tensor([2, 16, 5, 6], seed: 3)] + parameters)
    layer.residual = CropOperator.Offset(top: 0, left: 0)
    try check(
      layer, [tensor([2, 16, 5, 6], seed: 3)] + parameters + [tensor([2, 16, 5, 6], seed: 4)])
    #expect(throws: EngineError.self) {
      try layer.outputTypes(
        for: [[2, 16, 5, 6], [1, 15, 1, 1], [1, 16, 1, 1], [2, 16, 5, 6]].map {
          OperatorInput(TensorType($0))
        })
    }
  }

  @Test("batch norm applies its activation", arguments: activations)
  func batchActivation(activation: ActivationFunction) throws {
    try check(
      BatchNormOperator(
        channels: 5,
        statistics: .given(mean: weights(5, seed: 1), variance: weights(5, seed: 2)),
        activation: activation),
      [tensor([1, 5, 4, 3], seed: 3)])
  }

  @Test("inner product applies its activation", arguments: activations)
  func productActivation(activation: ActivationFunction) throws {
    try check(
      InnerProductOperator(activation: activation),
      [tensor([3, 6], seed: 3), tensor([4, 6], seed: 1), tensor([4], seed: 2)])
  }

  @Test("the per-channel form computes what the layer computes")
  func affine() throws {
    let layer = BatchNormOperator(
      channels: 3, statistics: .given(mean: weights(3, seed: 1), variance: weights(3, seed: 2)),
      gamma: weights(3, seed: 3))
    let input = tensor([1, 3, 1, 1], seed: 4)
    let form = try #require(try layer.affine(channels: 3))
    let affine = (0..<3).map { Double(form.scale[$0]) * input.values[$0] + Double(form.shift[$0]) }
    let comparison = Comparison(
      ReferenceTensor(input.shape, affine), to: try layer.reference([input])[0])
    #expect(comparison.error <= 1e-6, "\(comparison)")
  }

  @Test("instance norm and parameters by pixel have no per-channel form")
  func noAffine() throws {
    #expect(try BatchNormOperator(channels: 2, statistics: .instance).affine() == nil)
    #expect(try BiasOperator(bias: Weights([1, 1, 2], [1, 2])).affine() == nil)
    #expect(try BiasOperator(bias: Weights([2, 1, 1], [1, 2])).affine(channels: 3) == nil)
    #expect(
      try ScaleOperator(scale: Weights([1, 1, 1], [2])).affine(channels: 3)?.scale == [2, 2, 2])
  }
}
