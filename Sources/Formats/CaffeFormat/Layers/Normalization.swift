import Graph
import Operators

extension CaffeLayerReader {
  /// Normalisation layers, and layers that multiply by learned scales and add learned biases.
  static let normalization: [CaffeLayerReader] = [
    CaffeLayerReader(
      "BatchNorm", "batch_norm",
      fields: KnownFields(
        ["use_global_stats", "eps"], only: ["scale_bias": [false]],
        harmless: ["moving_average_fraction"])
    ) { try $0.batchNorm() },
    CaffeLayerReader(
      "Scale", "scale", fields: KnownFields(["axis", "num_axes", "bias_term"])
    ) { try $0.scale() },
    CaffeLayerReader("Bias", "bias", fields: KnownFields(["axis", "num_axes"])) { try $0.bias() },
    CaffeLayerReader(
      "LRN", "lrn", fields: KnownFields(["local_size", "alpha", "beta", "k", "norm_region"])
    ) { try $0.localResponse() },
    CaffeLayerReader(
      "MVN", "mvn", fields: KnownFields(["across_channels", "normalize_variance", "eps"])
    ) { try $0.meanVariance() },
    CaffeLayerReader(
      "Normalize", "norm",
      fields: KnownFields(["across_spatial", "channel_shared", "eps"], harmless: ["scale_filler"])
    ) { try $0.unitLength() },
  ]
}

