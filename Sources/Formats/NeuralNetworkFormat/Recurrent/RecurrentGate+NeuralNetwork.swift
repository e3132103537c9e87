import Graph
import ModelFormat
import Operators

/// The weights of one gate as a layer has them.
struct GateMessage {
  /// What the fields' names begin with: `inputGate`; empty for the only gate of a layer.
  var name: String
  var matrix: Spec.WeightParams?
  var recursion: Spec.WeightParams?
  var bias: Spec.WeightParams?
  var peephole: Spec.WeightParams?

  /// The name of a field: `inputGateBiasVector`, `biasVector`.
  func field(_ suffix: String) -> String {
    name.isEmpty ? suffix.prefix(1).lowercased() + suffix.dropFirst() : name + suffix
  }
}

extension LayerDecoder {
  /// The lengths of the vectors that come in and go out.
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

  /// Whether states follow the sequence; there are all of them or none.
  func takesStates(_ count: Int) throws -> Bool {
    guard inputCount == 1 || inputCount == 1 + count else {
      throw invalid(
        "the layer has \(inputCount) inputs, expected the sequence alone or with \(count) states.")
    }
    return inputCount > 1
  }

  /// The number of outputs that the model names; throws when the layer has not so many.
  func outputCount(_ range: ClosedRange<Int>) throws -> Int {
    guard range.contains(outputCount) else {
      throw invalid(
        "the layer names \(outputCount) outputs, expected \(range.lowerBound) to "
          + "\(range.upperBound).")
    }
    return outputCount
  }

  /// The weights of gates in the order in which recurrent operators read them; `prefix` tells two directions
  /// apart.
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
  /// Throws where sums are kept within other bounds than those of all layers, and the functions show it.
  func requireSumBound(_ bound: Double, _ functions: RecurrentActivation...) throws {
    guard RecurrentActivation.hidesLayerBound(bound, functions) else {
      throw EngineError(
        .unsupported,
        "sums are kept within ±\(bound), which no layer can say; it keeps them within ±50.")
    }
  }

  /// The weights of gates from where they stand; `peepholes` names the gates that have such.
  mutating func gates(_ weights: RecurrentWeights, peepholes: [Int] = []) throws -> [GateMessage] {
    var result: [GateMessage] = []
    for gate in 0..<weights.gates {
      var message = GateMessage(name: "")
      message.matrix = try self.weights(weights.matrices[gate], "weights of a gate")
      message.recursion = try self.weights(weights.recursions[gate], "weights of a gate")
      if weights.hasBiases { message.bias = try self.weights(weights.biases[gate], "biases") }
      if let place = peepholes.firstIndex(of: gate), weights.peepholeCount > 0 {
        message.peephole = try self.weights(weights.peepholes[place], "peepholes")
      }
      result.append(message)
    }
    return result
  }

  /// The lengths of the vectors that come in and go out, by the shape of the first matrix.
  func recurrentSizes(_ weights: RecurrentWeights) -> (input: UInt64, output: UInt64) {
    let shape: Shape = constants[weights.first]?.shape ?? [0, 0]
    return (UInt64(shape[1]), UInt64(shape[0]))
  }
}

extension RecurrentActivation {
  /// The largest magnitude of a sum in a layer of a NeuralNetwork.
  static let layerBound: Double = 50

  /// Whether sums within another bound come out of the functions as those within a layer's do.
  static func hidesLayerBound(_ bound: Double, _ functions: [RecurrentActivation]) -> Bool {
    bound == layerBound || functions.allSatisfy { $0.isFlat(beyond: min(bound, layerBound)) }
  }
}

extension Graph {
  /// Spells recurrent operators that no layer says as loops: gates whose reset comes after the recursion, sums
  /// within other bounds where the functions show them, functions whose factors a layer takes for its defaults.
  mutating func spellRecurrencesForLayers() {
    func isSaid(_ bound: Double, _ functions: RecurrentActivation...) -> Bool {
      RecurrentActivation.hidesLayerBound(bound, functions)
        && functions.allSatisfy { (try? $0.message()) != nil }
    }
    spellRecurrences { operation in
      switch operation {
      case let network as SimpleRecurrentOperator:
        !isSaid(network.sumBound, network.activation)
      case let units as GRUOperator:
        units.reset != .output || !isSaid(units.sumBound, units.gateActivation, units.activation)
      case let memory as UniDirectionalLSTMOperator:
        !isSaid(memory.cell.sumBound, memory.cell.gateActivation, memory.cell.blockActivation)
          || (try? memory.cell.outputActivation.message()) == nil
      default: false
      }
    }
  }
}
