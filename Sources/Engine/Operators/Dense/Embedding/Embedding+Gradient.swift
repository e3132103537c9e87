import Graph

// Indices have no gradient. In the gradient of the table, each entry is the sum of the output's gradients for all
// indices that select this entry.

extension EmbeddingOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.gradientsOfTable()
  }
}

extension EmbeddingNDOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    try context.gradientsOfTable()
  }
}

extension GradientContext {
  fileprivate mutating func gradientsOfTable() throws -> [Graph.ValueID?] {
    let table: Shape = shape(of: inputs[1])
    let count: Int = shape(of: inputs[0]).count
    let rows = try reshape(outputGradient, to: [count, table[0]])
    var result = nothing
    if isWanted[1] {
      let indices = try reshape(inputs[0], to: [count])
      let empty = zeros([table[1], table[0]])
      let sums = try add(ScatterOperator(axis: 0, mode: .add), empty, indices, rows)
      result[1] = try add(TransposeOperator(axes: [1, 0]), sums)
    }
    if inputs.count > 2, isWanted[2] {
      let sum = try add(ReduceAxesOperator(.sum, axes: [0], keepsAxes: false), rows)
      result[2] = try reshape(sum, to: shape(of: inputs[2]))
    }
    return result
  }
}