extension CaffeContext {
  /// Computes `(x − mean) / (√variance + ε)`. The mean and the variance are computed per channel of each sample, or
  /// over the whole sample. If `normalize_variance` is false, computes only `x − mean`.
  fileprivate func meanVariance() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("mvn")
    let (x, rank) = (try input(), try rank(input()))
    guard rank >= 3 else {
      throw unsupported("its input has \(rank) dimensions, expected 3 or more.")
    }
    let isAcross: Bool = try parameters.bool("across_channels", or: false)
    let axes = Array((isAcross ? 1 : 2)..<rank)
    let mean = try add(ReduceAxesOperator(.mean, axes: axes, keepsAxes: true), x)
    let centred = try add(BinaryFunctionOperator(.subtract), x, mean)
    guard try parameters.bool("normalize_variance", or: true) else { return centred }
    let squares = try add(BinaryFunctionOperator(.multiply), centred, centred)
    let variance = try add(ReduceAxesOperator(.mean, axes: axes, keepsAxes: true), squares)
    let deviation = try number(
      .add, add(UnaryFunctionOperator(.squareRoot), variance),
      parameters.float("eps", or: 1e-9))
    return try add(BinaryFunctionOperator(.divide), centred, deviation)
  }

  /// Computes `(x − mean) / √(variance + ε)` with the mean and the variance of the batch itself.
  private func batchNormOfItself(_ x: Graph.ValueID, rank: Int, epsilon: Float) throws
    -> Graph.ValueID
  {
    let axes: [Int] = [0] + Array(2..<rank)
    let mean = try add(ReduceAxesOperator(.mean, axes: axes, keepsAxes: true), x)
    let centred = try add(BinaryFunctionOperator(.subtract), x, mean)
    let squares = try add(BinaryFunctionOperator(.multiply), centred, centred)
    let variance = try add(ReduceAxesOperator(.mean, axes: axes, keepsAxes: true), squares)
    let factor = try add(UnaryOperator(.reciprocalSquareRoot(epsilon: epsilon)), variance)
    return try add(BinaryFunctionOperator(.multiply), centred, factor)
  }

  /// Computes `(x − mean) / √(variance + ε)`. Uses the stored mean and variance, divided by the stored factor. If the
  /// file sets `use_global_stats` to false, uses the mean and the variance of the batch.
  fileprivate func batchNorm() throws -> Graph.ValueID {
    let x = try input()
    let (count, rank) = (try channels(x), try rank(x))
    let epsilon: Float = try layer.parameters("batch_norm").float("eps", or: 1e-5)
    // A value of `use_global_stats` in the file applies to training and inference. Without one, inference uses the
    // stored statistics.
    guard try layer.parameters("batch_norm").bool("use_global_stats", or: true) else {
      guard rank == 4, try extents(x)[0] == 1 else {
        return try batchNormOfItself(x, rank: rank, epsilon: epsilon)
      }
      return try add(
        BatchNormOperator(channels: count, statistics: .instance, epsilon: epsilon),
        [
          x, constant(.repeating(1, [count]), "gamma"), constant(.repeating(0, [count]), "beta"),
        ])
    }
    let stored: [Constant] = [
      try layer.weights(0, "the means").constant([count], "the means"),
      try layer.weights(1, "the variances").constant([count], "the variances"),
    ]
    let factor: Constant =
      layer.hasWeights(2)
      ? try layer.weights(2, "the factor").constant([1], "the factor") : .repeating(1, [1])
    let statistics: [Constant] = stored.map { values in
      Constant([count], recipe: "over the factor", of: [values, factor]) {
        let divisor: Float = try factor.floats()[0]
        return try values.floats().map { divisor == 0 ? 0 : $0 / divisor }
      }
    }
    guard rank >= 3 else {
      let scale = Constant([count], recipe: "1/√(+\(epsilon))", of: [statistics[1]]) {
        try statistics[1].floats().map { 1 / ($0 + epsilon).squareRoot() }
      }
      let centred = try add(
        BinaryFunctionOperator(.subtract), x, constant(statistics[0], "means"))
      return try add(BinaryFunctionOperator(.multiply), centred, constant(scale, "scales"))
    }
    return try add(
      BatchNormOperator(channels: count, statistics: .given, epsilon: epsilon),
      [x, constant(.repeating(1, [count]), "gamma"), constant(.repeating(0, [count]), "beta")]
        + zip(statistics, ["means", "variances"]).map { constant($0, $1) })
  }

  /// Returns the shape in which weights broadcast to a value of rank `rank`. Axis 0 of the weights corresponds to axis
  /// `axis` of the value.
  private func stretched(_ weights: CaffeBlob, axis: Int, rank: Int) throws -> Shape {
    let own: [Int] =
      weights.shape.count == 4 && weights.shape.prefix(3).allSatisfy { $0 == 1 }
      ? [weights.shape[3]] : weights.shape
    guard axis + own.count <= rank else {
      throw invalid(
        "weights of \(Shape(own)) do not fit an input of \(rank) dimensions from axis \(axis) on.")
    }
    return Shape(own + [Int](repeating: 1, count: rank - axis - own.count))
  }

  private func stretched(_ value: Graph.ValueID, axis: Int, rank: Int) throws -> Graph.ValueID {
    let own: Int = try self.rank(value)
    guard axis + own < rank else { return value }
    return try add(ExpandDimsOperator(axes: Array(own..<rank - axis)), value)
  }

  fileprivate func scale() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("scale")
    let x = try input()
    let rank: Int = try rank(x)
    let axis: Int = try axis(parameters.int("axis", or: 1), rank: rank)
    let hasBias: Bool = try parameters.bool("bias_term", or: false)
    guard inputs.count == 1 else {
      let factor = try stretched(try input(1), axis: axis, rank: rank)
      let made = try add(BinaryFunctionOperator(.multiply), x, factor)
      guard hasBias else { return made }
      let shift: CaffeBlob = try layer.weights(0, "the shifts")
      let shape: Shape = try stretched(shift, axis: axis, rank: rank)
      return try add(
        BinaryFunctionOperator(.add), made,
        constant(try shift.constant(shape, "the shifts"), "shifts"))
    }
    let factor: CaffeBlob = try layer.weights(0, "the factors")
    let shape: Shape = try stretched(factor, axis: axis, rank: rank)
    let factors = constant(try factor.constant(shape, "the factors"), "factors")
    let shifts: Graph.ValueID? =
      hasBias
      ? constant(
        try layer.weights(1, "the shifts").constant(shape, "the shifts"), "shifts") : nil
    if rank == 4, shape.rank == 3 {
      return try add(
        ScaleOperator(hasBias: hasBias), [x, factors] + (shifts.map { [$0] } ?? []))
    }
    let made = try add(BinaryFunctionOperator(.multiply), x, factors)
    return try shifts.map { try add(BinaryFunctionOperator(.add), made, $0) } ?? made
  }

  fileprivate func bias() throws -> Graph.ValueID {
    let x = try input()
    let rank: Int = try rank(x)
    let axis: Int = try axis(layer.parameters("bias").int("axis", or: 1), rank: rank)
    if inputs.count > 1 {
      return try add(
        BinaryFunctionOperator(.add), x, try stretched(try input(1), axis: axis, rank: rank))
    }
    let shift: CaffeBlob = try layer.weights(0, "the shifts")
    let shape: Shape = try stretched(shift, axis: axis, rank: rank)
    return try add(
      BinaryFunctionOperator(.add), x, constant(try shift.constant(shape, "the shifts"), "shifts"))
  }

  fileprivate func localResponse() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("lrn")
    let x = try input()
    let size: Int = try parameters.int("local_size", or: 5)
    let (alpha, beta) = (
      try parameters.float("alpha", or: 1), try parameters.float("beta", or: 0.75)
    )
    guard size > 0, size % 2 == 1, size < 1 << 20 else {
      throw invalid("'local_size' is \(size), expected an odd number.")
    }
    if parameters.word("norm_region") == "WITHIN_CHANNEL" {
      let squares = try add(BinaryFunctionOperator(.multiply), x, x)
      let pad: Int = (size - 1) / 2
      let means = try add(
        PoolingOperator(
          .average, kernelHeight: size, kernelWidth: size,
          padding: .valid(top: pad, bottom: pad, left: pad, right: pad)),
        squares)
      let factor = try add(UnaryOperator(.power(alpha: -beta), scale: alpha, shift: 1), means)
      return try add(BinaryFunctionOperator(.multiply), x, factor)
    }
    return try add(
      LocalResponseNormalizationOperator(
        alpha: alpha, beta: beta, size: size, k: try parameters.float("k", or: 1)),
      x)
  }

  /// Computes L2 normalisation over the channels of each position, or over all values of each sample. Then multiplies
  /// by a learned scale.
  fileprivate func unitLength() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("norm")
    let x = try input()
    let rank: Int = try rank(x)
    let spatial: Bool = try parameters.bool("across_spatial", or: true)
    let squares = try add(
      ReduceAxesOperator(.sumOfSquares, axes: spatial ? Array(1..<rank) : [1], keepsAxes: true), x)
    let factor = try add(
      UnaryOperator(.reciprocalSquareRoot(epsilon: try parameters.float("eps", or: 1e-10))), squares
    )
    let made = try add(BinaryFunctionOperator(.multiply), x, factor)
    let count: Int = try parameters.bool("channel_shared", or: true) ? 1 : try channels(x)
    let scale: Constant = try layer.weights(0, "the factors").constant([count], "the factors")
    return try add(
      BinaryFunctionOperator(.multiply), made, perChannel(scale, rank: rank, "factors"))
  }
}
