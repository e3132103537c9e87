import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

/// Activations, inputs and weights that the samples of recurrent layers share.
private enum RecurrentSampleParts {
  static let sigmoid: Spec.ActivationParams = .making { $0.nonlinearityType = .sigmoid(.init()) }
  static let tanh: Spec.ActivationParams = .making { $0.nonlinearityType = .tanh(.init()) }
  static let hard: Spec.ActivationParams = .making {
    $0.nonlinearityType = .sigmoidHard(.init())
  }
  static let scaled: Spec.ActivationParams = .making {
    $0.nonlinearityType = .scaledTanh(.init())
  }
  static let linear: Spec.ActivationParams = .making { $0.nonlinearityType = .linear(.init()) }
  static let relu: Spec.ActivationParams = .making { $0.nonlinearityType = .reLU(.init()) }

  static let sequence: (Shape, OperatorSample.Fill) = (
    [3, 1, 2, 1, 1], .values([0.81, 0.15, -0.99, 0.23, -0.35, 0.05])
  )

  static func state(_ values: [Double]) -> (Shape, OperatorSample.Fill) {
    ([1, 1, 2, 1, 1], .values(values))
  }

  /// Returns the weights of an LSTM in PyTorch's order: input, forget, block and output gate.
  static func lstm(_ matrix: [Float], _ recursion: [Float], _ bias: [Float])
    -> Spec.LSTMWeightParams
  {
    func rows(_ values: [Float], _ gate: Int) -> Spec.WeightParams {
      let length: Int = values.count / 4
      return Spec.WeightParams(Array(values[gate * length..<(gate + 1) * length]))
    }
    return .making {
      $0.inputGateWeightMatrix = rows(matrix, 0)
      $0.forgetGateWeightMatrix = rows(matrix, 1)
      $0.blockInputWeightMatrix = rows(matrix, 2)
      $0.outputGateWeightMatrix = rows(matrix, 3)
      $0.inputGateRecursionMatrix = rows(recursion, 0)
      $0.forgetGateRecursionMatrix = rows(recursion, 1)
      $0.blockInputRecursionMatrix = rows(recursion, 2)
      $0.outputGateRecursionMatrix = rows(recursion, 3)
      $0.inputGateBiasVector = rows(bias, 0)
      $0.forgetGateBiasVector = rows(bias, 1)
      $0.blockInputBiasVector = rows(bias, 2)
      $0.outputGateBiasVector = rows(bias, 3)
    }
  }

  static let ahead: Spec.LSTMWeightParams = lstm(
    [
      -0.17, 0.44, -1, -0.4, -0.71, -0.82, -0.63, -0.31, -0.21, 0.08, -0.16, 0.37, -0.59, 0.76,
      -0.95, 0.34,
    ],
    [
      -0.17, 0.12, -0.72, -0.6, 0.6, 0.94, -0.37, 0.38, 0.75, 0.79, -0.83, -0.92, -0.66, 0.76, -0.8,
      -0.16,
    ],
    [0.92, 0.07, 0.38, -0.37, 0.37, 0.67, -0.96, 0.5])

  static let back: Spec.LSTMWeightParams = lstm(
    [
      -0.42, -0.74, -0.96, 0.36, -0.58, -0.47, -0.02, -0.89, 0.15, -0.71, 0.18, 0.4, -0.8, -0.17,
      0.39, -0.17,
    ],
    [
      -0.9, 0.07, 0.33, 0.03, 0.89, 0.17, 0.81, -0.73, -0.72, 0.61, -0.2, -0.67, 0.86, -0.3, 0.5,
      0.45,
    ],
    [0.77, 0.25, 0.5, -0.3, -0.46, 0.79, -0.14, 0.93])
}

