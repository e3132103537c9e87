import Graph
import Operators

/// Loss functions of classifiers.
enum LossReaders {
  static let all: [NodeReader] = [
    NodeReader(
      "NegativeLogLikelihoodLoss", as: [GatherAlongAxisOperator.self, ReduceAxesOperator.self]
    ) { node in
      let x: ONNXTensor = try node.tensor(0)
      return [try node.loss(of: x.id, x.element)]
    },
    NodeReader(
      "SoftmaxCrossEntropyLoss", as: [GatherAlongAxisOperator.self, ReduceAxesOperator.self]
    ) { node in
      let x: ONNXTensor = try node.tensor(0)
      let logs: Graph.ValueID = try node.logarithmOfSoftmax(x.id, axis: 1)
      return [try node.loss(of: logs, x.element), ONNXTensor(logs, x.element)]
    },
  ]
}

extension ONNXNode {
  /// Computes −log p, where p is the probability of the target class. The node states the weights of the classes and
  /// the reduction. The classes are the second axis of `[N, C, …]`.
  fileprivate func loss(of logs: Graph.ValueID, _ element: ElementType) throws -> ONNXTensor {
    let target: ONNXTensor = try tensor(1)
    let rank: Int = try rank(target)
    guard rank >= 1, builder.rank(of: logs) == rank + 1 else {
      throw invalid("the target has \(rank) axes, expected one less than the input.")
    }
    var classes: Graph.ValueID = try integer(target)
    var counts: Graph.ValueID?
    if let ignored = optionalInt("ignore_index") {
      let number = constant(ReferenceTensor([], integerValues: [Int64(clamping: ignored)], .int32))
      let isCounted = try add(
        CastOperator(to: .float32), join(.isNotEqual, classes, number))
      counts = isCounted
      // Ignored targets get the class 0, so that their index is valid.
      classes = try join(.multiply, classes, add(CastOperator(to: .int32), isCounted))
    }
    let picked = try add(GatherAlongAxisOperator(axis: 1), logs, stretched(classes, [1]))
    var losses = try scaled(squeezed(picked, [1], rank: rank + 1), by: -1)
    if let weights = try optional(2) {
      let own = try add(GatherOperator(axis: 0), real(weights), classes)
      counts = try counts.map { try join(.multiply, $0, own) } ?? own
    }
    if let counts { losses = try join(.multiply, losses, counts) }
    let axes = Array(0..<rank)
    switch string("reduction", or: "mean") {
    case "none": return ONNXTensor(losses, element)
    case "sum":
      return ONNXTensor(
        try reduced(losses, .sum, axes, keepsAxes: false, rank: rank), element)
    case "mean":
      guard let counts else {
        return ONNXTensor(
          try reduced(losses, .mean, axes, keepsAxes: false, rank: rank), element)
      }
      let sum = try reduced(losses, .sum, axes, keepsAxes: false, rank: rank)
      let all = try reduced(counts, .sum, axes, keepsAxes: false, rank: rank)
      return ONNXTensor(try join(.divide, sum, all), element)
    case let other: throw invalid("the reduction is '\(other)', expected none, sum or mean.")
    }
  }
}
