import Graph
import Operators

/// A step that adds one number to all elements of a value, or multiplies all elements by one number.
enum ScalarStep {
  case add(Float)
  case multiply(Float)

  /// Returns the step that a node computes, and the value to which the node applies it. Nil for other nodes.
  static func of(_ node: Graph.Node, in graph: Graph) -> (step: ScalarStep, value: Graph.ValueID)? {
    guard let function = node.operation as? BinaryFunctionOperator else { return nil }
    if let number = function.number {
      return ScalarStep(function.function, number).map { ($0, node.inputs[0]) }
    }
    guard node.inputs.count == 2 else { return nil }
    for (valueInput, numberInput) in [(0, 1), (1, 0)] {
      let value: Graph.ValueID = node.inputs[valueInput]
      guard let constant = graph[node.inputs[numberInput]].constant, constant.count == 1,
        valueInput == 0 || function.function == .add || function.function == .multiply,
        graph[value].type?.shape == graph[node.outputs[0]].type?.shape,
        let number = try? constant.floats()[0]
      else { continue }
      return ScalarStep(function.function, number).map { ($0, value) }
    }
    return nil
  }

  private init?(_ function: BinaryFunction, _ number: Float) {
    guard number.isFinite else { return nil }
    if function == .add {
      self = .add(number)
    } else if function == .subtract {
      self = .add(-number)
    } else if function == .multiply {
      self = .multiply(number)
    } else if function == .divide, number != 0 {
      self = .multiply(1 / number)
    } else {
      return nil
    }
  }

  /// Returns the description of a quantised value after this step. Nil if the result of the step is not quantised.
  func applied(_ known: QuantizedValue) -> QuantizedValue? {
    var result: QuantizedValue = known
    switch self {
    case .multiply(let factor):
      guard factor > 0 else { return nil }
      result.scale *= factor
      return result.scale.isFinite && result.scale > 0 ? result : nil
    case .add(let number):
      let steps: Float = number / known.scale
      guard abs(steps) < 65_536, abs(steps - steps.rounded()) < 1e-4 else { return nil }
      result.zero -= Int(steps.rounded())
      return result
    }
  }
}
