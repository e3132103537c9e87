import ModelFormat

/// Finds the constants of a program that are weights, and the axes of their channels, from the operations that read
/// them.
struct ProgramWeights {
  /// The axes of a constant's output and input channels. Negative axes count from the last axis, which is −1.
  struct Axes: Hashable {
    let output: Int
    let input: Int?
  }

  /// The axes of the channels, by the constants' names.
  private(set) var axes: [String: Axes] = [:]

  init(_ program: Spec.MILSpec.Program) {
    for function in program.functions.values {
      for block in function.blockSpecializations.values { collect(block) }
    }
  }

  private mutating func collect(_ block: Spec.MILSpec.Block) {
    for operation in block.operations {
      for (input, channels) in Self.weightInputs(of: operation) {
        for argument in operation.inputs[input]?.arguments ?? [] {
          if case .name(let name)? = argument.binding { axes[name] = axes[name] ?? channels }
        }
      }
      for inner in operation.blocks { collect(inner) }
    }
  }

  /// Returns the names of an operation's inputs that are weights, with the axes of their channels.
  private static func weightInputs(of operation: Spec.MILSpec.Operation) -> [(String, Axes)] {
    switch operation.type {
    case "conv", "linear": return [("weight", Axes(output: 0, input: 1))]
    case "conv_transpose": return [("weight", Axes(output: 1, input: 0))]
    case "matmul":
      // transpose_x and transpose_y exchange the two axes. This exchange is ignored, because scales along either axis
      // give a valid model.
      return [("y", Axes(output: -1, input: -2)), ("x", Axes(output: -2, input: -1))]
    case "gather": return [("x", Axes(output: 0, input: 1))]
    case "lstm", "gru", "rnn":
      return [
        "weight_ih", "weight_hh", "weight_ih_back", "weight_hh_back", "weight", "weight_back",
      ]
      .map { ($0, Axes(output: 0, input: 1)) }
    case "einsum": return [("values", Axes(output: 0, input: 1))]
    default: return []
    }
  }

  /// Returns the axes and extents of a constant for quantisation, or nil if it is not a weight.
  func grid(_ name: String, _ shape: [Int]) -> WeightGrid? {
    guard let channels = axes[name], shape.count > 1 else { return nil }
    func axis(_ index: Int) -> Int? {
      let axis: Int = index < 0 ? index + shape.count : index
      return shape.indices.contains(axis) ? axis : nil
    }
    guard let output = axis(channels.output) else { return nil }
    return WeightGrid(shape, axis: output, inputAxis: channels.input.flatMap(axis))
  }
}
