import ModelFormat

/// Which constants of a program are weights, and along which axes their channels stand: what the operations that
/// read them tell.
struct ProgramWeights {
  /// The axes of a constant's channels; the last ones count from the end as −1 and −2.
  struct Axes: Hashable {
    let output: Int
    let input: Int?
  }

  /// The axes by the constants' names.
  private(set) var axes: [String: Axes] = [:]

  init(_ program: Spec.MILSpec.Program) {
    for function in program.functions.values {
      for block in function.blockSpecializations.values { collect(block) }
    }
  }

  private mutating func collect(_ block: Spec.MILSpec.Block) {
    for operation in block.operations {
      for (input, place) in Self.places(in: operation) {
        for argument in operation.inputs[input]?.arguments ?? [] {
          if case .name(let name)? = argument.binding { axes[name] = axes[name] ?? place }
        }
      }
      for inner in operation.blocks { collect(inner) }
    }
  }

  /// The inputs of an operation that weights go to.
  private static func places(in operation: Spec.MILSpec.Operation) -> [(String, Axes)] {
    switch operation.type {
    case "conv", "linear": return [("weight", Axes(output: 0, input: 1))]
    case "conv_transpose": return [("weight", Axes(output: 1, input: 0))]
    case "matmul":
      // Which of the two axes is which the constants transpose_x and transpose_y say; a scale per row of the
      // memory serves both.
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

  /// The grid of a constant; nil for what is no weight.
  func grid(_ name: String, _ shape: [Int]) -> WeightGrid? {
    guard let place = axes[name], shape.count > 1 else { return nil }
    func axis(_ index: Int) -> Int? {
      let axis: Int = index < 0 ? index + shape.count : index
      return shape.indices.contains(axis) ? axis : nil
    }
    guard let output = axis(place.output) else { return nil }
    return WeightGrid(shape, axis: output, inputAxis: place.input.flatMap(axis))
  }
}
