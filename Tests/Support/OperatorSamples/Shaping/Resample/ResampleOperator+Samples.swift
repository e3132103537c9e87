import Graph
import Operators

extension ResampleOperator: SampledOperator {
  public static let samples: [OperatorSample] = {
    let square: (Shape, OperatorSample.Fill) = ([1, 1, 2, 2], .values([11, 22, 33, 44]))
    let coordinatePairs: (Shape, OperatorSample.Fill) = (
      [1, 2, 2, 2], .values([-1, -2, -3.7, -1, 0, 0, 3.5, 1.2])
    )
    func answer(_ numbers: [Double]) -> [ReferenceTensor] {
      [ReferenceTensor([1, 1, 2, 2], numbers)]
    }
    func wide(_ name: String, _ operation: ResampleOperator, _ channels: Int, shared: Bool = false)
      -> OperatorSample
    {
      OperatorSample(
        name, derived: operation,
        inputs: [
          ([2, channels, 6, 9], .uniform(-1...1)), ([shared ? 1 : 2, 7, 11, 2], .uniform(-3...10)),
        ], tolerance: .accumulation)
    }
    return [
      // The answers are from coremltools' tests. The only difference is that 3.7 has single precision here.
      OperatorSample(
        "a constant around",
        derived: ResampleOperator(
          border: .constant(6), coordinates: .minusOneToOne(endsAreCentres: true)),
        inputs: [square, coordinatePairs], expected: answer([8.5, 6, 27.5, 6]),
        tolerance: .accumulation),
      OperatorSample(
        "the nearest pixel, replicated edge",
        derived: ResampleOperator(isNearest: true, border: .edge, coordinates: .pixels),
        inputs: [square, coordinatePairs], expected: answer([11, 11, 11, 44]), tolerance: .exact),
      OperatorSample(
        "mirrored without the edge",
        derived: ResampleOperator(
          border: .reflection, coordinates: .zeroToOne(endsAreCentres: true)),
        inputs: [square, coordinatePairs], expected: answer([22, 36.3, 11, 34.1]),
        tolerance: .accumulation),
      OperatorSample(
        "the nearest pixel, mirrored with the edge",
        derived: ResampleOperator(
          isNearest: true, border: .symmetry, coordinates: .zeroToOne(endsAreCentres: false)),
        inputs: [square, coordinatePairs], expected: answer([22, 33, 11, 33]), tolerance: .exact),
      wide("many channels", ResampleOperator(border: .constant(-2), coordinates: .pixels), 19),
      wide(
        "many channels, mirrored", ResampleOperator(border: .symmetry, coordinates: .pixels), 19),
      wide("one channel", ResampleOperator(border: .reflection, coordinates: .pixels), 1),
      wide(
        "the same coordinates for all",
        ResampleOperator(border: .edge, coordinates: .minusOneToOne(endsAreCentres: false)), 3,
        shared: true),
      OperatorSample(
        "coordinates for a different batch",
        derived: ResampleOperator(border: .edge, coordinates: .pixels),
        inputs: [([2, 1, 3, 3], .uniform(-1...1)), ([3, 1, 1, 2], .uniform(0...2))],
        failure: "expected batch × C × H × W and batch × H' × W' × 2"),
      OperatorSample(
        "no pixels", derived: ResampleOperator(border: .edge, coordinates: .pixels),
        inputs: [([1, 1, 0, 3], .uniform(-1...1)), ([1, 1, 1, 2], .uniform(0...2))],
        failure: "have no pixels to read"),
    ]
  }()
}
