import Graph
import Operators

extension NCNNLayerReader {
  /// Fully connected layers, and tensors that the file holds.
  static let dense: [NCNNLayerReader] = [
    NCNNLayerReader("InnerProduct", [0, 1, 2, 9, 10], only: [8: 0]) { try $0.innerProduct() },
    NCNNLayerReader("MemoryData", [0, 1, 2], only: [11: 0, 21: 1]) { context in
      let sizes: [Int] = try [2, 1, 0].map { try context.parameters.int($0, or: 0) }
      let shape = Shape([1] + sizes.drop { $0 == 0 })
      return context.constant(try context.weights.floats(shape, "the values"), "values")
    },
  ]
}

extension NCNNContext {
  fileprivate func innerProduct() throws -> Graph.ValueID {
    let x: Graph.ValueID = try input()
    let outputs: Int = try size(0, or: 0, "The number of outputs")
    let count: Int = try parameters.int(2, or: 0)
    guard count > 0, count % outputs == 0 else {
      throw invalid("it has \(count) weights, expected a multiple of \(outputs).")
    }
    let inputs: Int = count / outputs
    let extents: [Int?] = try extents(x)
    // A matrix whose rows fit the weights is multiplied row by row. Everything else becomes one vector.
    let keepsRows: Bool = extents.count == 3 && extents[2] == inputs
    let known: [Int] = extents.compactMap { $0 }
    guard keepsRows || known.count < extents.count || known.product == inputs else {
      throw invalid("its input has \(known.product) values, but the weights are for \(inputs).")
    }
    var values: [Graph.ValueID] = [
      extents.count == 2 || keepsRows
        ? x : try add(ReshapeStaticOperator(targetShape: [1, -1]), x),
      constant(try weights.tagged([outputs, inputs], "the weights"), "weights"),
    ]
    if try parameters.int(1, or: 0) != 0 {
      values.append(constant(try weights.floats([outputs], "the biases"), "bias"))
    }
    return try activated(try add(InnerProductOperator(), values), kind: 9, numbers: 10)
  }
}
