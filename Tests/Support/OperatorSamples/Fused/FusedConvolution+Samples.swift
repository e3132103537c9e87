import CPUBackend
import Graph
import Operators

extension FusedConvolution: SampledOperator {
  private typealias Pair = ConvolutionOperator.Pair

  public static var samples: [OperatorSample] {
    epilogueSamples + roundingSamples + statisticsSamples + normSamples
  }

  /// Convolutions with roundings to float16. Sums of these integers are exact in `float32`, but `float16` holds only
  /// some of them.
  private static var roundingSamples: [OperatorSample] {
    func sample(
      _ name: String, _ convolution: FusedConvolution, _ shape: Shape, _ epilogue: [Epilogue]
    ) -> OperatorSample {
      var convolution: FusedConvolution = convolution
      convolution.epilogue = epilogue
      convolution.core.hasBias = true
      let channels: Int = convolution.core.outputChannels
      return OperatorSample(
        name, derived: convolution, inputs: [(shape, .integers(-60...60))],
        constants: [
          (convolution.core.weightShape, .integers(-60...60)), ([channels], .integers(-60...60)),
        ])
    }
    func grouped(_ channels: Int, _ perGroup: Int) -> FusedConvolution {
      FusedConvolution(
        ConvolutionOperator(
          outputChannels: channels, kernelChannels: perGroup, groups: channels / perGroup,
          kernel: Pair(3, 3), padding: .same(topLeftHeavy: false)))
    }
    let clip: [Epilogue] = [.rounding, .clip(ceiling: 6000.3), .rounding]
    return [
      sample("a rounding, 1 × 1", plain(20, 33, 1), [2, 33, 7, 5], [.rounding]),
      sample(
        "a rounding and a ReLU, 1 × 1", plain(64, 16, 1), [1, 16, 9, 9],
        [.rounding, .activation(.reLU)]),
      sample("a clip between roundings, depthwise", grouped(32, 1), [1, 32, 9, 9], clip),
      sample("a clip between roundings, in groups", grouped(32, 2), [1, 32, 9, 9], clip),
      sample(
        "a hard swish with a gate in float16", plain(64, 16, 1), [1, 16, 9, 9],
        [.rounding, .hardSwish(HardSwish(alpha: 0x1p-11, beta: 0.5, roundsGate: true)), .rounding]),
      sample("a rounding, 3 × 3 to 3", plain(3, 5), [1, 5, 12, 13], [.rounding]),
      sample("a rounding, a row of 300 pixels", plain(16, 8), [1, 8, 1, 300], [.rounding]),
      sample("a rounding, transposed", transposed, [1, 16, 9, 8], [.rounding]),
    ]
  }

  private static func plain(_ output: Int, _ input: Int, _ kernel: Int = 3) -> FusedConvolution {
    FusedConvolution(
      ConvolutionOperator(
        outputChannels: output, kernelChannels: input, kernel: Pair(kernel, kernel),
        padding: .same(topLeftHeavy: false)))
  }

  private static var upsampled: FusedConvolution {
    var convolution: FusedConvolution = plain(16, 16)
    convolution.core.padding = .valid(top: 1, left: 1, bottom: 1, right: 1)
    convolution.upsampling = 2
    return convolution
  }

  private static var transposed: FusedConvolution {
    var convolution: FusedConvolution = plain(5, 16)
    (convolution.core.isDeconvolution, convolution.core.stride) = (true, Pair(2, 2))
    return convolution
  }

  /// Returns an instance norm that reads its statistics.
  private static func norm(_ channels: Int, epsilon: Float, activation: ActivationFunction?)
    -> FusedNorm
  {
    FusedNorm(
      BatchNormOperator(channels: channels, statistics: .instance, epsilon: epsilon),
      epilogue: activation.map { [.activation($0)] } ?? [], readsStatistics: true)
  }

