import Graph
import Operators

/// One number joined with all elements of a value.
enum ScalarStep {
  case add(Float)
  case multiply(Float)

  /// The step that a node is, and the value that it is taken of; nil for other nodes.
  static func of(_ node: Graph.Node, in graph: Graph) -> (step: ScalarStep, value: Graph.ValueID)? {
    guard let function = node.operation as? BinaryFunctionOperator else { return nil }
    if let number = function.number {
      return ScalarStep(function.function, number).map { ($0, node.inputs[0]) }
    }
    guard node.inputs.count == 2 else { return nil }
    for (kept, other) in [(0, 1), (1, 0)] {
      let value: Graph.ValueID = node.inputs[kept]
      guard let constant = graph[node.inputs[other]].constant, constant.count == 1,
        kept == 0 || function.function == .add || function.function == .multiply,
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

  /// What a value becomes; nil where its elements are no codes any more.
  func applied(_ known: CodedValue) -> CodedValue? {
    var result: CodedValue = known
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
