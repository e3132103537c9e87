import Engine
import Operators
import Testing

@Suite("Weights of inner products, embeddings and recurrent networks")
struct DensePackingTests {
  private func constant(_ shape: Shape, seed: UInt64) -> Constant {
    var generator = SplitMix64(seed: seed)
    return Constant(shape, (0..<shape.count).map { _ in Float(generator.uniform(-1...1)) })
  }

  /// Creates the kernels of an operator for several shapes of its first input. The kernels share one store of packed
  /// weights.
  private func kernels(
    _ operation: any Operator, _ shapes: [Shape], _ constants: [Constant], in store: PackedWeights
  ) throws -> [Kernel] {
    let candidate = try #require(
      operation.candidates.first {
        !$0.name.contains("stored") && !$0.name.hasSuffix(Form.ownTiles)
          && !$0.name.hasSuffix("with dynamic quantisation")
      })
    return try shapes.map { shape in
      let types: [TensorType] = [TensorType(shape)] + constants.map(\.type)
      let known = try #require(
        try operation.outputTypes(for: types.map { OperatorInput($0) }))
      let request = KernelRequest(
        name: "test", inputs: types.map { TensorDescriptor($0.shape) },
        constants: [nil] + constants, outputs: known, precision: .float32, threads: 1,
        weights: store)
      return try #require(try candidate.make(request))
    }
  }

  @Test("Weights are packed once for all input sizes, and not while a kernel is being chosen")
  func inputSizes() throws {
    let cases: [(any Operator, [Shape], [Constant], forms: Int)] = [
      (
        InnerProductOperator(), (33...42).map { [$0, 64] },
        [constant([96, 64], seed: 1), constant([96], seed: 2)], 2
      ),
      (
        EmbeddingNDOperator(), (1...10).map { [$0, 1] },
        [constant([7, 50], seed: 3), constant([7], seed: 4)], 1
      ),
      (
        SimpleRecurrentOperator(activation: .tanh, returnsSequence: true),
        (33...42).map { [$0, 1, 64, 1, 1] },
        [constant([20, 64], seed: 5), constant([20, 20], seed: 6), constant([20], seed: 7)], 3
      ),
    ]
    for (operation, shapes, constants, forms) in cases {
      let store = PackedWeights()
      let made: [Kernel] = try kernels(operation, shapes, constants, in: store)
      let all: [PackedWeight] = made.flatMap(\.weights)
      #expect(Set(all.map { ObjectIdentifier($0) }).count == forms, "\(type(of: operation))")
      #expect(!all.contains { $0.isPrepared })
      #expect(made.allSatisfy { $0.inputs.dropFirst().allSatisfy { $0 == nil } })
    }
  }

  @Test("Equal weights with different biases or shifts are packed separately")
  func differences() throws {
    let table = constant([7, 50], seed: 3)
    let store = PackedWeights()
    let plain: [Kernel] = try kernels(EmbeddingNDOperator(), [[2, 1]], [table], in: store)
    let shifted: [Kernel] = try kernels(
      EmbeddingNDOperator(), [[2, 1]], [table, constant([7], seed: 4)], in: store)
    #expect(plain[0].weights[0] !== shifted[0].weights[0])

    let weights: [Constant] = (0..<4).flatMap { gate in
      [constant([5, 3], seed: gate), constant([5, 5], seed: gate + 10)]
    }
    let cells = [false, true].map { LSTMCell(hasBiases: false, addsForgetBias: $0) }
    let walks: [Kernel] = try cells.flatMap { cell in
      try kernels(
        UniDirectionalLSTMOperator(cell, returnsSequence: true), [[4, 1, 3, 1, 1]], weights,
        in: store)
    }
    let shared: [Bool] = zip(walks[0].weights, walks[1].weights).map { $0 === $1 }
    #expect(shared == [true, false, true])
  }
}
