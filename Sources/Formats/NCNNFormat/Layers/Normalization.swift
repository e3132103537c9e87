import Graph
import Operators

extension NCNNLayerReader {
  /// Normalisation layers, and layers that multiply by learned scales and add learned biases.
  static let normalization: [NCNNLayerReader] = [
    NCNNLayerReader("BatchNorm", [0, 1]) { try $0.batchNorm() },
    NCNNLayerReader("Scale", [0, 1]) { try $0.scale() },
    NCNNLayerReader("Bias", [0]) { context in
      let x: Graph.ValueID = try context.input()
      let count: Int = try context.size(0, or: 0, "The number of biases")
      return try context.add(
        BinaryFunctionOperator(.add), x,
        context.perChannel(
          try context.weights.floats([count], "the biases"), rank: try context.rank(x), "biases"))
    },
    NCNNLayerReader("InstanceNorm", [0, 1, 2]) { context in
      let x: Graph.ValueID = try context.featureMap()
      let count: Int = try context.channels(x)
      let isAffine: Bool = try context.parameters.int(2, or: 1) != 0
      let scales: Constant =
        isAffine ? try context.weights.floats([count], "the scales") : .repeating(1, [count])
      let biases: Constant =
        isAffine ? try context.weights.floats([count], "the biases") : .repeating(0, [count])
      return try context.add(
        BatchNormOperator(
          channels: count, statistics: .instance,
          epsilon: try context.parameters.float(1, or: 0.001)),
        x, context.constant(scales, "scales"), context.constant(biases, "biases"))
    },
    NCNNLayerReader("LRN", [1, 2, 3, 4], only: [0: 0]) { context in
      let size: Int = try context.size(1, or: 5, "The window")
      guard size % 2 == 1 else {
        throw context.invalid("the window has \(size) channels, expected an odd number.")
      }
      return try context.add(
        LocalResponseNormalizationOperator(
          alpha: try context.parameters.float(2, or: 1),
          beta: try context.parameters.float(3, or: 0.75), size: size,
          k: try context.parameters.float(4, or: 1)),
        try context.featureMap())
    },
  ]
}

extension NCNNContext {
  /// Computes `(x − mean) / √(variance + ε) · slope + bias` with stored numbers.
  fileprivate func batchNorm() throws -> Graph.ValueID {
    let x: Graph.ValueID = try input()
    let (count, rank) = (try size(0, or: 0, "The number of channels"), try rank(x))
    let epsilon: Float = try parameters.float(1, or: 0)
    let slopes: Constant = try weights.floats([count], "the slopes")
    let means: Constant = try weights.floats([count], "the means")
    let variances: Constant = try weights.floats([count], "the variances")
    let biases: Constant = try weights.floats([count], "the biases")
    guard rank == 4 else {
      let scales = Constant([count], recipe: "slope/√(+\(epsilon))", of: [slopes, variances]) {
        zip(try slopes.floats(), try variances.floats()).map { $0 / ($1 + epsilon).squareRoot() }
      }
      let centred = try add(
        BinaryFunctionOperator(.subtract), x, perChannel(means, rank: rank, "means"))
      let scaled = try add(
        BinaryFunctionOperator(.multiply), centred, perChannel(scales, rank: rank, "scales"))
      return try add(BinaryFunctionOperator(.add), scaled, perChannel(biases, rank: rank, "biases"))
    }
    return try add(
      BatchNormOperator(channels: count, statistics: .given, epsilon: epsilon),
      [x]
        + zip([slopes, biases, means, variances], ["slopes", "biases", "means", "variances"])
        .map { constant($0, $1) })
  }

  /// Multiplies by scales, which are weights or the second input, and adds biases.
  fileprivate func scale() throws -> Graph.ValueID {
    /// The number in the place of the number of scales that means a second input.
    let fromInput: Int = -233
    let x: Graph.ValueID = try input()
    let rank: Int = try rank(x)
    let count: Int = try parameters.int(0, or: 0)
    let scales: Graph.ValueID
    if count == fromInput {
      let second: Graph.ValueID = try input(1)
      let own: Int = try self.rank(second)
      guard own == 2 else {
        throw unsupported("its second input has \(own - 1) dimensions, expected one.")
      }
      scales =
        rank > 2 ? try add(ExpandDimsOperator(axes: Array(2..<rank)), second) : second
    } else {
      scales = perChannel(
        try weights.floats([try size(0, or: 0, "The number of scales")], "the scales"),
        rank: rank, "scales")
    }
    let made = try add(BinaryFunctionOperator(.multiply), x, scales)
    guard try parameters.int(1, or: 0) != 0 else { return made }
    let biases: Constant = try weights.floats([try channels(x)], "the biases")
    return try add(BinaryFunctionOperator(.add), made, perChannel(biases, rank: rank, "biases"))
  }
}
