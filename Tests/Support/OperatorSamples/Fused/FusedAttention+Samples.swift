import CPUBackend
import Graph
import Operators

extension FusedAttention: SampledOperator {
  /// The literal answer: the scores are 0 and ln 3, so the weights are 1/4 and 3/4.
  public static var samples: [OperatorSample] {
    func attention(
      _ name: String, _ shapes: [Shape], fill: OperatorSample.Fill = .uniform(-1...1),
      _ change: (inout FusedAttention) -> Void
    ) -> OperatorSample {
      var operation = FusedAttention(shapes)
      change(&operation)
      return OperatorSample(
        name, derived: operation, inputs: shapes.map { ($0, fill) }, tolerance: .accumulation)
    }
    return [
      OperatorSample(
        "two keys", derived: FusedAttention([[1, 1, 1], [1, 2, 1], [1, 2, 2]]),
        inputs: [
          ([1, 1, 1], .values([1])), ([1, 2, 1], .values([0, 1.0986122886681098])),
          ([1, 2, 2], .values([4, 0, 8, 4])),
        ],
        expected: [ReferenceTensor([1, 1, 2], [7, 3])], tolerance: .accumulation),
      attention("heads first", [[2, 3, 9, 8], [2, 3, 21, 8], [2, 3, 21, 5]]) { $0.scale = 0.5 },
      attention("rows first", [[2, 9, 3, 8], [2, 21, 3, 8], [2, 21, 3, 16]]) {
        ($0.query, $0.key, $0.value) = ($0.query.exchanged, $0.key.exchanged, $0.value.exchanged)
        $0.result = .rowsFirst
        ($0.scale, $0.scalesQuery) = (0.125, true)
      },
      attention("a mask of all scores", [[3, 9, 8], [3, 21, 8], [3, 21, 5], [3, 9, 21]]) {
        $0.mask = .added
      },
      attention(
        "a mask of keys, for each sample",
        [[2, 3, 9, 8], [2, 3, 21, 8], [2, 3, 21, 5], [2, 1, 1, 21]]
      ) { ($0.mask, $0.result) = (.added, .rowsFirst) },
      attention(
        "a mask that the kernel does not read", [[3, 9, 8], [3, 21, 8], [3, 21, 5], [3, 9, 1]]
      ) {
        $0.mask = .added
      },
      attention(
        "keys that are hidden", [[3, 9, 8], [3, 21, 8], [3, 21, 5], [1, 9, 21]],
        fill: .integers(-1...1)
      ) { $0.mask = .hidden(-1e4) },
      attention("grouped heads", [[1, 6, 9, 8], [1, 2, 21, 8], [1, 2, 21, 5]]) { $0.scale = 0.5 },
      // The cache of two layers, of which the second is read: rows 3 to 8 of each head, in reverse order for the value.
      attention("parts of a cache", [[1, 6, 1, 16], [2, 1, 2, 12, 16], [2, 1, 2, 12, 16]]) {
        func part(_ rows: AxisSlice) -> StridedView {
          let slice = SliceStaticOperator(slices: [
            AxisSlice(begin: 1, isSqueezed: true), AxisSlice(), AxisSlice(), rows, AxisSlice(),
          ])
          let whole = StridedView([2, 1, 2, 12, 16])
          return whole.moved(by: slice, to: [1, 2, 6, 16]) ?? whole
        }
        $0.key = part(AxisSlice(begin: 3, end: 9))
        $0.value = part(AxisSlice(begin: 8, end: 2, stride: -1))
      },
      // All sums of these integers are exact. One score of each row is so much larger that all weights are 0 or 1.
      attention(
        "roundings", [[1, 2, 9, 16], [1, 2, 5, 16], [1, 2, 5, 7]], fill: .integers(-40...40)
      ) {
        ($0.rounds, $0.roundsResult) = (true, true)
      },
      OperatorSample(
        "keys of another width", derived: FusedAttention([[1, 2, 3], [1, 2, 4], [1, 2, 4]]),
        inputs: [
          ([1, 2, 3], .uniform(-1...1)), ([1, 2, 4], .uniform(-1...1)),
          ([1, 2, 4], .uniform(-1...1)),
        ],
        failure: "expected query, key and value that fit each other"),
    ]
  }
}

extension FusedAttention {
  /// Attention to complete tensors of these shapes.
  fileprivate init(_ shapes: [Shape]) {
    self.init(
      query: StridedView(shapes[0]), key: StridedView(shapes[1]), value: StridedView(shapes[2]))
  }
}

extension StridedView {
  /// The view with heads and rows exchanged.
  fileprivate var exchanged: StridedView {
    var result = self
    result.axes.swapAt(axes.count - 3, axes.count - 2)
    return result
  }
}
