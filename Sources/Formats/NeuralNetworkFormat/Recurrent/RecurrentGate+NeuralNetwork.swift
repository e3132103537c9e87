import Graph
import ModelFormat
import Operators

/// The weights of one gate in a layer's message.
struct GateMessage {
  /// The prefix of the gate's field names, such as `inputGate`. Empty if the layer has only one gate.
  var name: String
  /// The matrix that multiplies the input.
  var matrix: Spec.WeightParams?
  /// The matrix that multiplies the output of the previous step.
  var recursion: Spec.WeightParams?
  /// The bias, one number per unit.
  var bias: Spec.WeightParams?
  /// The peephole weights, one number per unit. They multiply the cell state.
  var peephole: Spec.WeightParams?

  /// Returns the name of a field, such as `inputGateBiasVector`, or `biasVector` if the layer has only one gate.
  func field(_ suffix: String) -> String {
    name.isEmpty ? suffix.prefix(1).lowercased() + suffix.dropFirst() : name + suffix
  }
}

extension LayerDecoder {
  /// Returns the lengths of the layer's input and output vectors.
  func recurrentSizes(_ input: UInt64, _ output: UInt64) throws -> (input: Int, output: Int) {
    let sizes = (
      input: try size(input, "inputVectorSize"), output: try size(output, "outputVectorSize")
    )
    guard sizes.input > 0, sizes.output > 0 else {
      throw invalid(
        "inputVectorSize is \(sizes.input) and outputVectorSize \(sizes.output), "
          + "expected at least 1 each.")
    }
    return sizes
  }

  /// Returns whether the layer has its initial states as inputs after the sequence. A layer has all `count` initial
  /// states as inputs, or none.
  func takesStates(_ count: Int) throws -> Bool {
    guard inputCount == 1 || inputCount == 1 + count else {
      throw invalid(
        "the layer has \(inputCount) inputs, expected the sequence alone or with \(count) states.")
    }
    return inputCount > 1
  }

  /// Returns the number of outputs that the layer's message lists. Throws if this number is not in `range`.
  func outputCount(_ range: ClosedRange<Int>) throws -> Int {
    guard range.contains(outputCount) else {
      throw invalid(
        "the layer names \(outputCount) outputs, expected \(range.lowerBound) to "
          + "\(range.upperBound).")
    }
    return outputCount
  }

  /// Returns the weights of gates in the order in which recurrent operators read them. `prefix` distinguishes the two
  /// directions of a bidirectional layer in the weights' names.
  func gates(
    _ gates: [GateMessage], _ sizes: (input: Int, output: Int), hasBiases: Bool,
    peepholes: [GateMessage] = [], prefix: String = ""
  ) throws -> [(role: String, value: Constant)] {
    var result: [(role: String, value: Constant)] = []
    func add(_ message: Spec.WeightParams?, _ shape: Shape, _ field: String) throws {
      result.append((prefix + field, try constant(message, shape: shape, field: field)))
    }
    for gate in gates {
      try add(gate.matrix, [sizes.output, sizes.input], gate.field("WeightMatrix"))
      try add(gate.recursion, [sizes.output, sizes.output], gate.field("RecursionMatrix"))
    }
    for gate in hasBiases ? gates : [] {
      try add(gate.bias, [sizes.output], gate.field("BiasVector"))
    }
    for gate in peepholes { try add(gate.peephole, [sizes.output], gate.field("PeepholeVector")) }
    return result
  }
}

extension LayerEncoder {
  /// Throws if a layer would give other results than the operator, because the layer clamps sums to another bound than
  /// the operator.
  func requireSumBound(_ bound: Double, _ functions: RecurrentActivation...) throws {
    guard RecurrentActivation.hidesLayerBound(bound, functions) else {
      throw EngineError(
        .unsupported,
        "sums are clamped to ±\(bound), which no layer can express; layers clamp them to ±50.")
    }
  }

  /// Returns the weights of each gate from the operator's inputs. `peepholes` lists the indices of the gates with
  /// peephole weights.
  mutating func gates(_ weights: RecurrentWeights, peepholes: [Int] = []) throws -> [GateMessage] {
    var result: [GateMessage] = []
    for gate in 0..<weights.gates {
      var message = GateMessage(name: "")
      message.matrix = try self.weights(weights.matrices[gate], "weights of a gate")
      message.recursion = try self.weights(weights.recursions[gate], "weights of a gate")
      if weights.hasBiases { message.bias = try self.weights(weights.biases[gate], "biases") }
      if let index = peepholes.firstIndex(of: gate), weights.peepholeCount > 0 {
        message.peephole = try self.weights(weights.peepholes[index], "peepholes")
      }
      result.append(message)
    }
    return result
  }

  /// Returns the lengths of the input and output vectors. The first matrix has the shape `[output, input]`.
  func recurrentSizes(_ weights: RecurrentWeights) -> (input: UInt64, output: UInt64) {
    let shape: Shape = constants[weights.first]?.shape ?? [0, 0]
    return (UInt64(shape[1]), UInt64(shape[0]))
  }
}

extension RecurrentActivation {
  /// The bound to which layers of a NeuralNetwork clamp sums.
  static let layerBound: Double = 50

  /// Returns whether the activation functions give the same results for sums clamped to `bound` and for sums clamped to
  /// a layer's bound.
  static func hidesLayerBound(_ bound: Double, _ functions: [RecurrentActivation]) -> Bool {
    bound == layerBound || functions.allSatisfy { $0.isFlat(beyond: min(bound, layerBound)) }
  }
}

extension Graph {
  /// Turns recurrent operators that no layer expresses into loops. Three kinds of operators become loops. The first
  /// kind are GRUs whose reset gate acts after the recurrent matrix product. The second kind are operators that clamp
  /// sums to another bound than layers do, if the bound changes the results of the activations. The third kind are
  /// operators whose activation parameters a layer would read as its defaults.
  mutating func decomposeRecurrencesForLayers() {
    func isExpressible(_ bound: Double, _ functions: RecurrentActivation...) -> Bool {
      RecurrentActivation.hidesLayerBound(bound, functions)
        && functions.allSatisfy { (try? $0.message()) != nil }
    }
    decomposeRecurrences { operation in
      switch operation {
      case let network as SimpleRecurrentOperator:
        !isExpressible(network.sumBound, network.activation)
      case let units as GRUOperator:
        units.reset != .output
          || !isExpressible(units.sumBound, units.gateActivation, units.activation)
      case let memory as UniDirectionalLSTMOperator:
        !isExpressible(
          memory.cell.sumBound, memory.cell.gateActivation, memory.cell.blockActivation)
          || (try? memory.cell.outputActivation.message()) == nil
      default: false
      }
    }
  }
}
