import Engine
import Operators
import ModelFormat
import Testing

@Suite("Normalisation with fused operators")
struct FusedNormalizationTests {
  private func tensor(_ shape: Shape, seed: UInt64) -> ReferenceTensor {
    var generator = SplitMix64(seed: seed)
    return ReferenceTensor(
      shape, (0..<shape.count).map { _ in Double(Float(generator.uniform(-2...3))) })
  }

  private func weights(_ count: Int, seed: UInt64) -> ReferenceTensor {
    var generator = SplitMix64(seed: seed)
    return ReferenceTensor(
      [count], (0..<count).map { _ in Double(Float(generator.uniform(0.5...1.5))) })
  }

  /// Compares the first kernel that accepts the inputs with the reference implementation. Passes the first `variables`
  /// inputs as variables, and all later inputs as constants. If `variables` is nil, passes all inputs as variables.
  private func check(_ layer: some Operator, _ inputs: [ReferenceTensor], variables: Int? = nil)
    throws
  {
    let constants: [Constant?] = inputs.enumerated().map { position, input in
      position < variables ?? inputs.count ? nil : Constant(input)
    }
    let types = try #require(
      try layer.outputTypes(for: inputs.map { OperatorInput(TensorType($0.shape)) }))
    let answer = try layer.reference(inputs)[0]
    let candidate = try #require(
      try layer.candidates.first {
        try KernelTrial().takes(
          $0, inputs: inputs.map(\.type), constants: constants, outputs: types)
      })
    for form in Form.all where form.storage == .float32 {
      let outputs = try #require(
        try form.trial.run(candidate, inputs: inputs, constants: constants, outputs: types))
      let comparison = Comparison(outputs[0], to: answer)
      #expect(comparison.error <= 2e-5, "\(form.testDescription): \(comparison)")
    }
  }

  static let activations: [ActivationFunction] = [
    .reLU, .leakyReLU(alpha: 0.2), .tanh, .elu(alpha: 1), .sigmoid,
  ]

  @Test("A fused instance norm applies its activation", arguments: activations)
  func instanceActivation(activation: ActivationFunction) throws {
    try check(
      FusedNorm(
        BatchNormOperator(channels: 19, statistics: .instance), epilogue: [.activation(activation)]),
      [tensor([2, 19, 7, 9], seed: 3), weights(19, seed: 1), weights(19, seed: 2)], variables: 1)
  }

  @Test("A fused instance norm adds its residual before the activation")
  func instanceResidual() throws {
    let layer = FusedNorm(
      BatchNormOperator(channels: 16, statistics: .instance),
      epilogue: [.residual(CropOperator.Offset()), .activation(.reLU)])
    try check(
      layer,
      [
        tensor([2, 16, 5, 6], seed: 3), weights(16, seed: 1), weights(16, seed: 2),
        tensor([2, 16, 5, 6], seed: 4),
      ])
  }

  @Test("A fused instance norm reads its scales and shifts from inputs")
  func instanceParameters() throws {
    var layer = FusedNorm(
      BatchNormOperator(channels: 16, statistics: .instance), epilogue: [.activation(.reLU)])
    let parameters = [tensor([1, 16, 1, 1], seed: 5), tensor([1, 16, 1, 1], seed: 6)]
    try check(layer, [tensor([2, 16, 5, 6], seed: 3)] + parameters)
    layer.epilogue.insert(.residual(CropOperator.Offset()), at: 0)
    try check(
      layer, [tensor([2, 16, 5, 6], seed: 3)] + parameters + [tensor([2, 16, 5, 6], seed: 4)])
    #expect(throws: EngineError.self) {
      try layer.outputTypes(
        for: [[2, 16, 5, 6], [1, 15, 1, 1], [1, 16, 1, 1], [2, 16, 5, 6]].map {
          OperatorInput(TensorType($0))
        })
    }
  }

  @Test("A fused matrix product applies its activation", arguments: activations)
  func productActivation(activation: ActivationFunction) throws {
    try check(
      FusedProduct(.ofRows, [.activation(activation)]),
      [tensor([3, 6], seed: 3), tensor([4, 6], seed: 1), tensor([4], seed: 2)])
  }

  @Test("The per-channel form of a norm computes the same as the layer")
  func affine() throws {
    let layer = BatchNormOperator(channels: 3, statistics: .given)
    let input = tensor([1, 3, 1, 1], seed: 4)
    let parameters = (1...4).map { weights(3, seed: UInt64($0)) }
    let form = try #require(
      layer.affine(of: [nil] + parameters.map { Constant($0) }, channels: 3))
    let (scale, shift) = (try form.scale.floats(), try form.shift.floats())
    let affine = (0..<3).map { Double(scale[$0]) * input.values[$0] + Double(shift[$0]) }
    let comparison = Comparison(
      ReferenceTensor(input.shape, affine), to: try layer.reference([input] + parameters)[0])
    #expect(comparison.error <= 1e-6, "\(comparison)")
  }

  @Test("Instance norms, variable parameters and per-pixel parameters have no per-channel form")
  func noAffine() throws {
    let two = Constant([2], [1, 2])
    let instance = BatchNormOperator(channels: 2, statistics: .instance)
    #expect(instance.affine(of: [nil, two, two], channels: 2) == nil)
    let given = BatchNormOperator(channels: 2, statistics: .given)
    #expect(given.affine(of: [nil, nil, two, two, two], channels: 2) == nil)
    #expect(given.affine(of: [nil, two, two, two, two], channels: 2) != nil)
    let bias = BiasOperator()
    #expect(bias.affine(of: [nil, Constant([1, 1, 2], [1, 2])], channels: 1) == nil)
    #expect(bias.affine(of: [nil, Constant([2, 1, 1], [1, 2])], channels: 3) == nil)
    let stretched = ScaleOperator().affine(of: [nil, Constant([1, 1, 1], [2])], channels: 3)
    #expect(try stretched?.scale.floats() == [2, 2, 2])
  }

  @Test("Norms with equal parameters share the constant of their per-channel form")
  func sameForm() throws {
    let parameters = (1...4).map { Constant(weights(3, seed: UInt64($0))) }
    let layer = BatchNormOperator(channels: 3, statistics: .given)
    let (one, other) = (
      layer.affine(of: [nil] + parameters, channels: 3),
      layer.affine(of: [nil] + parameters, channels: 3)
    )
    #expect(one?.scale.identity == other?.scale.identity)
    #expect(one?.shift.identity == other?.shift.identity)
    #expect(one?.scale.identity != one?.shift.identity)
    let looser = BatchNormOperator(channels: 3, statistics: .given, epsilon: 0.5)
    let third = looser.affine(of: [nil] + parameters, channels: 3)
    #expect(third?.scale.identity != one?.scale.identity)
  }
}
