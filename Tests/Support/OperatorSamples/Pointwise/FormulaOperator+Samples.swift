import Graph
import Operators

extension FormulaOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    let (a, b): (Formula, Formula) = (.operand(0), .operand(1))
    let polynomial: Formula = a * (1 - b * b) + .power(a, 3) / 2
    func sample(_ name: String, _ formula: Formula, _ shapes: Shape...) -> OperatorSample {
      OperatorSample(
        name, derived: FormulaOperator(formula, inputCount: shapes.count),
        inputs: shapes.map { ($0, .uniform(0.25...2)) }, tolerance: .accumulation)
    }
    let functions: [UnaryFunction] = [
      .magnitude, .sign, .exponential, .logarithm, .squareRoot, .inverse, .tanh, .sigmoid, .sine,
      .cosine, .hyperbolicSine, .hyperbolicCosine, .errorFunction, .floor,
    ]
    let sums: [Formula] = functions.map { Formula.function($0, a) }
    return [
      // By hand: for a = 2 and b = 3, 2 · (1 − 9) + 8 / 2 = −12. For a = −1 and b = 2, −1 · (1 − 4) − 1 / 2 = 2.5.
      OperatorSample(
        "a polynomial", derived: FormulaOperator(polynomial, inputCount: 2),
        inputs: [([2], .values([2, -1])), ([2], .values([3, 2]))],
        expected: [ReferenceTensor([2], [-12, 2.5])]),
      // Computed by hand.
      OperatorSample(
        "a gate", derived: FormulaOperator(a.gated(by: b), inputCount: 2),
        inputs: [([3], .values([5, 6, 7])), ([3], .values([1, 0, -1]))],
        expected: [ReferenceTensor([3], [5, 0, 0])], tolerance: .exact),
      OperatorSample(
        "one number per channel, broadcast over an image",
        derived: FormulaOperator(a, inputCount: 2),
        inputs: [([2, 1, 1], .values([1, 2])), ([1, 2, 1, 2], .uniform(-1...1))],
        expected: [ReferenceTensor([1, 2, 1, 2], [1, 1, 2, 2])], tolerance: .exact),
      sample("a polynomial of images", polynomial, [2, 5, 7, 9], [2, 5, 7, 9]),
      sample("joined with one number per channel", polynomial, [2, 5, 7, 9], [5, 1, 1]),
      sample(
        "comparisons",
        Formula.select(a.isAbove(b), a, b.isAtLeast(1)) + .operation(.isEqual, a, b)
          + .operation(.maximum, a, b) * .operation(.minimum, a, b) + .operation(.power, a, b),
        [1, 3, 4, 5], [1, 3, 4, 5]),
      sample(
        "the first functions", sums[0..<7].dropFirst().reduce(sums[0]) { $0 + $1 }, [1, 3, 4, 5]),
      sample(
        "the other functions", sums[7...].dropFirst().reduce(sums[7]) { $0 + $1 }, [1, 3, 4, 5]),
      OperatorSample(
        "one input too few", derived: FormulaOperator(a, inputCount: 2),
        inputs: [([2], .uniform(0...1))], failure: "has 1 inputs, expected 2"),
    ]
  }
}
