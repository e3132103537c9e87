import Graph
import Operators

extension KerasLayerReader {
  /// Layers of activation functions.
  static let activation: [KerasLayerReader] = [
    KerasLayerReader(
      "ReLU", fields: KnownFields(["max_value", "negative_slope", "threshold"])
    ) { try $0.rectified() },
    KerasLayerReader("LeakyReLU", fields: KnownFields(["negative_slope", "alpha"])) { context in
      let slope: Double = try context.settings.number("negative_slope", "alpha", or: 0.3)
      return try context.apply(.leakyReLU(alpha: Float(slope)))
    },
    KerasLayerReader("ELU", fields: KnownFields(["alpha"])) {
      try $0.apply(.elu(alpha: Float(try $0.settings.number("alpha", or: 1))))
    },
    KerasLayerReader("ThresholdedReLU", fields: KnownFields(["theta"])) {
      try $0.apply(.thresholdedReLU(alpha: Float(try $0.settings.number("theta", or: 1))))
    },
    KerasLayerReader("PReLU", fields: KnownFields(["shared_axes"])) { try $0.parametric() },
    KerasLayerReader("Softmax", fields: KnownFields(["axis"])) { context in
      let x = try context.input()
      let axes: [Int] = try context.settings.ints("axis") ?? [-1]
      guard axes.count == 1 else {
        throw context.unsupported("'axis' has \(axes.count) axes, expected one.")
      }
      return try context.same(try context.softmax(x, axis: axes[0]))
    },
  ]
}

extension KerasContext {
  /// Applies an activation function to the first input.
  func apply(_ function: ActivationFunction) throws -> KerasTensor {
    try same(add(ActivationOperator(function), try input().value))
  }

  /// Computes softmax, e^x / Σ e^x, along one of Keras's axes.
  func softmax(_ x: KerasTensor, axis: Int) throws -> Graph.ValueID {
    let graphAxis: Int = try graphAxes([axis], x)[0]
    return try add(
      x.rank == 4 && graphAxis == 1 ? SoftmaxOperator() : SoftmaxNDOperator(axis: graphAxis),
      x.value)
  }

  /// Returns the name of an activation from the first of these settings that exists. Also returns the activation's own
  /// settings, which are empty if the file states none.
  func function(_ names: String...) throws -> (name: String, settings: KerasSettings) {
    for name in names {
      if let object = settings.object(name) {
        let own: String? = try object.text("class_name")
        if own == "function", let function = try object.text("config") {
          return (function, KerasSettings([:]))
        }
        let inner: KerasSettings = object.object("config") ?? KerasSettings([:])
        if let fields = KerasLayerReader.all[own ?? ""]?.fields { try inner.check(fields) }
        return (own ?? "", inner)
      }
      if let text = try settings.text(name) { return (text, KerasSettings([:])) }
    }
    return ("linear", KerasSettings([:]))
  }

  /// Applies the layer's activation to `x`, the result of the layer's other operators.
  func activated(_ x: KerasTensor) throws -> KerasTensor {
    let (name, own) = try function("activation")
    return try activated(x, by: name, own)
  }