  /// Convolutions with an epilogue. The literal answers were computed by hand.
  private static var epilogueSamples: [OperatorSample] {
    func sample(
      _ name: String, _ convolution: FusedConvolution, _ shape: Shape, _ epilogue: [Epilogue],
      residual: Shape? = nil, failure: String? = nil
    ) -> OperatorSample {
      var convolution: FusedConvolution = convolution
      convolution.epilogue = epilogue
      convolution.core.hasBias = true
      let channels: Int = convolution.core.outputChannels
      var constants: [(Shape, OperatorSample.Fill)] = []
      if epilogue.contains(.factors) {
        constants = [([channels], .uniform(-2...2)), ([channels], .uniform(-1...1))]
      }
      let inputs: [(Shape, OperatorSample.Fill)] = [
        (shape, .uniform(-1...1)), (convolution.core.weightShape, .uniform(-0.5...0.5)),
        ([channels], .uniform(-1...1)),
      ]
      return OperatorSample(
        name, derived: convolution,
        inputs: inputs + (residual.map { [($0, .uniform(-1...1))] } ?? []), constants: constants,
        failure: failure, tolerance: .accumulation)
    }
    let offset = CropOperator.Offset(top: 1, left: 2)
    var literal: FusedConvolution = plain(2, 1, 1)
    literal.epilogue = [.residual(offset), .clip(ceiling: 6), .factors]
    return [
      // Sums 1, 2, −1, −2; with the residual 4, 7, 0, −9; clipped 4, 6, 0, 0; times 2 and −1, plus 1 and 0.5.
      OperatorSample(
        "a residual, then a clip, then factors", derived: literal,
        inputs: [
          ([1, 1, 1, 2], .values([1, 2])), ([2, 1, 1, 1], .values([1, -1])),
          ([1, 2, 2, 4], .values([0, 0, 0, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 1, -7])),
          ([2], .values([2, -1])), ([2], .values([1, 0.5])),
        ],
        expected: [ReferenceTensor([1, 2, 1, 2], [9, 13, 0.5, 0.5])]),
      sample("a ReLU with a ceiling", plain(32, 16), [1, 16, 12, 13], [.clip(ceiling: 3)]),
      sample("a sigmoid, 9 × 9 to 3", plain(3, 8, 9), [1, 8, 15, 21], [.activation(.sigmoid)]),
      sample("an ELU, transposed", transposed, [1, 16, 9, 8], [.activation(.elu(alpha: 0.5))]),
      // 7, 10 and 5 vectors of output channels, in even panels.
      sample("a clip, 112 outputs", plain(112, 24, 1), [1, 24, 14, 14], [.clip(ceiling: 1)]),
      sample(
        "a hard swish, 160 outputs", plain(160, 24, 1), [1, 24, 7, 7], [.hardSwish(.standard)]),
      sample("a ReLU, 72 outputs", plain(72, 24, 1), [2, 24, 5, 7], [.activation(.reLU)]),
      sample("a hard swish, 1 × 1", plain(32, 16, 1), [1, 16, 9, 8], [.hardSwish(.standard)]),
      sample(
        "a hard swish with another gate", plain(32, 16), [1, 16, 9, 8],
        [.hardSwish(HardSwish(alpha: 0.3, beta: 0.4))]),
      sample("factors after a tanh", plain(3, 32), [1, 32, 9, 8], [.activation(.tanh), .factors]),
      sample("factors alone", plain(5, 32), [2, 32, 9, 8], [.factors]),
      sample(
        "a cropped residual, then a ReLU", plain(16, 16), [1, 16, 12, 14],
        [.residual(offset), .activation(.reLU)], residual: [1, 16, 15, 16]),
      sample("a ReLU, upsampled", upsampled, [1, 16, 11, 12], [.activation(.reLU)]),
      sample(
        "steps in an order that no kernel has", plain(4, 8), [1, 8, 6, 7], [.factors, .swish]),
      sample(
        "a residual that is too small", plain(16, 16), [1, 16, 12, 14], [.residual(offset)],
        residual: [1, 16, 12, 16],
        failure: "the residual is 1 × 16 × 12 × 16, too small to be added to 1 × 16 × 12 × 14"),
    ]
  }

  /// Convolutions that compute statistics of their results.
  private static var statisticsSamples: [OperatorSample] {
    func sample(
      _ name: String, _ convolution: FusedConvolution, _ shape: Shape,
      residual: Shape? = nil
    ) -> OperatorSample {
      var convolution: FusedConvolution = convolution
      convolution.takesStatistics = true
      convolution.epilogue = residual == nil ? [] : [.residual(CropOperator.Offset())]
      return OperatorSample(
        name, derived: convolution,
        inputs: [(shape, .uniform(-1...1)), (convolution.core.weightShape, .uniform(-0.5...0.5))]
          + (residual.map { [($0, .uniform(-1...1))] } ?? []),
        outputs: 2, tolerance: .accumulation)
    }
    var literal = FusedConvolution(
      ConvolutionOperator(outputChannels: 1, kernelChannels: 1, kernel: Pair(2, 2)))
    literal.takesStatistics = true
    return [
      OperatorSample(
        "statistics of four sums", derived: literal,
        inputs: [
          ([1, 1, 3, 3], .values([1, 2, 3, 4, 5, 6, 7, 8, 9])),
          ([1, 1, 2, 2], .values([1, 1, 1, 1])),
        ],
        outputs: 2,
        expected: [
          ReferenceTensor([1, 1, 2, 2], [12, 16, 24, 28]),
          ReferenceTensor([1, 1, 2, 1], [20, 160]),
        ]),
      sample("statistics of several blocks, batch of 2", plain(32, 16), [2, 16, 21, 23]),
      sample("statistics, 9 × 9", plain(16, 3, 9), [1, 3, 30, 31]),
      sample("statistics, upsampled", upsampled, [1, 16, 13, 12]),
      sample("statistics, transposed", transposed, [1, 16, 9, 8]),
      sample(
        "statistics after a residual", plain(16, 16), [1, 16, 12, 14], residual: [1, 16, 12, 14]),
      sample(
        "statistics of a depthwise convolution",
        FusedConvolution(ConvolutionOperator(outputChannels: 16, kernelChannels: 1, groups: 16)),
        [1, 16, 9, 9]),
    ]
  }

