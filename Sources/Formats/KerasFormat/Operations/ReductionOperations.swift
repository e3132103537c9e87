import Graph
import Operators

extension KerasOperationReader {
  /// Reductions over axes.
  static let reductions: [KerasOperationReader] =
    [
      (["mean", "reduce_mean"], .mean), (["sum", "reduce_sum"], .sum),
      (["max", "amax", "reduce_max"], .maximum), (["min", "amin", "reduce_min"], .minimum),
      (["prod", "reduce_prod"], .product),
      (["logsumexp", "reduce_logsumexp"], .logOfSumOfExponentials),
    ].map { (names: [String], mode: ReductionMode) in
      KerasOperationReader(list: names, parameters: reduced) {
        try $0.reduced(mode, $0.tensor(), axes: $0.ints("axis"), keeps: $0.flag("keepdims"))
      }
    } + [
      KerasOperationReader("var", "reduce_variance", parameters: reduced) { try $0.variance() },
      KerasOperationReader("std", "reduce_std", parameters: reduced) { operation in
        let variance: KerasTensor = try operation.variance()
        return KerasTensor(
          try operation.context.add(UnaryFunctionOperator(.squareRoot), variance.value),
          rank: variance.rank, isChannelFirst: variance.isChannelFirst)
      },
      KerasOperationReader(
        "argmax", parameters: position, harmless: ["output_type", "dtype", "dimension"]
      ) { try $0.position(.indexOfMaximum) },
      KerasOperationReader(
        "argmin", parameters: position, harmless: ["output_type", "dtype", "dimension"]
      ) { try $0.position(.indexOfMinimum) },
      KerasOperationReader("normalize", parameters: "x axis order epsilon") { operation in
        guard try operation.number("order", or: 2) == 2 else { throw operation.wrong("order", "2") }
        let epsilon: Double = try operation.number("epsilon", or: 1e-7)
        return try operation.normalized(atLeast: epsilon * epsilon)
      },
      KerasOperationReader("l2_normalize", parameters: "x axis epsilon") {
        try $0.normalized(atLeast: $0.number("epsilon", or: 1e-12))
      },
      KerasOperationReader("norm", parameters: "x|tensor ord axis keepdims") { operation in
        let axes: [Int]? = try operation.ints("axis")
        let isPlain: Bool = try !operation.has("ord") || operation.number("ord", or: 2) == 2
        guard isPlain, axes == nil || axes?.count == 1 || !operation.has("ord") else {
          throw operation.wrong("ord", "2, along one axis")
        }
        return try operation.reduced(
          .l2, operation.tensor(), axes: axes, keeps: operation.flag("keepdims"))
      },
    ]

  private static let reduced =
    "x|input_tensor|input axis|reduction_indices keepdims|keep_dims"
  private static let position = "x|input axis keepdims"
}

extension KerasOperation {
  /// Reduces values over axes in Keras's order. If `axes` is nil, reduces over all axes.
  func reduced(_ mode: ReductionMode, _ x: KerasTensor, axes: [Int]?, keeps: Bool) throws
    -> KerasTensor
  {
    if x.rank == 0 { return x }
    let all: [Int] = axes ?? Array(0..<x.rank)
    guard !all.isEmpty else { return x }
    let kerasOrdered: [Int] = Set(all.map { $0 < 0 ? $0 + x.rank : $0 }).sorted()
    guard kerasOrdered.allSatisfy({ (0..<x.rank).contains($0) }) else {
      throw context.invalid("'axis' is \(all), but its input has \(x.rank) axes.")
    }
    // If the reduced axes stay with an extent of 1, the result can stay channels-first.
    let stays: Bool = keeps && x.isChannelFirst
    let made = try context.add(
      ReduceAxesOperator(
        mode, axes: stays ? context.graphAxes(kerasOrdered, x) : kerasOrdered, keepsAxes: keeps),
      stays ? x.value : context.kerasOrdered(x))
    return KerasTensor(
      made, rank: keeps ? x.rank : x.rank - kerasOrdered.count, isChannelFirst: stays)
  }

  /// Computes the variance: the mean squared difference from the mean.
  fileprivate func variance() throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    let axes: [Int]? = try ints("axis")
    let mean: KerasTensor = try reduced(.mean, x, axes: axes, keeps: true)
    let centred: KerasTensor = try joined(.subtract, .tensor(x), .tensor(mean))
    let squares: KerasTensor = try joined(.multiply, .tensor(centred), .tensor(centred))
    return try reduced(.mean, squares, axes: axes, keeps: flag("keepdims"))
  }

  /// Computes the index of the largest or smallest value, along an axis or among all elements.
  fileprivate func position(_ mode: ReductionMode) throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    if let axis = try int("axis") {
      return try reduced(mode, x, axes: [axis], keeps: flag("keepdims"))
    }
    // If no axis is given, TensorFlow searches along the first axis, and Keras among all elements.
    if layer.type.hasSuffix("OpLambda") { return try reduced(mode, x, axes: [0], keeps: false) }
    guard try !flag("keepdims") else { throw wrong("keepdims", "False without an axis") }
    let flat = try context.add(ReshapeStaticOperator(targetShape: [-1]), context.kerasOrdered(x))
    return KerasTensor(try context.add(ReduceAxesOperator(mode, axes: [0]), flat), rank: 0)
  }

  /// Computes L2 normalisation, `x / √max(Σ x², least)`.
  fileprivate func normalized(atLeast least: Double) throws -> KerasTensor {
    let x: KerasTensor = try tensor()
    let sum: KerasTensor = try reduced(.sumOfSquares, x, axes: ints("axis"), keeps: true)
    let bounded = try context.add(UnaryOperator(.threshold(alpha: Float(least))), sum.value)
    let factor = try context.add(UnaryOperator(.reciprocalSquareRoot(epsilon: 0)), bounded)
    return try joined(
      .multiply, .tensor(x),
      .tensor(KerasTensor(factor, rank: sum.rank, isChannelFirst: sum.isChannelFirst)))
  }
}