  /// Applies the activation function that Keras calls `name` to a tensor. `own` holds the function's own settings.
  func activated(_ x: KerasTensor, by name: String, _ own: KerasSettings) throws -> KerasTensor {
    func made(_ value: Graph.ValueID) -> KerasTensor {
      KerasTensor(value, rank: x.rank, isChannelFirst: x.isChannelFirst)
    }
    func apply(_ function: ActivationFunction) throws -> KerasTensor {
      made(try add(ActivationOperator(function), x.value))
    }
    func times(_ factor: Graph.ValueID) throws -> KerasTensor {
      made(try add(BinaryFunctionOperator(.multiply), x.value, factor))
    }
    switch name {
    case "linear", "": return x
    case "relu": return try apply(.reLU)
    case "relu6": return made(try add(ClipOperator(minimum: 0, maximum: 6), x.value))
    case "sigmoid": return try apply(.sigmoid)
    case "tanh": return try apply(.tanh)
    case "softmax": return made(try softmax(x, axis: -1))
    case "log_softmax":
      return made(try add(UnaryFunctionOperator(.logarithm), softmax(x, axis: -1)))
    case "softplus": return try apply(.softplus)
    case "softsign": return try apply(.softsign)
    case "elu": return try apply(.elu(alpha: Float(try own.number("alpha", or: 1))))
    case "leaky_relu", "LeakyReLU":
      let standard: Double = name == "LeakyReLU" ? 0.3 : 0.2
      return try apply(
        .leakyReLU(alpha: Float(try own.number("negative_slope", "alpha", or: standard))))
    case "ReLU": return try rectified(x, own)
    case "exponential": return made(try add(UnaryFunctionOperator(.exponential), x.value))
    case "gelu":
      return made(
        try add(
          GeluOperator(
            try own.bool("approximate", or: false) ? .tanhApproximation : .exact), x.value))
    case "selu":
      let bent = try add(ActivationOperator(.elu(alpha: 1.673_263_242_354_377_2)), x.value)
      return made(try number(.multiply, bent, 1.050_700_987_355_480_5))
    case "swish", "silu": return try times(try add(ActivationOperator(.sigmoid), x.value))
    case "mish":
      let soft = try add(ActivationOperator(.softplus), x.value)
      return try times(try add(ActivationOperator(.tanh), soft))
    case "hard_sigmoid": return made(try add(ActivationOperator(network.hardSigmoid), x.value))
    case "hard_silu", "hard_swish":
      return try times(
        try add(ActivationOperator(.sigmoidHard(alpha: 1.0 / 6, beta: 0.5)), x.value))
    default:
      throw unsupported(
        "the activation '\(name)' is not known. Make it a separate layer and pass a class for it: --custom."
      )
    }
  }

  fileprivate func rectified() throws -> KerasTensor { try rectified(try input(), settings) }

  /// Computes ReLU with an upper bound, a negative slope and a threshold.
  private func rectified(_ x: KerasTensor, _ own: KerasSettings) throws -> KerasTensor {
    let slope: Double = try own.number("negative_slope", or: 0)
    let threshold: Double = try own.number("threshold", or: 0)
    var value = x.value
    if threshold == 0 {
      value = try add(
        ActivationOperator(slope == 0 ? .reLU : .leakyReLU(alpha: Float(slope))), value)
    } else {
      // The result is x if x ≥ threshold, else slope · (x − threshold).
      let above = try number(.isAtLeast, value, threshold)
      let scaled = try add(BinaryFunctionOperator(.multiply), above, value)
      let below = try add(
        ActivationOperator(.linear(alpha: Float(slope), beta: Float(-slope * threshold))), value)
      let rest = try add(ActivationOperator(.linear(alpha: -1, beta: 1)), above)
      value = try add(
        BinaryFunctionOperator(.add), scaled,
        try add(BinaryFunctionOperator(.multiply), rest, below))
    }
    if let most = try own.optionalNumber("max_value") {
      value = try add(ClipOperator(minimum: -.infinity, maximum: Float(most)), value)
    }
    return KerasTensor(value, rank: x.rank, isChannelFirst: x.isChannelFirst)
  }

  fileprivate func parametric() throws -> KerasTensor {
    let x = try input()
    var slopes: Constant = try weights(0, "the slopes")
    guard slopes.shape.rank == x.rank - 1 else {
      throw invalid("the slopes are \(slopes.shape) for an input of \(x.rank) axes.")
    }
    if x.isChannelFirst {
      slopes = slopes.transposed([x.rank - 2] + Array(0..<x.rank - 2))
    }
    if x.rank == 4, slopes.count == slopes.shape[0] {
      return try same(
        add(ChannelActivationOperator(.pReLU), x.value, constant(slopes, "slopes")))
    }
    let (value, slope): (Formula, Formula) = (.operand(0), .operand(1))
    let formula: Formula = .operation(.maximum, value, 0) + slope * .operation(.minimum, value, 0)
    return try same(
      add(FormulaOperator(formula, inputCount: 2), x.value, constant(slopes, "slopes")))
  }
}

extension KerasBuilder {
  /// The hard sigmoid as the version of Keras that wrote the file defines it.
  var hardSigmoid: ActivationFunction {
    version >= 3 ? .sigmoidHard(alpha: 1.0 / 6, beta: 0.5) : .sigmoidHard(alpha: 0.2, beta: 0.5)
  }
}
