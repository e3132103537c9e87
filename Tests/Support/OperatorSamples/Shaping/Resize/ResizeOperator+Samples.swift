import Graph
import Operators

extension ResizeOperator: SampledOperator {
  // Expected values were computed by NumPy.
  public static var samples: [OperatorSample] { linearSamples + nearestSamples + badSamples }

  private static let linearSamples: [OperatorSample] = [
    OperatorSample(
      "a row by its default grid",
      derived: ResizeOperator(sizes: [5], mode: .linear, grid: .upsample),
      inputs: [([1, 1, 2], .values([0, 1]))],
      expected: [ReferenceTensor([1, 1, 5], [0, 0.4, 0.8, 1, 1])], tolerance: .accumulation),
    OperatorSample(
      "computed sizes, one unchanged",
      derived: ResizeOperator(sizes: nil, mode: .linear, grid: .strictAlignEndpoints),
      inputs: [([2, 2], .values([0, 1, 2, 3])), ([2], .values([0, 3]))],
      expected: [ReferenceTensor([2, 3], [0, 0.5, 1, 2, 2.5, 3])], tolerance: .accumulation),
    OperatorSample(
      "regions of interest of the input's size",
      derived: ResizeOperator(sizes: [0], mode: .linear, grid: .regionOfInterest),
      inputs: [([2, 2], .values([0, 1, 2, 3]))],
      expected: [ReferenceTensor([2, 2], [0.25, 0.75, 2.25, 2.75])], tolerance: .accumulation),
    OperatorSample(
      "regions of interest of many channels",
      derived: ResizeOperator(sizes: [7, 5], mode: .linear, grid: .regionOfInterest),
      inputs: [([2, 19, 7, 9], .uniform(-1...1))], tolerance: .accumulation),
    OperatorSample(
      "images of many channels",
      derived: ResizeOperator(sizes: [13, 4], mode: .linear, grid: .pixelCentres),
      inputs: [([2, 19, 7, 9], .uniform(-1...1))], tolerance: .accumulation),
    OperatorSample(
      "three axes",
      derived: ResizeOperator(sizes: [2, 5, 9], mode: .linear, grid: .alignEndpoints),
      inputs: [([2, 3, 4, 5], .uniform(-1...1))], tolerance: .accumulation),
  ]

  private static let nearestSamples: [OperatorSample] = [
    OperatorSample(
      "two rows to three", derived: ResizeOperator(sizes: [3], mode: .nearest, grid: .pixelCentres),
      inputs: [([2], .values([1, 2]))], expected: [ReferenceTensor([3], [1, 2, 2])],
      tolerance: .exact),
    OperatorSample(
      "two rows to three, aligned at their starts",
      derived: ResizeOperator(sizes: [3], mode: .nearest, grid: .upsample),
      inputs: [([2], .values([1, 2]))], expected: [ReferenceTensor([3], [1, 1, 2])],
      tolerance: .exact),
    OperatorSample(
      "many channels, nearest",
      derived: ResizeOperator(sizes: [13, 4], mode: .nearest, grid: .pixelCentres),
      inputs: [([2, 19, 7, 9], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "corners aligned, nearest",
      derived: ResizeOperator(sizes: [3, 11], mode: .nearest, grid: .strictAlignEndpoints),
      inputs: [([1, 3, 5, 6], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "four axes, nearest",
      derived: ResizeOperator(sizes: [3, 4, 0, 5], mode: .nearest, grid: .alignEndpoints),
      inputs: [([2, 3, 4, 5], .uniform(-1...1))], tolerance: .exact),
    OperatorSample(
      "computed sizes, nearest",
      derived: ResizeOperator(sizes: nil, mode: .nearest, grid: .regionOfInterest),
      inputs: [([2, 3, 4], .uniform(-1...1)), ([2], .values([5, 0]))], tolerance: .exact),
  ]

  private static let badSamples: [OperatorSample] = [
    OperatorSample(
      "more sizes than axes",
      derived: ResizeOperator(sizes: [2, 2], mode: .nearest, grid: .upsample),
      inputs: [([3], .uniform(-1...1))],
      failure: "2 sizes are given, but the input has 1 dimensions"),
    OperatorSample(
      "nothing to resize", derived: ResizeOperator(sizes: [2], mode: .linear, grid: .upsample),
      inputs: [([1, 0], .uniform(-1...1))],
      failure: "has no elements to resize from"),
    OperatorSample(
      "a negative size", derived: ResizeOperator(sizes: [-2], mode: .linear, grid: .upsample),
      inputs: [([1, 3], .uniform(-1...1))], failure: "the output would have an extent of -2"),
  ]
}