extension UniDirectionalLSTMOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`LSTM`).
  public static var samples: [OperatorSample] {
    typealias Parts = RecurrentSampleParts
    let states: [(Shape, OperatorSample.Fill)] = [
      Parts.sequence, Parts.state([0.77, -0.29]), Parts.state([-0.97, 0.86]),
    ]
    let last = ReferenceTensor([1, 1, 2, 1, 1], [0.25541553, 0.25113697])
    return [
      OperatorSample(
        "a sequence with states", layer(outputs: 3, sequence: true), mapping: .rank5,
        inputs: states,
        expected: [
          ReferenceTensor(
            [3, 1, 2, 1, 1],
            [-0.013167338, 0.071456051, 0.15732568, 0.45671557, 0.25541553, 0.25113697]),
          last, ReferenceTensor([1, 1, 2, 1, 1], [0.80171005, 0.40259588]),
        ], tolerance: .accumulation),
      OperatorSample(
        "the last output alone", layer(outputs: 1, sequence: false), mapping: .rank5,
        inputs: states, expected: [last], tolerance: .accumulation),
      // The states have rows for three sequences. The batch has only one sequence, and this sequence uses the first
      // row.
      OperatorSample(
        "states with more rows than the batch", layer(outputs: 3, sequence: false), mapping: .rank5,
        inputs: [
          Parts.sequence, ([1, 3, 2, 1, 1], .values([0.77, -0.29, 9, 9, 9, 9])),
          ([1, 3, 2, 1, 1], .values([-0.97, 0.86, 9, 9, 9, 9])),
        ],
        expected: [last, last, ReferenceTensor([1, 1, 2, 1, 1], [0.80171005, 0.40259588])],
        tolerance: .accumulation),
      OperatorSample(
        "all options, reversed",
        layer(outputs: 3, sequence: true, reversed: true) {
          ($0.forgetBias, $0.hasPeepholeVectors, $0.cellClipThreshold) = (true, true, 0.3)
        }, inputs: [[4, 3, 2, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "coupled gates without biases",
        layer(outputs: 2, sequence: true) {
          ($0.coupledInputAndForgetGate, $0.hasBiasVectors) = (true, false)
        }, inputs: [[4, 3, 2, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "37 units of 19 inputs, all options", .wideLSTM(inputs: 19, units: 37, isPlain: false),
        inputs: [[6, 6, 19, 1, 1], [1, 6, 37, 1, 1], [1, 6, 37, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "160 units, alone", .wideLSTM(inputs: 64, units: 160, isPlain: true),
        inputs: [[9, 1, 64, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "another vector size", layer(outputs: 1, sequence: true), inputs: [[3, 1, 4, 1, 1]],
        failure: "expected [sequence, batch, 2, 1, 1]"),
      OperatorSample(
        "states with fewer rows than the batch", layer(outputs: 1, sequence: true),
        inputs: [[3, 2, 2, 1, 1], [1, 1, 2, 1, 1], [1, 1, 2, 1, 1]],
        failure: "a state has the shape 1 × 1 × 2 × 1 × 1, expected 1 × 2 × 2 × 1 × 1"),
      OperatorSample(
        "half of the states", layer(outputs: 1, sequence: true),
        inputs: [[3, 1, 2, 1, 1], [1, 1, 2, 1, 1]], failure: "the layer has 2 inputs"),
    ]
  }

  private static func layer(
    outputs: Int, sequence: Bool, reversed: Bool = false,
    _ options: (inout Spec.LSTMParams) -> Void = { _ in }
  ) -> Spec.NeuralNetworkLayer {
    typealias Parts = RecurrentSampleParts
    var weights: Spec.LSTMWeightParams = Parts.ahead
    weights.inputGatePeepholeVector = Spec.WeightParams([0.1, -0.2])
    weights.forgetGatePeepholeVector = Spec.WeightParams([0.3, 0.4])
    weights.outputGatePeepholeVector = Spec.WeightParams([-0.5, 0.6])
    var parameters: Spec.LSTMParams = .making {
      ($0.sequenceOutput, $0.hasBiasVectors) = (sequence, true)
    }
    options(&parameters)
    return Spec.NeuralNetworkLayer(
      .uniDirectionalLSTM(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize, $0.reverseInput) = (2, 2, reversed)
          $0.activations = [Parts.sigmoid, Parts.tanh, Parts.tanh]
          $0.params = parameters
          $0.weightParams = weights
        }), outputs: outputs)
  }
}

extension BiDirectionalLSTMOperator: SampledOperator {
  /// Literal answers were computed with PyTorch 2 (`LSTM`, bidirectional).
  public static var samples: [OperatorSample] {
    typealias Parts = RecurrentSampleParts
    let states: [(Shape, OperatorSample.Fill)] = [
      Parts.sequence, Parts.state([0.77, -0.29]), Parts.state([-0.97, 0.86]),
      Parts.state([0.82, 0.25]), Parts.state([0.38, 0.99]),
    ]
    return [
      OperatorSample(
        "a sequence with states", layer(outputs: 5, sequence: true), mapping: .rank5,
        inputs: states,
        expected: [
          ReferenceTensor(
            [3, 1, 4, 1, 1],
            [
              -0.013167338, 0.071456051, -0.057460073, 0.29759135, 0.15732568, 0.45671557,
              -0.2064636, 0.31107671, 0.25541553, 0.25113697, -0.06792291, 0.52645443,
            ]),
          ReferenceTensor([1, 1, 2, 1, 1], [0.25541553, 0.25113697]),
          ReferenceTensor([1, 1, 2, 1, 1], [0.80171005, 0.40259588]),
          ReferenceTensor([1, 1, 2, 1, 1], [-0.057460073, 0.29759135]),
          ReferenceTensor([1, 1, 2, 1, 1], [-0.23145081, 0.40268619]),
        ], tolerance: .accumulation),
      OperatorSample(
        "the last outputs", layer(outputs: 1, sequence: false), mapping: .rank5, inputs: states,
        expected: [
          ReferenceTensor(
            [1, 1, 4, 1, 1], [0.25541553, 0.25113697, -0.057460073, 0.29759135])
        ], tolerance: .accumulation),
      OperatorSample(
        "a batch without states", layer(outputs: 1, sequence: true), inputs: [[5, 3, 2, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "33 units in both directions", .wideBidirectional(inputs: 10, units: 33),
        inputs: [[5, 6, 10, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "weights for only one direction", layer(outputs: 1, sequence: true, directions: 1),
        inputs: [[5, 3, 2, 1, 1]], failure: "weightParams has 1 entries, expected 2"),
    ]
  }

  private static func layer(outputs: Int, sequence: Bool, directions: Int = 2)
    -> Spec.NeuralNetworkLayer
  {
    typealias Parts = RecurrentSampleParts
    let activations: [Spec.ActivationParams] = [Parts.sigmoid, Parts.tanh, Parts.tanh]
    return Spec.NeuralNetworkLayer(
      .biDirectionalLSTM(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (2, 2)
          $0.activationsForwardLSTM = activations
          $0.activationsBackwardLSTM = activations
          $0.params = .making { ($0.sequenceOutput, $0.hasBiasVectors) = (sequence, true) }
          $0.weightParams = Array([Parts.ahead, Parts.back].prefix(directions))
        }), outputs: outputs)
  }
}

extension GRUOperator: SampledOperator {
  /// Literal answers were computed with ONNX Runtime (`GRU`, `linear_before_reset` 0).
  public static var samples: [OperatorSample] {
    typealias Parts = RecurrentSampleParts
    let sequence: [(Shape, OperatorSample.Fill)] = [
      ([3, 1, 2, 1, 1], .values([-0.06, -0.6, 0.28, -0.03, 0.01, -0.23]))
    ]
    return [
      OperatorSample(
        "a sequence", layer([Parts.sigmoid, Parts.tanh], outputs: 2, sequence: true),
        mapping: .rank5, inputs: sequence,
        expected: [
          ReferenceTensor(
            [3, 1, 2, 1, 1],
            [-0.13501659, -0.14643459, -0.41078162, -0.16682317, -0.40209917, -0.20097216]),
          ReferenceTensor([1, 1, 2, 1, 1], [-0.40209917, -0.20097216]),
        ], tolerance: .accumulation),
      OperatorSample(
        "the last output with a state, reversed",
        layer([Parts.hard, Parts.scaled], outputs: 1, sequence: false, reversed: true),
        inputs: [[3, 2, 2, 1, 1], [1, 2, 2, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "21 units in a batch of five", .wideGRU(inputs: 9, units: 21),
        inputs: [[7, 5, 9, 1, 1], [1, 5, 21, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "200 units", .wideGRU(inputs: 30, units: 200), inputs: [[4, 2, 30, 1, 1]],
        tolerance: .accumulation),
      OperatorSample(
        "one activation", layer([Parts.tanh], outputs: 1, sequence: true),
        inputs: [[3, 1, 2, 1, 1]], failure: "activations has 1 entries, expected 2"),
    ]
  }

  private static func layer(
    _ activations: [Spec.ActivationParams], outputs: Int, sequence: Bool, reversed: Bool = false
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .gru(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (2, 2)
          $0.activations = activations
          ($0.sequenceOutput, $0.hasBiasVectors, $0.reverseInput) = (sequence, true, reversed)
          $0.updateGateWeightMatrix = Spec.WeightParams([-0.13, -0.95, 0.1, -0.13])
          $0.resetGateWeightMatrix = Spec.WeightParams([-0.16, -0.34, -0.59, 0.24])
          $0.outputGateWeightMatrix = Spec.WeightParams([-0.4, -0.47, 0.24, 0.06])
          $0.updateGateRecursionMatrix = Spec.WeightParams([-0.73, 0.03, -0.63, 0.57])
          $0.resetGateRecursionMatrix = Spec.WeightParams([0.71, -0.01, 0.69, -0.84])
          $0.outputGateRecursionMatrix = Spec.WeightParams([0.01, -0.87, -0.14, -0.81])
          $0.updateGateBiasVector = Spec.WeightParams([-0.75, 0.19])
          $0.resetGateBiasVector = Spec.WeightParams([-0.55, -0.79])
          $0.outputGateBiasVector = Spec.WeightParams([-0.56, -0.3])
        }), outputs: outputs)
  }
}

extension SimpleRecurrentOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    typealias Parts = RecurrentSampleParts
    return [
      OperatorSample(
        "a running sum", layer(Parts.linear, outputs: 2, sequence: true), mapping: .rank5,
        inputs: [([3, 1, 1, 1, 1], .values([1, 2, 3]))],
        expected: [
          ReferenceTensor([3, 1, 1, 1, 1], [3, 8, 15]), ReferenceTensor([1, 1, 1, 1, 1], [15]),
        ]),
      OperatorSample(
        "sums are clipped", layer(Parts.relu, outputs: 1, sequence: false), mapping: .rank5,
        inputs: [([2, 1, 1, 1, 1], .values([20, 20])), ([1, 1, 1, 1, 1], .values([5]))],
        expected: [ReferenceTensor([1, 1, 1, 1, 1], [50])]),
      OperatorSample(
        "reversed", layer(Parts.linear, outputs: 1, sequence: true, reversed: true),
        inputs: [([3, 1, 1, 1, 1], .values([1, 2, 3]))],
        expected: [ReferenceTensor([3, 1, 1, 1, 1], [7, 12, 15])]),
      OperatorSample(
        "50 units in a batch of nine", .wideSimple(inputs: 12, units: 50),
        inputs: [[8, 9, 12, 1, 1]], tolerance: .accumulation),
      OperatorSample(
        "no activation", layer(nil, outputs: 1, sequence: true), inputs: [[3, 1, 1, 1, 1]],
        failure: "an activation is missing"),
      OperatorSample(
        "an empty sequence", layer(Parts.linear, outputs: 1, sequence: true),
        inputs: [[0, 1, 1, 1, 1]], failure: "the sequence is empty"),
    ]
  }

  /// Creates a layer that computes `y = f(2 x + y + 1)`. The `y` on the right is from the previous step.
  private static func layer(
    _ activation: Spec.ActivationParams?, outputs: Int, sequence: Bool, reversed: Bool = false
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .simpleRecurrent(
        .making {
          ($0.inputVectorSize, $0.outputVectorSize) = (1, 1)
          $0.activation = activation
          ($0.sequenceOutput, $0.hasBiasVector, $0.reverseInput) = (sequence, true, reversed)
          $0.weightMatrix = Spec.WeightParams([2])
          $0.recursionMatrix = Spec.WeightParams([1])
          $0.biasVector = Spec.WeightParams([1])
        }), outputs: outputs)
  }
}
