import Graph
import Operators

extension KerasLayerReader {
  private static let affine = KnownFields(["axis", "epsilon", "center", "scale"])

  /// Normalisations with learned parameters.
  static let normalization: [KerasLayerReader] = [
    KerasLayerReader(
      "BatchNormalization", "SyncBatchNormalization",
      fields: affine.joined(
        KnownFields(
          only: ["renorm": [false], "mode": [0], "virtual_batch_size": [nil], "adjustment": [nil]],
          harmless: [
            "momentum", "synchronized", "renorm_clipping", "renorm_momentum", "fused", "gamma_init",
            "beta_init",
          ]))
    ) { try $0.batchNorm() },
    KerasLayerReader(
      "InstanceNormalization",
      fields: KnownFields(
        ["epsilon", "center", "scale"], only: ["axis": [-1, 3], "groups": [-1]])
    ) { try $0.instanceNorm() },
    KerasLayerReader(
      "LayerNormalization", fields: affine.joined(KnownFields(only: ["rms_scaling": [false]]))
    ) { try $0.layerNorm() },
    KerasLayerReader("RMSNormalization", fields: KnownFields(["axis", "epsilon"])) {
      try $0.rootNorm()
    },
    KerasLayerReader(
      "GroupNormalization", fields: affine.joined(KnownFields(["groups"]))
    ) { try $0.groupNorm() },
    KerasLayerReader("UnitNormalization", fields: KnownFields(["axis"])) { context in
      let x = try context.input()
      let axes: [Int] = try context.graphAxes(context.settings.ints("axis") ?? [-1], x)
      let sum = try context.add(
        ReduceAxesOperator(.sumOfSquares, axes: axes, keepsAxes: true), x.value)
      let least = try context.add(UnaryOperator(.threshold(alpha: 1e-12)), sum)
      let factor = try context.add(UnaryOperator(.reciprocalSquareRoot(epsilon: 0)), least)
      return try context.same(context.add(BinaryFunctionOperator(.multiply), x.value, factor))
    },
  ]
}

extension KerasContext {
  /// Returns the axes of the graph's tensor that correspond to these axes in Keras's order.
  func graphAxes(_ axes: [Int], _ x: KerasTensor) throws -> [Int] {
    try axes.map { axis in
      guard let graphAxis = x.graphAxis(of: axis) else {
        throw invalid("the axis \(axis) does not exist, the input has \(x.rank) axes.")
      }
      return graphAxis
    }.sorted()
  }

  /// Returns the learned scale γ and bias β, if the layer has them, and the index of the first weight array after them.
  private func affine(_ count: Int) throws -> (gamma: Constant?, beta: Constant?, next: Int) {
    var next = 0
    var found: [Constant?] = []
    for (name, what) in [("scale", "the factors"), ("center", "the shifts")] {
      if try settings.bool(name, or: true) {
        found.append(try weights(next, what, [count]))
        next += 1
      } else {
        found.append(nil)
      }
    }
    return (found[0], found[1], next)
  }

  fileprivate func batchNorm() throws -> KerasTensor {
    var x = try input()
    guard let count = weights.first?.count else {
      _ = try weights(0, "the weights")
      return x
    }
    // Keras 3 writes the axis as a number. Some versions of Keras 2 write it as a list.
    let axis: Int = try settings.ints("axis")?.first ?? -1
    var graphAxis: Int = try graphAxes([axis], x)[0]
    if graphAxis != 1, x.rank >= 3 {
      guard axis == -1 || axis == x.rank - 1 else {
        throw unsupported("'axis' is \(axis), expected the channel axis.")
      }
      if x.rank >= 4 {
        x = KerasTensor(try channelFirst(x), rank: x.rank, isChannelFirst: true)
        graphAxis = 1
      }
    }
    let (gamma, beta, next) = try affine(count)
    let mean: Constant = try weights(next, "the means", [count])
    let variance: Constant = try weights(next + 1, "the variances", [count])
    let epsilon = Float(try settings.number("epsilon", or: 1e-3))
    if x.rank == 4 {
      let parameters: [Graph.ValueID] = [
        constant(gamma ?? .repeating(1, [count]), "gamma"),
        constant(beta ?? .repeating(0, [count]), "beta"), constant(mean, "mean"),
        constant(variance, "variance"),
      ]
      let made = try add(
        BatchNormOperator(channels: count, statistics: .given, epsilon: epsilon),
        [x.value] + parameters)
      return KerasTensor(made, rank: 4, isChannelFirst: x.isChannelFirst)
    }
    let factor = Constant(
      [count], recipe: "γ/√(+\(epsilon))", of: [variance] + (gamma.map { [$0] } ?? [])
    ) {
      let factors: [Float]? = try gamma?.floats()
      return try variance.floats().enumerated().map {
        (factors?[$0.offset] ?? 1) / ($0.element + epsilon).squareRoot()
      }
    }
    let shift = Constant(
      [count], recipe: "β − μ·factor", of: [mean, factor] + (beta.map { [$0] } ?? [])
    ) {
      let (factors, shifts) = (try factor.floats(), try beta?.floats())
      return try mean.floats().enumerated().map {
        (shifts?[$0.offset] ?? 0) - $0.element * factors[$0.offset]
      }
    }
    let trailing = [Int](repeating: 1, count: graphAxis == 1 ? x.rank - 2 : 0)
    let shape = Shape([count] + trailing)
    let scaled = try add(
      BinaryFunctionOperator(.multiply), x.value, constant(factor.reshaped(to: shape), "factors"))
    let made = try add(
      BinaryFunctionOperator(.add), scaled, constant(shift.reshaped(to: shape), "shifts"))
    return KerasTensor(made, rank: x.rank, isChannelFirst: x.isChannelFirst)
  }

