import CPUBackend
import Graph
import Operators

extension FusedProduct: SampledOperator {
  /// The literal answers were computed with Python's `math.erf` and `math.exp`.
  public static var samples: [OperatorSample] {
    func product(_ name: String, _ epilogue: Epilogue, rows: Int = 5) -> OperatorSample {
      OperatorSample(
        name, derived: FusedProduct(.ofRows, epilogue), inputs: [([rows, 16], .uniform(-1...1))],
        constants: [([24, 16], .uniform(-1...1)), ([24], .uniform(-1...1))],
        tolerance: .accumulation)
    }
    func literal(_ name: String, _ epilogue: Epilogue, _ expected: [Double]) -> OperatorSample {
      OperatorSample(
        name, derived: FusedProduct(.ofRows, epilogue),
        inputs: [([1, 2], .values([1, -2])), ([2, 2], .values([1, 0, 0.5, 1]))],
        expected: [ReferenceTensor([1, 2], expected)], tolerance: .accumulation)
    }
    return [
      literal("the exact GELU", .gelu(.exact), [0.841344746, -0.100210802]),
      literal("a swish", .swish, [0.731058579, -0.273638286]),
      product("a ReLU", .activation(.reLU)),
      product("a tanh, 80 rows", .activation(.tanh), rows: 80),
      product("the GELU by tanh, 80 rows", .gelu(.tanhApproximation), rows: 80),
      product("the GELU by a sigmoid", .gelu(.sigmoidApproximation)),
      product("a swish, 80 rows", .swish, rows: 80),
      product("an ELU", .activation(.elu(alpha: 0.5))),
      OperatorSample(
        "a matrix of another width", derived: FusedProduct(.ofRows, .swish),
        inputs: [([2, 3], .uniform(-1...1)), ([4, 5], .uniform(-1...1))],
        failure: "the input has the shape 2 × 3, expected its last dimension to be 5"),
    ]
  }
}
