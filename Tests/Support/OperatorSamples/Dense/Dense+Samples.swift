import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension InnerProductOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    let matrix: [Float] = [1, 2, 3, 4, 5, 6]
    return [
      OperatorSample(
        "a vector", layer(3, 2, matrix, [10, 20]), inputs: [([3], .values([1, 0, -1]))],
        expected: [ReferenceTensor([2], [8, 18])]),
      OperatorSample(
        "rows, no bias", layer(3, 2, matrix), inputs: [([2, 3], .values([1, 0, 0, 0, 1, 1]))],
        expected: [ReferenceTensor([2, 2], [1, 4, 5, 11])]),
      OperatorSample(
        "matrix and bias as inputs",
        derived: InnerProductOperator(),
        inputs: [
          ([2, 3], .values([1, 0, -1, 0, 1, 1])), ([2, 3], .values([1, 2, 3, 4, 5, 6])),
          ([2], .values([10, 20])),
        ],
        expected: [ReferenceTensor([2, 2], [8, 18, 15, 31])]),
      OperatorSample(
        "a matrix as input, rank four",
        derived: InnerProductOperator(),
        inputs: [([5, 2, 3, 4], .uniform(-1...1)), ([19, 24], .uniform(-1...1))],
        tolerance: .accumulation),
      OperatorSample(
        "a matrix of a different shape",
        derived: InnerProductOperator(),
        inputs: [([1, 3], .uniform(-1...1)), ([3, 2], .uniform(-1...1))],
        failure: "the input has 3 values per sample (1 × 3), expected 2"),
      OperatorSample(
        "a bias of a different length", derived: InnerProductOperator(),
        inputs: [
          ([1, 3], .uniform(-1...1)), ([2, 3], .uniform(-1...1)), ([3], .uniform(-1...1)),
        ],
        failure: "the bias is 3, expected 2 numbers"),
      OperatorSample("rank three", layer(5, 7), inputs: [[2, 3, 5]], tolerance: .accumulation),
      OperatorSample(
        "rank four is flattened", layer(24, 23), inputs: [[5, 2, 3, 4]], tolerance: .accumulation),
      OperatorSample(
        "forty rows", layer(19, 37), inputs: [[40, 19]], tolerance: .accumulation),
      OperatorSample(
        "260 rows", layer(20, 37), inputs: [[260, 20]], tolerance: .accumulation),
      OperatorSample(
        "the five-dimensional mapping", layer(3, 2, matrix, [10, 20]), mapping: .rank5,
        inputs: [([1, 1, 3, 1, 1], .values([1, 0, -1]))],
        expected: [ReferenceTensor([1, 1, 2, 1, 1], [8, 18])]),
      OperatorSample(
        "a flattened feature map of a sequence", layer(60, 17), mapping: .rank5,
        inputs: [[2, 3, 3, 4, 5]], tolerance: .accumulation),
      OperatorSample(
        "more weights than fit into a cache", layer(600, 450), inputs: [[1, 600]],
        tolerance: .accumulation),
      OperatorSample(
        "8-bit weights, one scale per row",
        stored(
          .making {
            $0.rawValue = ByteValues([0, 1, 2, 255, 4, 3])
            $0.quantization = .making {
              $0.numberOfBits = 8
              $0.quantizationType = .linearQuantization(
                .making {
                  $0.scale = FloatValues([0.5, 2])
                  $0.bias = FloatValues([1, -10])
                })
            }
          }), inputs: [([1, 3], .values([1, 2, 4]))],
        expected: [ReferenceTensor([1, 2], [1 + 3 + 8, 500 - 4 - 16])]),
      OperatorSample(
        "2-bit weights with a lookup table",
        stored(
          .making {
            $0.rawValue = ByteValues([0b0001_1011, 0b0110_0000])
            $0.quantization = .making {
              $0.numberOfBits = 2
              $0.quantizationType = .lookupTableQuantization(
                .making { $0.floatValue = FloatValues([-1, 0, 10, 100]) })
            }
          }), inputs: [([1, 3], .values([1, 2, 4]))],
        expected: [ReferenceTensor([1, 2], [-1 + 0 + 40, 100 + 0 + 40])]),
      OperatorSample(
        "int8 weights with one scale",
        stored(
          .making {
            $0.int8RawValue = ByteValues([1, 2, 3, 255, 254, 253])
            $0.quantization = .making {
              $0.numberOfBits = 8
              $0.quantizationType = .linearQuantization(
                .making { $0.scale = FloatValues([0.5]) })
            }
          }), inputs: [([1, 3], .values([1, 2, 4]))],
        expected: [ReferenceTensor([1, 2], [8.5, -8.5])]),
      OperatorSample(
        "another number of channels", layer(4, 2), inputs: [[1, 5]],
        failure: "the input has 5 values per sample (1 × 5), expected 4"),
      OperatorSample(
        "a scalar", layer(4, 2), inputs: [[]], failure: "the input has 0 dimensions (scalar)"),
      OperatorSample(
        "too few weights", layer(3, 3, matrix), inputs: [[1, 3]], failure: "weights"),
      OperatorSample(
        "no matrix", layer(0, 2, []), inputs: [[1, 3]], failure: "the matrix is 2 × 0"),
    ]
  }

  /// Creates an inner product with a matrix of two rows and three columns. `weights` is the matrix in a file's storage
  /// format.
  private static func stored(_ weights: Spec.WeightParams) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .innerProduct(
        .making {
          ($0.inputChannels, $0.outputChannels) = (3, 2)
          $0.weights = weights
        }))
  }

  private static func layer(
    _ inputs: Int, _ outputs: Int, _ matrix: [Float]? = nil, _ bias: [Float]? = nil
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .innerProduct(
        .making {
          $0.inputChannels = UInt64(inputs)
          $0.outputChannels = UInt64(outputs)
          $0.weights = matrix.map { Spec.WeightParams($0) } ?? .random(inputs * outputs)
          $0.hasBias = bias != nil || matrix == nil
          $0.bias = bias.map { Spec.WeightParams($0) } ?? .random(outputs, seed: 2)
        }))
  }
}

