import Graph
import Operators

extension KerasOperationReader {
  /// Operations that compute activation functions. Keras also has layers for these functions.
  static let activations: [KerasOperationReader] =
    [
      "relu", "relu6", "sigmoid", "tanh", "softplus", "softsign", "selu", "mish", "hard_sigmoid",
      "hard_silu", "hard_swish",
    ].map { name in
      KerasOperationReader(name, parameters: "x|features|input") {
        try $0.activated(name)
      }
    } + [
      KerasOperationReader("silu", "swish", parameters: "x|features beta") { operation in
        guard try operation.number("beta", or: 1) == 1 else { throw operation.wrong("beta", "1") }
        return try operation.activated("silu")
      },
      KerasOperationReader("elu", parameters: "x|features alpha") {
        try $0.activated("elu", ["alpha": try $0.number("alpha", or: 1)])
      },
      KerasOperationReader("leaky_relu", parameters: "x|features negative_slope|alpha") {
        try $0.activated(
          "leaky_relu", ["negative_slope": try $0.number("negative_slope", or: 0.2)])
      },
      KerasOperationReader("gelu", parameters: "x|features approximate") { operation in
        // If the argument `approximate` is missing, Keras computes the approximation of GELU. TensorFlow computes the
        // exact GELU.
        let standard: Bool = !operation.layer.type.hasSuffix("OpLambda")
        return try operation.activated(
          "gelu", ["approximate": try operation.flag("approximate", or: standard)])
      },
      KerasOperationReader("hard_tanh", parameters: "x") { operation in
        try operation.each { try $0.add(ClipOperator(minimum: -1, maximum: 1), $1) }
      },
      KerasOperationReader("log_sigmoid", parameters: "x") { operation in
        try operation.each { context, value in
          let other = try context.number(.multiply, value, -1)
          let soft = try context.add(ActivationOperator(.softplus), other)
          return try context.number(.multiply, soft, -1)
        }
      },
      KerasOperationReader("softmax", parameters: "x|logits axis") { operation in
        let x: KerasTensor = try operation.tensor()
        return KerasTensor(
          try operation.context.softmax(x, axis: operation.int("axis") ?? -1), rank: x.rank,
          isChannelFirst: x.isChannelFirst)
      },
      KerasOperationReader("log_softmax", parameters: "x|logits axis") { operation in
        let x: KerasTensor = try operation.tensor()
        let axis: Int = try operation.int("axis") ?? -1
        let sum = try operation.reduced(.logOfSumOfExponentials, x, axes: [axis], keeps: true)
        return try operation.joined(.subtract, .tensor(x), .tensor(sum))
      },
    ]
}

extension KerasOperation {
  /// Applies the activation function that Keras calls `name` to the argument `x`.
  fileprivate func activated(_ name: String, _ settings: [String: Any] = [:]) throws -> KerasTensor
  {
    try context.activated(try tensor(), by: name, KerasSettings(settings))
  }
}
