import Graph
import Operators

extension CastOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // Computed by hand.
      OperatorSample(
        "to integers", derived: CastOperator(to: .int32),
        inputs: [([8], .values([1.9, -1.9, 0, 3e9, -3e9, 2_147_483_520, .nan, -.infinity]))],
        expected: [
          ReferenceTensor(
            [8],
            integerValues: [
              1, -1, 0, 2_147_483_647, -2_147_483_648, 2_147_483_520, 0, -2_147_483_648,
            ],
            .int32)
        ], tolerance: .exact),
      OperatorSample(
        "to truth values", derived: CastOperator(to: .bool),
        inputs: [([4], .values([0.25, 0, -0.0, .nan]))],
        expected: [ReferenceTensor([4], integerValues: [1, 0, 0, 0], .bool)], tolerance: .exact),
      OperatorSample(
        "to float16", derived: CastOperator(to: .float16),
        inputs: [([3], .values([2049, 65_520, 0.1]))],
        expected: [ReferenceTensor([3], [2048, .infinity, 0.0999755859375], .float16)],
        tolerance: .exact),
      OperatorSample(
        "to the input's type", derived: CastOperator(to: .float32),
        inputs: [([1, 3, 5, 7], .uniform(-1...1))], tolerance: .exact),
      OperatorSample(
        "an image to integers", derived: CastOperator(to: .int32),
        inputs: [([2, 5, 33, 129], .uniform(-300...300))], tolerance: .exact),
    ]
  }
}

extension RoundOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    [
      // Computed by hand. The values are ties, the largest number, the smallest subnormal number and half of this
      // number.
      OperatorSample(
        "to float16", derived: RoundOperator(to: .float16),
        inputs: [
          ([9], .values([2049, 2051, 65_519, 65_520, 0x1p-24, 0x1p-25, 0x1.8p-24, .nan, -1e9]))
        ],
        expected: [
          ReferenceTensor(
            [9], [2048, 2052, 65_504, .infinity, 0x1p-24, 0, 0x1p-23, .nan, -.infinity])
        ], tolerance: .exact),
      // Computed by hand.
      OperatorSample(
        "to bfloat16", derived: RoundOperator(to: .bfloat16),
        inputs: [([7], .values([257, 259, 3.395e38, 3.4e38, 0x1p-133, 0x1p-134, .nan]))],
        expected: [
          ReferenceTensor([7], [256, 260, 0x1.FEp127, .infinity, 0x1p-133, 0, .nan])
        ],
        tolerance: .exact),
      OperatorSample(
        "an image to float16", derived: RoundOperator(to: .float16),
        inputs: [([2, 5, 33, 129], .uniform(-300...300))], tolerance: .exact),
      OperatorSample(
        "an image to bfloat16", derived: RoundOperator(to: .bfloat16),
        inputs: [([1, 16, 9, 7], .uniform(-2...2))], tolerance: .exact),
    ]
  }
}