  /// Computes instance normalisation, as in `keras_contrib` and `tensorflow_addons`. The layer normalises each channel
  /// of each image by the mean and the variance of that channel in that image.
  fileprivate func instanceNorm() throws -> KerasTensor {
    let x = try input(ranks: 4...4)
    guard let count = weights.first?.count else { return x }
    let (gamma, beta, _) = try affine(count)
    let made = try add(
      BatchNormOperator(
        channels: count, statistics: .instance,
        epsilon: Float(try settings.number("epsilon", or: 1e-3))),
      [
        try channelFirst(x), constant(gamma ?? .repeating(1, [count]), "gamma"),
        constant(beta ?? .repeating(0, [count]), "beta"),
      ])
    return KerasTensor(made, rank: 4, isChannelFirst: true)
  }

  /// Returns the number of axes over which the layer normalises. These axes must be the last axes of the input.
  private func innermost(_ x: KerasTensor) throws -> Int {
    let axes: [Int] = try (settings.ints("axis") ?? [-1]).map { $0 < 0 ? $0 + x.rank : $0 }.sorted()
    guard axes == Array((x.rank - axes.count)..<x.rank), axes.count < x.rank else {
      throw unsupported("'axis' is \(axes), expected the last axes.")
    }
    return axes.count
  }

  fileprivate func layerNorm() throws -> KerasTensor {
    let x = try input()
    let count: Int = try innermost(x)
    let known: [Int] = extents(try kerasOrdered(x), rank: x.rank).suffix(count).compactMap { $0 }
    let stated: Shape? = weights.first?.shape
    guard let shape = stated ?? (known.count == count ? Shape(known) : nil), shape.rank == count
    else { throw unsupported("the extents of its last axes are not known.") }
    let hasGamma: Bool = try settings.bool("scale", or: true)
    let hasBeta: Bool = try settings.bool("center", or: true)
    var values: [Graph.ValueID] = [try kerasOrdered(x)]
    if hasGamma {
      values.append(constant(try weights(0, "the factors", shape.dimensions), "gamma"))
    }
    if hasBeta {
      let index: Int = hasGamma ? 1 : 0
      values.append(constant(try weights(index, "the shifts", shape.dimensions), "beta"))
    }
    let made = try add(
      LayerNormalizationOperator(
        normalizedShape: shape, epsilon: Float(try settings.number("epsilon", or: 1e-3)),
        hasGamma: hasGamma, hasBeta: hasBeta),
      values)
    return KerasTensor(made, rank: x.rank)
  }

  /// Computes RMS normalisation: divides x by √(mean of x² + ε), and multiplies the quotient by learned factors.
  fileprivate func rootNorm() throws -> KerasTensor {
    let x = try input()
    let count: Int = try innermost(x)
    let value = try kerasOrdered(x)
    let squares = try add(BinaryFunctionOperator(.multiply), value, value)
    let mean = try add(
      ReduceAxesOperator(.mean, axes: Array(x.rank - count..<x.rank), keepsAxes: true), squares)
    let factor = try add(
      UnaryOperator(
        .reciprocalSquareRoot(epsilon: Float(try settings.number("epsilon", or: 1e-6)))),
      mean)
    let made = try add(BinaryFunctionOperator(.multiply), value, factor)
    let scaled = try add(
      BinaryFunctionOperator(.multiply), made, constant(try weights(0, "the factors"), "factors"))
    return KerasTensor(scaled, rank: x.rank)
  }

  fileprivate func groupNorm() throws -> KerasTensor {
    let x = try input(ranks: 3...5)
    let value = try channelFirst(x)
    let channels: Int? = weights.first?.count ?? extents(value, rank: x.rank)[1]
    guard let count = channels, try settings.ints("axis")?.first ?? -1 == -1 else {
      throw unsupported("'axis' is not the last axis.")
    }
    var groups: Int = try settings.int("groups") ?? 32
    if groups == -1 { groups = count }
    guard groups > 0, count % groups == 0 else {
      throw invalid("\(count) channels do not divide into \(groups) groups.")
    }
    let apart = try add(ReshapeStaticOperator(targetShape: [0, groups, -1]), value)
    let mean = try add(ReduceAxesOperator(.mean, axes: [2], keepsAxes: true), apart)
    let centred = try add(BinaryFunctionOperator(.subtract), apart, mean)
    let squares = try add(BinaryFunctionOperator(.multiply), centred, centred)
    let variance = try add(ReduceAxesOperator(.mean, axes: [2], keepsAxes: true), squares)
    let factor = try add(
      UnaryOperator(
        .reciprocalSquareRoot(epsilon: Float(try settings.number("epsilon", or: 1e-3)))),
      variance)
    let normed = try add(BinaryFunctionOperator(.multiply), centred, factor)
    var made = try add(ReshapeLikeOperator(), normed, value)
    let result = KerasTensor(made, rank: x.rank, isChannelFirst: true)
    let (gamma, beta, _) = try affine(count)
    if let gamma {
      made = try add(BinaryFunctionOperator(.multiply), made, perChannel(gamma, result, "gamma"))
    }
    if let beta {
      made = try add(BinaryFunctionOperator(.add), made, perChannel(beta, result, "beta"))
    }
    return KerasTensor(made, rank: x.rank, isChannelFirst: true)
  }
}
