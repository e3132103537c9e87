import CKernels
import COneDNN
import Foundation
import Testing

/// A reduction, a function that makes suitable inputs, and the formula of the result.
struct ReductionCase: Sendable, CustomTestStringConvertible {
  let kind: ck_reduction_kind
  let name: String
  /// Maps a random number in −1 … 1 to the value to reduce.
  let input: @Sendable (Float) -> Float
  let formula: @Sendable ([Double]) -> Double
  var testDescription: String { name }

  init(
    _ kind: ck_reduction_kind, _ name: String,
    of input: @escaping @Sendable (Float) -> Float = { $0 },
    _ formula: @escaping @Sendable ([Double]) -> Double
  ) {
    (self.kind, self.name, self.input, self.formula) = (kind, name, input, formula)
  }

  static let epsilon: Float = 0.25

  static let all: [ReductionCase] = [
    .init(CK_REDUCE_SUM, "sum") { $0.reduce(0, +) },
    .init(CK_REDUCE_MEAN, "mean") { $0.reduce(0, +) / Double($0.count) },
    .init(CK_REDUCE_PRODUCT, "product", of: { 1 + $0 / 256 }) { $0.reduce(1, *) },
    .init(CK_REDUCE_SUM_OF_LOGS, "sum of logs", of: { $0 + 1.5 }) {
      $0.reduce(0) { $0 + log($1 + Double(epsilon)) }
    },
    .init(CK_REDUCE_SUM_OF_SQUARES, "sum of squares") { $0.reduce(0) { $0 + $1 * $1 } },
    .init(CK_REDUCE_L1, "L1") { $0.reduce(0) { $0 + abs($1) } },
    .init(CK_REDUCE_L2, "L2") { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() },
    .init(CK_REDUCE_MAXIMUM, "maximum") { first($0) { $0 > $1 }.value },
    .init(CK_REDUCE_MINIMUM, "minimum") { first($0) { $0 < $1 }.value },
    .init(CK_REDUCE_ARGMAX, "argmax") { Double(first($0) { $0 > $1 }.index) },
    .init(CK_REDUCE_ARGMIN, "argmin") { Double(first($0) { $0 < $1 }.index) },
    .init(CK_REDUCE_LOG_OF_SUM, "log of sum", of: { $0 + 1.5 }) { log($0.reduce(0, +)) },
    .init(CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS, "log of sum of exponentials", of: { $0 * 90 }) {
      let most = first($0) { $0 > $1 }.value
      return most.isInfinite ? most : most + log($0.reduce(0) { $0 + exp($1 - most) })
    },
  ]

  /// Returns the value that comes first in the order that `isBefore` defines: the largest or the smallest value. Also
  /// returns the first index at which this value occurs. A NaN precedes every number.
  private static func first(_ values: [Double], _ isBefore: (Double, Double) -> Bool)
    -> (value: Double, index: Int)
  {
    if let index = values.firstIndex(where: \.isNaN) { return (.nan, index) }
    var best = (value: values[0], index: 0)
    for (index, value) in values.enumerated() where isBefore(value, best.value) {
      best = (value, index)
    }
    return best
  }
}

/// A tensor of shape [outer, axis, inner] that is reduced along `axis`.
struct Lines: Sendable, CustomTestStringConvertible {
  let outer: Int, axis: Int, inner: Int
  var testDescription: String { "\(outer) × \(axis) × \(inner)" }
  var count: Int { outer * axis * inner }

  init(_ outer: Int, _ axis: Int, _ inner: Int) {
    (self.outer, self.axis, self.inner) = (outer, axis, inner)
  }

  /// Returns the values that are reduced to the result with this index.
  func line(_ result: Int, of values: Values) -> [Double] {
    (0..<axis).map { Double(values[position($0, of: result)]) }
  }

  /// Returns the position in memory, in elements, of one of the values that are reduced to the given result.
  func position(_ index: Int, of result: Int) -> Int {
    (result / inner * axis + index) * inner + result % inner
  }

  func description(_ kind: ck_reduction_kind, _ type: ck_type) -> ck_reduction {
    ck_reduction(
      kind: kind, outer: Int64(outer), axis: Int64(axis), inner: Int64(inner),
      epsilon: ReductionCase.epsilon, type: type)
  }
}

extension KernelTests {
  /// Tests reductions on every instruction set.
  @Suite("Reductions", .serialized)
  struct ReductionTests {
    /// The tolerance of float32 sums. It is relative for results above 1, and absolute for smaller results.
    static let sumTolerance: Double = 5e-5

