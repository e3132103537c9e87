import Graph
import Operators

extension PaddingGradientOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func sample(_ name: String, _ mode: PaddingOperator.Mode, _ amount: Int, _ shape: Shape)
      -> OperatorSample
    {
      let amounts = EdgeAmounts(top: amount, bottom: amount - 1, left: amount, right: amount - 1)
      var padded: Shape = shape
      padded[-2] += 2 * amount - 1
      padded[-1] += 2 * amount - 1
      return OperatorSample(
        name,
        derived: PaddingGradientOperator(PaddingOperator(amounts: amounts, mode: mode), of: shape),
        inputs: [(padded, .uniform(-1...1))], tolerance: .accumulation)
    }
    let row = EdgeAmounts(left: 2, right: 1)
    func known(_ name: String, _ mode: PaddingOperator.Mode, _ answer: [Double]) -> OperatorSample {
      OperatorSample(
        name,
        derived: PaddingGradientOperator(PaddingOperator(amounts: row, mode: mode), of: [1, 3]),
        inputs: [([1, 6], .values([1, 10, 100, 1000, 10_000, 100_000]))],
        expected: [ReferenceTensor([1, 3], answer)], tolerance: .rounding)
    }
    return [
      // By hand: 1 2 3 becomes 3 2 | 1 2 3 | 2 by reflection, 1 1 | 1 2 3 | 3 by replication, and c c | 1 2 3 | c by a
      // constant c. The gradient of an element is the sum of the gradients at the positions of its copies.
      known("reflection", .reflection, [100, 101_010, 10_001]),
      known("replication", .replication, [111, 1000, 110_000]),
      known("constant", .constant(1), [100, 1000, 10_000]),
      sample("reflection as in style networks", .reflection, 4, [2, 16, 9, 11]),
      sample("reflection of all but one pixel", .reflection, 4, [1, 3, 5, 5]),
      sample("repeated reflection", .reflection, 7, [1, 3, 3, 4]),
      sample("replication by more than the image's size", .replication, 9, [1, 5, 3, 4]),
      sample("a constant padding", .constant(0.5), 2, [2, 5, 6, 7]),
      OperatorSample(
        "another shape",
        derived: PaddingGradientOperator(PaddingOperator(amounts: row), of: [1, 3]),
        inputs: [([1, 5], .uniform(-1...1))], failure: "the gradient is 1 × 5, expected 1 × 6"),
    ]
  }
}
