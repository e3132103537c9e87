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
      var operation = FusedAttention()
      change(&operation)
      return OperatorSample(
        name, derived: operation, inputs: shapes.map { ($0, fill) }, tolerance: .accumulation)
    }
    return [
      OperatorSample(
        "two keys", derived: FusedAttention(),
        inputs: [
          ([1, 1, 1], .values([1])), ([1, 2, 1], .values([0, 1.0986122886681098])),
          ([1, 2, 2], .values([4, 0, 8, 4])),
        ],
        expected: [ReferenceTensor([1, 1, 2], [7, 3])], tolerance: .accumulation),
      attention("heads first", [[2, 3, 9, 8], [2, 3, 21, 8], [2, 3, 21, 5]]) { $0.scale = 0.5 },
      attention("rows first", [[2, 9, 3, 8], [2, 21, 3, 8], [2, 21, 3, 16]]) {
        ($0.query, $0.key, $0.value, $0.result) = (.rowsFirst, .rowsFirst, .rowsFirst, .rowsFirst)
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
      // All sums of these integers are exact. One score of each row is so much larger that all weights are 0 or 1.
      attention(
        "roundings", [[1, 2, 9, 16], [1, 2, 5, 16], [1, 2, 5, 7]], fill: .integers(-40...40)
      ) {
        ($0.rounds, $0.roundsResult) = (true, true)
      },
      OperatorSample(
        "keys of another width", derived: FusedAttention(),
        inputs: [
          ([1, 2, 3], .uniform(-1...1)), ([1, 2, 4], .uniform(-1...1)),
          ([1, 2, 4], .uniform(-1...1)),
        ],
        failure: "expected query, key and value that fit each other"),
    ]
  }
}