extension EmbeddingOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "a sequence in the five-dimensional mapping", layer(3, 2, bias: [10, 20]), mapping: .rank5,
        inputs: [([2, 1, 1, 1, 1], .values([0, 2]))],
        expected: [ReferenceTensor([2, 1, 2, 1, 1], [11, 24, 13, 26])], tolerance: .exact),
      OperatorSample(
        "rank four, no bias", layer(3, 2), inputs: [([3, 1, 1, 1], .values([2, 1, 0]))],
        expected: [ReferenceTensor([3, 2, 1, 1], [3, 6, 2, 5, 1, 4])], tolerance: .exact),
      OperatorSample(
        "one index of many", layer(500, 19), mapping: .rank5,
        inputs: [([7, 2, 1, 1, 1], .integers(0...499))], tolerance: .exact),
      OperatorSample(
        "a picture", layer(3, 2), inputs: [[1, 1, 2, 2]],
        failure: "expected 4 or 5 dimensions, the last three of size 1"),
      OperatorSample(
        "an index beyond the table", layer(3, 2), inputs: [([1, 1, 1, 1], .values([3]))],
        failure: "the input holds the index 3, expected a number from 0 to 2"),
    ]
  }

  private static func layer(_ entries: Int, _ length: Int, bias: [Float]? = nil)
    -> Spec.NeuralNetworkLayer
  {
    Spec.NeuralNetworkLayer(
      .embedding(
        .making {
          $0.inputDim = UInt64(entries)
          $0.outputChannels = UInt64(length)
          $0.weights = Spec.WeightParams((1...entries * length).map(Float.init))
          $0.hasBias = bias != nil
          $0.bias = bias.map { Spec.WeightParams($0) }
        }))
  }
}

