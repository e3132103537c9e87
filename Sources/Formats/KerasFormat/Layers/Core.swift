import Foundation
import Graph
import Operators

extension KerasLayerReader {
  /// Dense layers, embeddings, and the layer that applies an activation function. Masking layers are refused.
  static let core: [KerasLayerReader] = [
    KerasLayerReader(
      "Dense",
      fields: KnownFields(
        ["units", "output_dim", "activation", "use_bias", "bias"],
        only: ["quantization_config": [nil]])
    ) { try $0.activated(try $0.dense()) },
    KerasLayerReader(
      "EinsumDense",
      fields: KnownFields(
        ["equation", "output_shape", "activation", "bias_axes"],
        only: ["quantization_config": [nil]])
    ) { try $0.einsumDense() },
    KerasLayerReader(
      "Embedding",
      fields: KnownFields(
        ["output_dim", "mask_zero"], only: ["quantization_config": [nil]], harmless: ["dropout"])
    ) { context in
      guard try !context.settings.bool("mask_zero", or: false) else {
        throw context.unsupported(
          "'mask_zero' masks steps for later layers, which a graph cannot express.")
      }
      let table: Constant = try context.weights(0, "the vectors")
      guard table.shape.rank == 2 else {
        throw context.invalid("the vectors are \(table.shape), expected a matrix.")
      }
      let x = try context.input()
      let indices = try context.add(CastOperator(to: .int32), try context.kerasOrdered(x))
      let made = try context.add(
        GatherOperator(axis: 0), context.constant(table, "vectors"), indices)
      return KerasTensor(made, rank: x.rank + 1)
    },
    KerasLayerReader("Activation", fields: KnownFields(["activation"])) { context in
      let (name, settings) = try context.function("activation")
      return try context.activated(try context.input(), by: name, settings)
    },
    KerasLayerReader("Masking", fields: nil) { context in
      throw context.unsupported(
        "it masks steps for later layers, which a graph cannot express. Pass sequences without masked steps."
      )
    },
  ]

  /// Layers that leave their input unchanged at inference.
  static let training: [KerasLayerReader] = [
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "GaussianDropout",
    "GaussianNoise", "AlphaDropout", "ActivityRegularization", "Identity", "RandomFlip",
    "RandomRotation", "RandomZoom", "RandomContrast", "RandomBrightness", "RandomTranslation",
  ].map { type in KerasLayerReader(type, fields: nil) { try $0.input() } }
}

extension KerasContext {
  /// Computes the dense layer `x W + b` along Keras's last axis.
  func dense() throws -> KerasTensor {
    let x = try input()
    let kernel: Constant = try weights(0, "the weights")
    guard kernel.shape.rank == 2, x.rank >= 2 else {
      throw invalid(
        "the weights are \(kernel.shape) for an input of \(x.rank) axes, expected a matrix and 2 or more."
      )
    }
    let (inputs, units) = (kernel.shape[0], kernel.shape[1])
    let hasBias: Bool = try settings.bool("use_bias", "bias", or: true)
    if let graphAxis = x.graphAxis(of: -1), let count = extents(x.value, rank: x.rank)[graphAxis],
      count != inputs
    {
      throw invalid("its last axis has \(count) values, but the weights are for \(inputs).")
    }
    let bias: [Graph.ValueID] =
      hasBias ? [constant(try weights(1, "the biases", [units]), "bias")] : []
    if x.isChannelFirst, x.rank == 4 {
      let matrix: Constant = kernel.transposed([1, 0]).reshaped(to: [units, inputs, 1, 1])
      let convolution = ConvolutionOperator(
        outputChannels: units, kernelChannels: inputs, kernel: .init(1, 1), hasBias: hasBias)
      return try same(add(convolution, [x.value, constant(matrix, "weights")] + bias))
    }
    let matrix = constant(kernel.transposed([1, 0]), "weights")
    let value = try kerasOrdered(x)
    let made = try add(
      x.rank <= 3 ? InnerProductOperator() : BatchedMatMulOperator.ofRows, [value, matrix] + bias)
    return KerasTensor(made, rank: x.rank)
  }

  /// Computes an `EinsumDense` layer whose equation multiplies the last axes of the input by a matrix, as transformers
  /// do.
  fileprivate func einsumDense() throws -> KerasTensor {
    let equation: String = try settings.text("equation") ?? ""
    let sides: [String] = equation.components(separatedBy: "->")
    let inputs: [String] = sides[0].components(separatedBy: ",")
    guard sides.count == 2, inputs.count == 2 else {
      throw invalid("'equation' is '\(equation)', expected two factors and a result.")
    }
    let (left, right, result) = (Array(inputs[0]), Array(inputs[1]), Array(sides[1]))
    let joined: [Character] = left.filter { right.contains($0) && !result.contains($0) }
    let made: [Character] = right.filter { !joined.contains($0) }
    let count: Int = joined.count
    guard count > 0, Array(left.suffix(count)) == joined, Array(right.prefix(count)) == joined,
      result == left.dropLast(count) + made, !equation.contains(".")
    else {
      throw unsupported("the equation '\(equation)' is not a product along the last axes.")
    }
    let x = try input()
    let kernel: Constant = try weights(0, "the weights")
    guard kernel.shape.rank == right.count, x.rank == left.count else {
      throw invalid("the weights are \(kernel.shape), expected \(right.count) axes.")
    }
    let inner: Int = kernel.shape.dimensions.prefix(count).product
    let outer: [Int] = Array(kernel.shape.dimensions.dropFirst(count))
    let matrix: Constant = kernel.reshaped(to: [inner, outer.product]).transposed([1, 0])
    var value = try kerasOrdered(x)
    let leading: Int = x.rank - count
    if count > 1 {
      value = try add(
        ReshapeStaticOperator(targetShape: [Int](repeating: 0, count: leading) + [inner]), value)
    }
    value = try add(BatchedMatMulOperator.ofRows, value, constant(matrix, "weights"))
    if made.count > 1 {
      value = try add(
        ReshapeStaticOperator(targetShape: [Int](repeating: 0, count: leading) + outer), value)
    }
    if settings.has("bias_axes") {
      let bias: Constant = try weights(1, "the biases")
      value = try add(BinaryFunctionOperator(.add), value, constant(bias, "bias"))
    }
    return try activated(KerasTensor(value, rank: leading + made.count))
  }
}