    /// Shapes whose rows and columns fill vectors or do not fill them. Some are so long that the kernel reduces them in
    /// several chunks.
    static let lines: [Lines] = [
      Lines(1, 1, 1), Lines(5, 1, 1), Lines(1, 1, 7), Lines(37, 3, 1), Lines(37, 12, 1),
      Lines(37, 13, 1), Lines(3, 64, 1), Lines(3, 1000, 1), Lines(2, 40_003, 1), Lines(3, 7, 5),
      Lines(1, 6001, 3), Lines(2, 33, 16), Lines(1, 333, 17), Lines(2, 50, 40), Lines(1, 65, 130),
      Lines(2, 80, 300),
    ]

    private func run(_ description: ck_reduction, _ source: Values) -> [Float] {
      var description = description
      let result = Values(CK_F32, count: Int(description.outer * description.inner))
      let scratch = Values(CK_F32, count: ck_reduction_scratch_bytes(&description) / 4)
      let status = ck_reduction_run(
        &description, source.pointer, result.pointer.assumingMemoryBound(to: Float.self),
        scratch.pointer)
      #expect(status == 0)
      return result.array
    }

    @Test(
      "Every reduction matches its formula along any axis, in every type",
      arguments: ReductionCase.all)
    func formulas(item: ReductionCase) {
      for lines in Self.lines {
        var numbers = Numbers(seed: 6)
        let inputs = numbers.array(lines.count).map(item.input)
        for type in [CK_F32, CK_BF16, CK_F16] {
          let source = Values(type, inputs)
          let expected = (0..<lines.outer * lines.inner).map {
            item.formula(lines.line($0, of: source))
          }
          onEachInstructionSet { level in
            let error = worstError(run(lines.description(item.kind, type), source), expected)
            #expect(error < Self.sumTolerance, "\(lines.testDescription), \(type), level \(level)")
          }
        }
      }
    }

    @Test("NaN and infinities give the formula's result", arguments: ReductionCase.all)
    func specialValues(item: ReductionCase) {
      let some = [
        Lines(3, 5, 1), Lines(3, 12, 1), Lines(2, 100, 1), Lines(1, 9, 3), Lines(2, 7, 70),
      ]
      for lines in some {
        for special in [Float.nan, .infinity, -.infinity] {
          for index in [0, lines.axis / 2, lines.axis - 1] {
            var numbers = Numbers(seed: 7)
            var inputs = numbers.array(lines.count).map(item.input)
            for line in stride(from: 0, to: lines.outer * lines.inner, by: 2) {
              inputs[lines.position(index, of: line)] = special
            }
            let source = Values(CK_F32, inputs)
            onEachInstructionSet { level in
              let results = run(lines.description(item.kind, CK_F32), source)
              for (index, result) in results.enumerated() {
                let wanted = item.formula(lines.line(index, of: source))
                let isRight =
                  agrees(result, wanted, within: Self.sumTolerance)
                  || abs(Double(result) - wanted) < Self.sumTolerance
                #expect(
                  isRight, "\(special) in \(lines.testDescription), level \(level): \(result)")
              }
            }
          }
        }
      }
    }

    @Test("For equal extremes the first index is returned")
    func firstOfEqual() {
      let lines = Lines(1, 50, 1)
      let source = Values(CK_F32, (0..<50).map { $0 % 20 == 3 ? 2 : $0 % 20 == 7 ? -2 : 0 })
      onEachInstructionSet { _ in
        #expect(run(lines.description(CK_REDUCE_ARGMAX, CK_F32), source) == [3])
        #expect(run(lines.description(CK_REDUCE_ARGMIN, CK_F32), source) == [7])
      }
    }

    @Test("One and three threads give the same bits", arguments: ReductionCase.all)
    func threads(item: ReductionCase) {
      defer { adnn_set_threads(2) }
      let some = [Lines(1, 100_003, 1), Lines(3001, 50, 1), Lines(2, 9001, 5), Lines(1, 64, 2000)]
      for lines in some {
        var numbers = Numbers(seed: 8)
        let source = Values(CK_F32, numbers.array(lines.count).map(item.input))
        onEachInstructionSet { level in
          let description = lines.description(item.kind, CK_F32)
          adnn_set_threads(1)
          let alone = run(description, source)
          adnn_set_threads(3)
          #expect(run(description, source) == alone, "level \(level)")
        }
      }
    }

    @Test("An unknown kind or type is refused")
    func refusals() {
      var numbers = [Float](repeating: 0, count: 4)
      var unknown = Lines(1, 4, 1).description(ck_reduction_kind(rawValue: 13), CK_F32)
      #expect(ck_reduction_run(&unknown, numbers, &numbers, nil) == -1)
      var integers = Lines(1, 4, 1).description(CK_REDUCE_SUM, CK_S32)
      #expect(ck_reduction_run(&integers, numbers, &numbers, nil) == -1)
      var long = Lines(1, 1 << 31, 1).description(CK_REDUCE_ARGMAX, CK_F32)
      #expect(ck_reduction_run(&long, numbers, &numbers, nil) == -1)
    }
  }
}
