import Graph
import Operators

extension FoldWindowsOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func fold(
      _ extents: [Int]?, _ kernel: [Int]?, strides: [Int] = [1, 1], dilations: [Int] = [1, 1],
      before: [Int] = [0, 0], after: [Int] = [0, 0]
    ) -> FoldWindowsOperator {
      FoldWindowsOperator(
        extents: extents, kernel: kernel, strides: strides, dilations: dilations, before: before,
        after: after)
    }
    return [
      // The answers are sums of neighbouring elements, computed by hand.
      OperatorSample(
        "along a line",
        derived: fold([4], [2], strides: [1], dilations: [1], before: [0], after: [0]),
        inputs: [([1, 2, 3], .values([1, 2, 3, 10, 20, 30]))],
        expected: [ReferenceTensor([1, 1, 4], [1, 12, 23, 30])]),
      OperatorSample(
        "adjacent windows", derived: fold([2, 4], [1, 2], strides: [1, 2]),
        inputs: [([1, 2, 4], .values([0, 1, 2, 3, 4, 5, 6, 7]))],
        expected: [ReferenceTensor([1, 1, 2, 4], [0, 4, 1, 5, 2, 6, 3, 7])]),
      OperatorSample(
        "a cropped margin",
        derived: fold([2, 2], [2, 2], before: [1, 0], after: [0, 1]),
        inputs: [
          ([1, 4, 4], .values([1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128]))
        ],
        expected: [ReferenceTensor([1, 1, 2, 2], [18, 90, 32, 160])]),
      OperatorSample(
        "many channels, strides and dilations",
        derived: fold(
          [9, 11], [3, 2], strides: [2, 3], dilations: [2, 1], before: [2, 1], after: [1, 1]),
        inputs: [OperatorSample.random([2, 5 * 6, 4 * 4])], tolerance: .accumulation),
      OperatorSample(
        "a volume",
        derived: fold(
          [3, 4, 5], [2, 2, 2], strides: [1, 1, 1], dilations: [1, 1, 1], before: [0, 0, 0],
          after: [0, 0, 0]),
        inputs: [OperatorSample.random([1, 2 * 8, 2 * 3 * 4])], tolerance: .accumulation),
      OperatorSample(
        "sizes as inputs", derived: fold(nil, nil),
        inputs: [
          OperatorSample.random([2, 3 * 4, 4 * 5]), OperatorSample.text([2], "5 6"),
          OperatorSample.text([2], "2 2"),
        ], tolerance: .accumulation),
      OperatorSample(
        "a different number of windows", derived: fold([4, 4], [2, 2]),
        inputs: [OperatorSample.random([1, 4, 8])],
        failure: "expected [N, C · 4, 9]: 9 windows of 4 elements."),
      OperatorSample(
        "a window larger than the input", derived: fold([2, 2], [2, 3]),
        inputs: [OperatorSample.random([1, 6, 1])],
        failure: "a window of 3 in steps of 1 is longer than an axis of 2 with its padding."),
      OperatorSample(
        "sizes for other axes", derived: fold([4], [2, 2]),
        inputs: [OperatorSample.random([1, 4, 9])], failure: "for other numbers of axes"),
    ]
  }
}
