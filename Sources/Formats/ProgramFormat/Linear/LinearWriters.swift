import Graph
import Operators

extension BatchedMatMulOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let isInteger: Bool = (0..<node.inputCount).allSatisfy { node.isInteger($0) }
    func operand(_ input: Int) throws -> MILValue {
      isInteger ? try node.integer(input) : try node.real(input)
    }
    if multipliesRows { return [try rows(node, operand)] }
    var (x, y) = (try operand(0), try operand(1))
    // A vector on the left is a row. A vector on the right is a column.
    if x.rank == 1 { x = try node.expand(x, [0]) }
    if y.rank == 1 { y = try node.expand(y, [1]) }
    return try node.only(
      "matmul",
      [
        "x": .value(x), "y": .value(y), "transpose_x": .bool(transposesLeft),
        "transpose_y": .bool(transposesRight),
      ], x.element)
  }

  private func rows(_ node: ProgramNode, _ operand: (Int) throws -> MILValue) throws -> MILValue {
    let x: MILValue = try operand(0)
    let weights: MILValue = try operand(1)
    if x.rank <= 3, node.constant(1) != nil, node.inputCount < 3 || node.constant(2) != nil {
      var inputs: [String: MILOperand] = ["x": .value(x), "weight": .value(weights)]
      if node.inputCount > 2 { inputs["bias"] = .value(try operand(2)) }
      return try node.only("linear", inputs, x.element)[0]
    }
    let product = try node.add(
      "matmul",
      [
        "x": .value(x), "y": .value(weights), "transpose_x": .bool(false),
        "transpose_y": .bool(true),
      ], try node.made(), x.element)
    return node.inputCount > 2 ? try node.binary("add", product, try operand(2)) : product
  }
}

extension InnerProductOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.real(0)
    let made: [Int?] = try node.made()
    let columns: [Int?] = try node.extents(1)
    guard let inputs = columns.last ?? nil, let outputs = columns.first ?? nil else {
      throw node.unsupported("the extents of its weights are not known.")
    }
    var rows: MILValue = x
    if x.rank >= 4 { rows = try node.reshape(x, [-1, inputs], [nil, inputs]) }
    var result: MILValue
    if node.constant(1) != nil, node.inputCount < 3 || node.constant(2) != nil {
      result = try node.linear(rows, outputs)
    } else {
      result = try node.add(
        "matmul",
        [
          "x": .value(rows), "y": .value(try node.real(1)), "transpose_x": .bool(false),
          "transpose_y": .bool(true),
        ], rows.extents.dropLast() + [outputs])
      if node.inputCount > 2 {
        result = try node.binary("add", result, try node.vector(2, outputs))
      }
    }
    guard x.rank >= 4 else { return [result] }
    let leading: [Int?] = Array(made.dropLast(3))
    guard leading.count(where: { $0 == nil }) <= 1 else {
      throw node.unsupported("several of its leading extents are flexible.")
    }
    return [try node.reshape(result, leading.map { $0 ?? -1 } + [outputs, 1, 1], made)]
  }
}

extension ProgramNode {
  /// Multiplies rows by a constant matrix, the second input.
  fileprivate func linear(_ rows: MILValue, _ outputs: Int) throws -> MILValue {
    var inputs: [String: MILOperand] = ["x": .value(rows), "weight": .value(try real(1))]
    if inputCount > 2 { inputs["bias"] = .value(try vector(2, outputs)) }
    return try add("linear", inputs, rows.extents.dropLast() + [outputs])
  }
}

extension EmbeddingNDOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let indices: MILValue = try node.integer(0)
    return [try node.embedding(try node.squeeze(indices, [indices.rank - 1]), try node.made())]
  }
}

extension EmbeddingOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let indices: MILValue = try node.integer(0)
    let made: [Int?] = try node.made()
    let flat = try node.squeeze(indices, Array((indices.rank - 3)..<indices.rank))
    let looked = try node.embedding(flat, Array(made.dropLast(2)))
    return [try node.expand(looked, [looked.rank, looked.rank + 1])]
  }
}

extension ProgramNode {
  /// Gathers columns of the second input at indices. Adds the biases, if the operator has any.
  fileprivate func embedding(_ indices: MILValue, _ extents: [Int?]) throws -> MILValue {
    let rows: MILValue
    if let constant = block.graph[node.inputs[1]].constant {
      rows = try block.real(constant.transposedMatrix(), as: real)
    } else {
      rows = try transpose(try real(1), [1, 0])
    }
    let looked = try gathered(rows, indices, axis: 0, extents)
    return inputCount > 2 ? try binary("add", looked, try real(2)) : looked
  }
}