extension EmbeddingNDOperator: SampledOperator {
  /// Literal answers were computed by hand.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "rank two", layer(3, 2, bias: [10, 20]), inputs: [([2, 1], .values([0, 2]))],
        expected: [ReferenceTensor([2, 2], [11, 24, 13, 26])], tolerance: .exact),
      OperatorSample(
        "rank four, no bias", layer(10, 19), inputs: [([4, 5, 3, 1], .integers(0...9))],
        tolerance: .exact),
      OperatorSample(
        "a table as an input", derived: EmbeddingNDOperator(),
        inputs: [
          ([2, 1], .values([0, 2])), ([2, 3], .values([1, 2, 3, 4, 5, 6])),
          ([2], .values([10, 20])),
        ],
        expected: [ReferenceTensor([2, 2], [11, 24, 13, 26])], tolerance: .exact),
      OperatorSample(
        "no last dimension of one", layer(3, 2), inputs: [[2, 3]],
        failure: "expected two dimensions or more, the last of size 1"),
      OperatorSample(
        "a negative index", layer(3, 2), inputs: [([1, 1], .values([-1]))],
        failure: "the input holds the index -1, expected a number from 0 to 2"),
    ]
  }

  private static func layer(_ entries: Int, _ length: Int, bias: [Float]? = nil)
    -> Spec.NeuralNetworkLayer
  {
    Spec.NeuralNetworkLayer(
      .embeddingND(
        .making {
          $0.vocabSize = UInt64(entries)
          $0.embeddingSize = UInt64(length)
          $0.weights = Spec.WeightParams((1...entries * length).map(Float.init))
          $0.hasBias = bias != nil
          $0.bias = bias.map { Spec.WeightParams($0) }
        }))
  }
}

extension BatchedMatMulOperator: SampledOperator {
  /// Literal answers were computed by hand and with NumPy's `matmul`.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "two matrices", layer(),
        inputs: [([2, 2], .values([1, 2, 3, 4])), ([2, 1], .values([5, 6]))],
        expected: [ReferenceTensor([2, 1], [17, 39])]),
      OperatorSample(
        "a row and a column", layer(),
        inputs: [([3], .values([1, 2, 3])), ([3], .values([4, 5, 6]))],
        expected: [ReferenceTensor([1, 1], [32])]),
      OperatorSample(
        "both transposed", layer(left: true, right: true), inputs: [[3, 5, 4], [3, 6, 5]],
        tolerance: .accumulation),
      OperatorSample(
        "one right matrix for a batch", layer(), inputs: [[2, 3, 4, 5], [5, 7]],
        tolerance: .accumulation),
      OperatorSample(
        "one left matrix for a batch", layer(right: true), inputs: [[4, 5], [6, 3, 5]],
        tolerance: .accumulation),
      OperatorSample(
        "both broadcast", layer(), inputs: [[3, 1, 2, 5], [1, 4, 5, 3]], tolerance: .accumulation),
      OperatorSample(
        "a constant matrix", constant(2, 2, [1, 2, 3, 4], [10, 20]),
        inputs: [([1, 2], .values([1, 1]))], expected: [ReferenceTensor([1, 2], [13, 27])]),
      OperatorSample(
        "a constant matrix and a vector", constant(11, 23), inputs: [[11]],
        tolerance: .accumulation),
      OperatorSample(
        "a constant matrix and 260 rows", constant(12, 23), inputs: [[260, 12]],
        tolerance: .accumulation),
      OperatorSample(
        "a constant matrix and rank five", constant(11, 23), inputs: [[2, 3, 1, 5, 11]],
        tolerance: .accumulation),
      OperatorSample(
        "inner sizes that differ", layer(), inputs: [[2, 3], [4, 2]],
        failure: "the left matrix has 3 columns, the right one 4 rows"),
      OperatorSample(
        "batches that do not broadcast", layer(), inputs: [[2, 2, 3], [3, 3, 2]],
        failure: "cannot be broadcast over the leading dimensions"),
      OperatorSample(
        "another inner size than the matrix", constant(11, 23), inputs: [[2, 12]],
        failure: "expected its last dimension to be 11"),
    ]
  }

  private static func layer(left: Bool = false, right: Bool = false) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .batchedMatmul(
        .making {
          $0.transposeA = left
          $0.transposeB = right
        }))
  }

  private static func constant(
    _ inner: Int, _ columns: Int, _ transposed: [Float]? = nil, _ bias: [Float]? = nil
  ) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .batchedMatmul(
        .making {
          $0.weightMatrixFirstDimension = UInt64(inner)
          $0.weightMatrixSecondDimension = UInt64(columns)
          $0.weights = transposed.map { Spec.WeightParams($0) } ?? .random(inner * columns)
          $0.hasBias = true
          $0.bias = bias.map { Spec.WeightParams($0) } ?? .random(columns, seed: 2)
        }))
  }
}
