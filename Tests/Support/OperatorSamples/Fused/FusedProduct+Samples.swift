import CPUBackend
import Graph
import Operators

extension FusedProduct: SampledOperator {
  /// The literal answers were computed with Python's `math.erf` and `math.exp`.
  public static var samples: [OperatorSample] {
    func product(_ name: String, _ epilogue: Epilogue, rows: Int = 5) -> OperatorSample {
      OperatorSample(
        name, derived: FusedProduct(.ofRows, [epilogue]), inputs: [([rows, 16], .uniform(-1...1))],
        constants: [([24, 16], .uniform(-1...1)), ([24], .uniform(-1...1))],
        tolerance: .accumulation)
    }
    func literal(_ name: String, _ epilogue: Epilogue, _ expected: [Double]) -> OperatorSample {
      OperatorSample(
        name, derived: FusedProduct(.ofRows, [epilogue]),
        inputs: [([1, 2], .values([1, -2])), ([2, 2], .values([1, 0, 0.5, 1]))],
        expected: [ReferenceTensor([1, 2], expected)], tolerance: .accumulation)
    }
    /// Sums of these integers are exact in `float32`, but `float16` holds only some of them.
    func rounded(
      _ name: String, _ steps: [Epilogue], isConstant: Bool = true, count: Int = 80
    ) -> OperatorSample {
      let numbers: OperatorSample.Fill = .integers(-40...40)
      let matrix: [(Shape, OperatorSample.Fill)] = [([24, 16], numbers)]
      let residual: [(Shape, OperatorSample.Fill)] =
        steps.contains(.residual(.init())) ? [([1, count, 24], .integers(-9000...9000))] : []
      let rows: [(Shape, OperatorSample.Fill)] = [([1, count, 16], numbers)]
      let bias: [(Shape, OperatorSample.Fill)] = [([24], numbers)]
      return OperatorSample(
        name, derived: FusedProduct(.ofRows, steps), inputs: isConstant ? rows : rows + matrix,
        constants: (isConstant ? matrix + bias : bias) + residual)
    }
    return [
      // 2049 and 2051 lie between two float16 values. With the residual 1 they become 2049 and 2053 first.
      OperatorSample(
        "a rounding, a residual, a rounding",
        derived: FusedProduct(.ofRows, [.rounding, .residual(.init()), .rounding]),
        inputs: [
          ([1, 1, 1], .values([1])), ([2, 1], .values([2049, 2051])),
          ([1, 1, 2], .values([1, 1])),
        ],
        expected: [ReferenceTensor([1, 1, 2], [2048, 2052])]),
      rounded("a rounding", [.rounding]),
      rounded("a rounding, then a ReLU", [.rounding, .activation(.reLU)]),
      rounded("a GELU between roundings", [.rounding, .gelu(.exact), .rounding]),
      rounded("a residual between roundings", [.rounding, .residual(.init()), .rounding]),
      rounded("many rows, a residual", [.rounding, .residual(.init()), .rounding], count: 260),
      rounded(
        "a residual between roundings, the matrix changes",
        [.rounding, .residual(.init()), .rounding], isConstant: false),
      rounded("a sum that is not rounded before a sigmoid", [.activation(.sigmoid), .rounding]),
      literal("the exact GELU", .gelu(.exact), [0.841344746, -0.100210802]),
      literal("a swish", .swish, [0.731058579, -0.273638286]),
      product("a ReLU", .activation(.reLU)),
      product("a tanh, 80 rows", .activation(.tanh), rows: 80),
      product("the GELU by tanh, 80 rows", .gelu(.tanhApproximation), rows: 80),
      product("the GELU by a sigmoid", .gelu(.sigmoidApproximation)),
      product("a swish, 80 rows", .swish, rows: 80),
      product("a hard swish, 80 rows", .hardSwish(.standard), rows: 80),
      product("an ELU", .activation(.elu(alpha: 0.5))),
      OperatorSample(
        "a matrix of another width", derived: FusedProduct(.ofRows, [.swish]),
        inputs: [([2, 3], .uniform(-1...1)), ([4, 5], .uniform(-1...1))],
        failure: "the input has the shape 2 × 3, expected its last dimension to be 5"),
    ]
  }
}
