import Graph
import Operators

extension CaffeLayerReader {
  /// Reductions over axes.
  static let reduction: [CaffeLayerReader] = [
    CaffeLayerReader(
      "Reduction", "reduction", fields: KnownFields(["operation", "axis", "coeff"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("reduction")
      let x = try context.input()
      let rank: Int = try context.rank(x)
      let first: Int = try context.axis(parameters.int("axis", or: 0), rank: rank)
      let modes: [String: ReductionMode] = [
        "SUM": .sum, "ASUM": .l1, "SUMSQ": .sumOfSquares, "MEAN": .mean,
      ]
      let operation: String = parameters.word("operation") ?? "SUM"
      guard let mode = modes[operation] else {
        throw context.invalid("'operation' is \(operation), expected SUM, ASUM, SUMSQ or MEAN.")
      }
      let made = try context.add(ReduceAxesOperator(mode, axes: Array(first..<rank)), x)
      let factor: Float = try parameters.float("coeff", or: 1)
      return factor == 1 ? made : try context.number(.multiply, made, factor)
    },
    CaffeLayerReader(
      "ArgMax", "argmax", fields: KnownFields(["out_max_val", "top_k", "axis"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("argmax")
      let x = try context.input()
      guard try parameters.int("top_k", or: 1) == 1, try !parameters.bool("out_max_val", or: false)
      else { throw context.unsupported("it outputs more than the index of the largest value.") }
      let rank: Int = try context.rank(x)
      if parameters.has("axis") {
        let axis: Int = try context.axis(parameters.int("axis", or: 1), rank: rank)
        return try context.add(
          ReduceAxesOperator(.indexOfMaximum, axes: [axis], keepsAxes: true), x)
      }
      let flat = try context.add(ReshapeStaticOperator(targetShape: [0, 1, -1]), x)
      return try context.add(
        ReduceAxesOperator(.indexOfMaximum, axes: [2], keepsAxes: true), flat)
    },
  ]

  /// Layers that only training needs. Their readers return no value.
  static let training: [CaffeLayerReader] = [
    "Accuracy", "EuclideanLoss", "SigmoidCrossEntropyLoss", "HingeLoss", "InfogainLoss",
    "ContrastiveLoss", "MultinomialLogisticLoss", "Silence", "HDF5Output", "MultiBoxLoss",
    "DetectionEvaluate",
  ].map { type in CaffeLayerReader(several: type) { _ in [] } }
}