  /// Convolutions that apply an instance norm to their input.
  private static var normSamples: [OperatorSample] {
    func sample(
      _ name: String, _ convolution: FusedConvolution, _ shape: Shape, blocks: Int = 1,
      activation: ActivationFunction? = .reLU, residual: Shape? = nil,
      takesStatistics: Bool = false,
      failure: String? = nil
    ) -> OperatorSample {
      var convolution: FusedConvolution = convolution
      let channels: Int = shape[-3]
      convolution.inputNorm = norm(channels, epsilon: 1e-3, activation: activation)
      convolution.epilogue = residual == nil ? [] : [.residual(CropOperator.Offset())]
      convolution.takesStatistics = takesStatistics
      let pictures: Int = shape.rank > 3 ? shape[0] : 1
      var inputs: [(Shape, OperatorSample.Fill)] = [
        (shape, .uniform(-3...5)), (convolution.core.weightShape, .uniform(-0.5...0.5)),
      ]
      inputs += residual.map { [($0, .uniform(-1...1))] } ?? []
      inputs += [
        ([channels], .uniform(0.5...1.5)), ([channels], .uniform(-1...1)),
        ([pictures, blocks, 2, channels], .values(statistics(pictures * blocks, channels))),
      ]
      return OperatorSample(
        name, derived: convolution, inputs: inputs, outputs: takesStatistics ? 2 : 1,
        failure: failure, tolerance: .accumulation)
    }
    /// Returns statistics for each block: means close to 1, and sums of squared deviations of several hundred values.
    func statistics(_ blocks: Int, _ channels: Int) -> [Double] {
      var generator = SplitMix64(seed: 5)
      return (0..<blocks).flatMap { _ in
        (0..<channels).map { _ in Double(Float(generator.uniform(0...2))) }
          + (0..<channels).map { _ in Double(Float(generator.uniform(200...900))) }
      }
    }
    var literal = plain(1, 1)
    literal.core.padding = .valid(top: 0, left: 1, bottom: 0, right: 0)
    literal.core.kernel = Pair(1, 2)
    literal.inputNorm = norm(1, epsilon: 0, activation: .reLU)
    var strided: FusedConvolution = plain(32, 16)
    strided.core.stride = Pair(2, 2)
    return [
      // The norm (x − mean) / deviation · γ + β is (x − 2) / 1 · 2 − 1. For x = 1, 2 and 3, it is −3, −1 and 1, and the
      // ReLU gives 0, 0 and 1. The padding beside these values is zero.
      OperatorSample(
        "a norm before the convolution: padding stays zero", derived: literal,
        inputs: [
          ([1, 1, 1, 3], .values([1, 2, 3])), ([1, 1, 1, 2], .values([10, 1])),
          ([1], .values([2])), ([1], .values([-1])), ([1, 1, 2, 1], .values([2, 3])),
        ],
        expected: [ReferenceTensor([1, 1, 1, 3], [0, 0, 1])]),
      sample("through a norm", plain(32, 16), [1, 16, 14, 17]),
      sample(
        "through a norm of several blocks, batch of 2, with statistics", plain(32, 32),
        [2, 32, 34, 37], blocks: 5, takesStatistics: true),
      sample(
        "through a norm without activation, 9 × 9 to 3", plain(3, 32, 9), [1, 32, 15, 21],
        blocks: 2, activation: nil),
      sample("through a norm, 9 × 9 of 5 channels", plain(16, 5, 9), [1, 5, 24, 25]),
      sample("through a norm, stride 2", strided, [1, 16, 15, 18]),
      sample("through a norm, upsampled", upsampled, [1, 16, 11, 12]),
      sample("through a norm, transposed", transposed, [1, 16, 9, 8]),
      sample("through a norm, 1 × 1", plain(20, 33, 1), [2, 33, 7, 5]),
      sample(
        "through a norm, with a residual", plain(16, 16), [1, 16, 12, 14],
        residual: [1, 16, 12, 14]),
      sample("through a norm and a sigmoid", plain(16, 16), [1, 16, 12, 14], activation: .sigmoid),
      sample(
        "through a norm with statistics of other blocks", plain(16, 16), [1, 16, 12, 14], blocks: 2,
        failure: "the statistics are 1 × 2 × 2 × 16, expected 1 × 1 × 2 × 16 of an instance norm"),
    ]
  }
}
