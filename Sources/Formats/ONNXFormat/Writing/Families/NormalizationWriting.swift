import Graph
import Operators

/// Normalisations, scales and softmax.
enum NormalizationWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(BatchNormOperator.self) { operation, node in
      let parameters: [String] = try (1..<node.node.inputs.count).map { try node.input($0) }
      return try node.asPictures { x in
        switch operation.statistics {
        case .given:
          return node.emit(
            "BatchNormalization", [x] + parameters, .float("epsilon", operation.epsilon))
        case .instance:
          return node.emit(
            "InstanceNormalization", [x] + parameters, .float("epsilon", operation.epsilon))
        case .batch:
          let normal: String = node.normalized(x, over: [0, 2, 3], operation.epsilon)
          let shape: [Int] = [operation.channels, 1, 1]
          let product: String = node.emit("Mul", [normal, node.reshaped(parameters[0], to: shape)])
          return node.emit("Add", [product, node.reshaped(parameters[1], to: shape)])
        }
      }
    },
    OperatorWriting(ScaleOperator.self) { operation, node in
      let product: String = node.emit("Mul", [try node.input(), try node.input(1)])
      return operation.hasBias ? node.emit("Add", [product, try node.input(2)]) : product
    },
    OperatorWriting(BiasOperator.self) { _, node in node.emit("Add", try node.inputs()) },
    OperatorWriting(LayerNormalizationOperator.self) { operation, node in
      let shape: Shape = operation.normalizedShape
      let gamma: String
      if operation.hasGamma {
        gamma = try node.input(1)
      } else {
        let count: Int = try Shape.computed(shape.dimensions, "its factors").count
        gamma = node.writer.floats([Float](repeating: 1, count: count), shape.dimensions)
      }
      let beta: [String] = operation.hasBeta ? [try node.input(operation.hasGamma ? 2 : 1)] : []
      return node.emit(
        "LayerNormalization", [try node.input(), gamma] + beta, .int("axis", -shape.rank),
        .float("epsilon", operation.epsilon))
    },
    OperatorWriting(LocalResponseNormalizationOperator.self) { operation, node in
      guard operation.size % 2 == 1 else {
        throw node.unsupported(
          "its window is even, and ONNX puts the odd channel on the other side.")
      }
      return try node.asPictures { x in
        node.emit(
          "LRN", [x], .float("alpha", operation.alpha), .float("beta", operation.beta),
          .float("bias", operation.k), .int("size", operation.size))
      }
    },
    OperatorWriting(L2NormalizeOperator.self) { operation, node in
      let x: String = try node.input()
      let sum: String = node.emit("ReduceSumSquare", [x, node.ints([-3, -2, -1])])
      let length: String = node.emit(
        "Sqrt", [node.emit("Add", [sum, node.number(Double(operation.epsilon))])])
      return node.emit("Div", [x, length])
    },
    OperatorWriting(MeanVarianceNormalizeOperator.self) { operation, node in
      let x: String = try node.input()
      let axes: [Int] = operation.acrossChannels ? [-3, -2, -1] : [-2, -1]
      guard operation.normalizesVariance else {
        return node.emit("Sub", [x, node.emit("ReduceMean", [x, node.ints(axes)])])
      }
      return node.normalized(x, over: axes, operation.epsilon)
    },
    OperatorWriting(SoftmaxOperator.self) { _, node in
      let axis: Int = try node.rank() - 3
      return node.emit("Softmax", [try node.input()], .int("axis", axis))
    },
    OperatorWriting(SoftmaxNDOperator.self) { operation, node in
      node.emit("Softmax", [try node.input()], .int("axis", operation.axis))
    },
  ]
}

extension NodeContext {
  /// Computes (x − mean) / √(variance + ε) over axes.
  fileprivate func normalized(_ x: String, over axes: [Int], _ epsilon: Float) -> String {
    let centred: String = emit("Sub", [x, emit("ReduceMean", [x, ints(axes)])])
    let variance: String = emit("ReduceMean", [emit("Mul", [centred, centred]), ints(axes)])
    let deviation: String = emit("Sqrt", [emit("Add", [variance, number(Double(epsilon))])])
    return emit("Div", [centred, deviation])
  }
}
