import Graph
import Operators

extension CaffeLayerReader {
  /// Fully connected layers and embeddings.
  static let dense: [CaffeLayerReader] = [
    CaffeLayerReader(
      "InnerProduct", "inner_product",
      fields: KnownFields(["num_output", "bias_term", "axis", "transpose"])
    ) { try $0.innerProduct() },
    CaffeLayerReader(
      "Embed", "embed", fields: KnownFields(["num_output", "input_dim", "bias_term"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("embed")
      let (width, count) = (
        try parameters.int("num_output", or: 0), try parameters.int("input_dim", or: 0)
      )
      let table: Constant = try context.layer.weights(0, "the vectors").constant(
        [count, width], "the vectors")
      let indices = try context.add(CastOperator(to: .int32), try context.input())
      let made = try context.add(
        GatherOperator(axis: 0), context.constant(table, "vectors"), indices)
      guard try parameters.bool("bias_term", or: true) else { return made }
      let bias: Constant = try context.layer.weights(1, "the biases").constant(
        [width], "the biases")
      return try context.add(BinaryFunctionOperator(.add), made, context.constant(bias, "bias"))
    },
  ]
}

extension CaffeContext {
  fileprivate func innerProduct() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("inner_product")
    let x = try input()
    let extents: [Int?] = try extents(x)
    let axis: Int = try axis(parameters.int("axis", or: 1), rank: extents.count)
    let outputs: Int = try parameters.int("num_output", or: 0)
    let weights: CaffeBlob = try layer.weights(0, "the weights")
    guard outputs > 0, weights.count % outputs == 0 else {
      throw invalid("the weights hold \(weights.count) values, expected a multiple of \(outputs).")
    }
    let inputs: Int = weights.count / outputs
    let known: [Int] = extents[axis...].compactMap { $0 }
    if known.count == extents.count - axis, known.product != inputs {
      throw invalid(
        "its input has \(known.product) values per sample, but the weights are for \(inputs) (\(outputs) × \(inputs)). Do the .prototxt and the .caffemodel belong together?"
      )
    }
    var matrix: Constant = try weights.constant([outputs, inputs], "the weights")
    if try parameters.bool("transpose", or: false) {
      let stored: Constant = matrix
      matrix = Constant(
        [outputs, inputs], recipe: "transposed \(inputs) × \(outputs)", of: [stored]
      ) {
        let values: [Float] = try stored.floats()
        return (0..<values.count).map { values[$0 % inputs * outputs + $0 / inputs] }
      }
    }
    var values: [Graph.ValueID] = [
      extents.count == axis + 1
        ? x
        : try add(
          ReshapeStaticOperator(targetShape: [Int](repeating: 0, count: axis) + [-1]), x),
      constant(matrix, "weights"),
    ]
    if try parameters.bool("bias_term", or: true) {
      values.append(
        constant(try layer.weights(1, "the biases").constant([outputs], "the biases"), "bias"))
    }
    return try add(InnerProductOperator(), values)
  }
}
