import CoreML
import Testing

private func numbers(_ tensor: MLTensor) async -> [Float] {
  await tensor.shapedArray(of: Float.self).scalars
}

private func integerValues(_ tensor: MLTensor) async -> [Int32] {
  await tensor.shapedArray(of: Int32.self).scalars
}

@Suite("MLTensor")
struct TensorTests {
  private let matrix = MLTensor(shape: [2, 3], scalars: [1, 2, 3, 4, 5, 6])

  @Test("A tensor's shape and type are known before it is computed")
  func shapes() {
    #expect(matrix.shape == [2, 3])
    #expect(matrix.rank == 2)
    #expect(matrix.scalarCount == 6)
    #expect(matrix.scalarType is Float.Type)
    #expect(MLTensor(Float(3)).isScalar)
    #expect((matrix .> 2).scalarType is Bool.Type)
    #expect(matrix.argmax(alongAxis: 1).scalarType is Int32.Type)
    #expect(matrix.cast(to: Float16.self).scalarType is Float16.Type)
    #expect(matrix.sum().shape == [])
    #expect(matrix.sum(alongAxes: 0, keepRank: true).shape == [1, 3])
  }

  @Test("Cumulative products are computed along any axis, also of integers")
  func cumulativeProduct() async {
    #expect(await numbers(matrix.cumulativeProduct()) == [1, 2, 3, 4, 10, 18])
    #expect(await numbers(matrix.cumulativeProduct(alongAxis: -1)) == [1, 2, 6, 4, 20, 120])
    let count = MLTensor(rangeFrom: Float(1), to: 8, by: 1).cast(to: Int32.self)
    #expect(await integerValues(count.cumulativeProduct()) == [1, 2, 6, 24, 120, 720, 5040])
    #expect(count.cumulativeProduct().scalarType is Int32.Type)
    #expect(await numbers(MLTensor([7]).cumulativeProduct()) == [7])
  }

  @Test("A tensor is resized along its last two axes, aligned at corners or edges")
  func resized() async {
    let square = MLTensor(shape: [2, 2], scalars: [1, 2, 3, 4])
    let near = square.resized(to: (newHeight: 4, newWidth: 2))
    #expect(near.shape == [4, 2])
    #expect(await numbers(near) == [1, 2, 1, 2, 3, 4, 3, 4])
    let aligned = square.resized(
      to: (newHeight: 3, newWidth: 3), method: .bilinear(alignCorners: true))
    #expect(await numbers(aligned) == [1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4])
    let row = MLTensor(shape: [1, 1, 1, 2], scalars: [0, 8])
    let edges = row.resized(to: (newHeight: 1, newWidth: 4), method: .bilinear())
    #expect(edges.shape == [1, 1, 1, 4])
    #expect(await numbers(edges) == [0, 2, 6, 8])
  }

  @Test("Arithmetic broadcasts shapes")
  func arithmetic() async {
    let row = MLTensor([10, 20, 30])
    #expect(await numbers(matrix + row) == [11, 22, 33, 14, 25, 36])
    #expect(await numbers(matrix * 2 - 1) == [1, 3, 5, 7, 9, 11])
    #expect(await numbers(12 / matrix) == [12, 6, 4, 3, 2.4, 2])
    #expect(await numbers(-matrix) == [-1, -2, -3, -4, -5, -6])
    #expect(await numbers(matrix % 4) == [1, 2, 3, 0, 1, 2])
    #expect(await numbers(matrix.pow(2)) == [1, 4, 9, 16, 25, 36])
    var sum: MLTensor = matrix
    sum += row
    #expect(await numbers(sum) == [11, 22, 33, 14, 25, 36])
    #expect(await numbers(MLTensor(Float(2)) + MLTensor(Float(3))) == [5])
  }

  @Test("Integers stay integers beyond float32's range, and division truncates")
  func integers() async {
    let large = MLTensor([16_777_217, 7, -7], scalarType: Int32.self)
    #expect(await integerValues(large + Int32(2)) == [16_777_219, 9, -5])
    #expect(await integerValues(large / Int32(2)) == [8_388_608, 3, -3])
    #expect(await integerValues(large.abs()) == [16_777_217, 7, 7])
    #expect(await integerValues(large.sum()) == [16_777_217])
    #expect(await numbers(large * 0.5)[1...] == [3.5, -3.5])
  }

  @Test("Comparisons give Booleans, which select, count and combine")
  func comparisons() async {
    let mask: MLTensor = matrix .>= 3
    #expect(await numbers(mask.cast(to: Float.self)) == [0, 0, 1, 1, 1, 1])
    #expect(await integerValues(mask.cast(to: Int32.self).sum()) == [4])
    #expect(await numbers(matrix.replacing(with: Float(0), where: mask)) == [1, 2, 0, 0, 0, 0])
    #expect(await numbers(matrix.replacing(with: 0.5, where: mask)) == [1, 2, 0.5, 0.5, 0.5, 0.5])
    let both: MLTensor = mask .& (matrix .< 5)
    #expect(await integerValues(both.cast(to: Int32.self)) == [0, 0, 1, 1, 0, 0])
    #expect(await integerValues((.!mask).cast(to: Int32.self)) == [1, 1, 0, 0, 0, 0])
    #expect(await integerValues(mask.all(alongAxes: 1).cast(to: Int32.self)) == [0, 1])
    #expect(await integerValues(mask.any().cast(to: Int32.self)) == [1])
    #expect(await integerValues((mask .^ mask).any().cast(to: Int32.self)) == [0])
  }

  @Test("Elementwise functions match their formulas, and a softmax has the sum 1")
  func functions() async {
    let halves = MLTensor([0.25, 4, 1])
    #expect(await numbers(halves.squareRoot()) == [0.5, 2, 1])
    #expect(await numbers(halves.rsqrt()) == [2, 0.5, 1])
    #expect(await numbers(halves.reciprocal()) == [4, 0.25, 1])
    #expect(await numbers(halves.clamped(to: 0.5...2)) == [0.5, 2, 1])
    #expect(await numbers(MLTensor([-1.5, 2.5]).round()) == [-2, 2])
    let exponents: [Float] = await numbers(MLTensor([0, 1]).exp())
    #expect(abs(exponents[1] - 2.7182817) < 1e-6)
    let shares: [Float] = await numbers(matrix.softmax())
    #expect(abs(shares[0] - 0.09003057) < 1e-6)
    #expect(abs(shares[3...].reduce(0, +) - 1) < 1e-6)
  }

  @Test("Reductions are computed along axes and over all elements")
  func reductions() async {
    #expect(await numbers(matrix.sum()) == [21])
    #expect(await numbers(matrix.mean(alongAxes: 0)) == [2.5, 3.5, 4.5])
    #expect(await numbers(matrix.max(alongAxes: 1)) == [3, 6])
    #expect(await numbers(matrix.min()) == [1])
    #expect(await numbers(matrix.product(alongAxes: -1)) == [6, 120])
    #expect(await integerValues(matrix.argmax()) == [5])
    #expect(await integerValues(matrix.argmin(alongAxis: 0)) == [0, 0, 0])
    let mixed = MLTensor([3, 1, 2])
    #expect(await integerValues(mixed.argsort()) == [1, 2, 0])
    #expect(await integerValues(mixed.argsort(descendingOrder: true)) == [0, 2, 1])
    let top = mixed.topK(2)
    #expect(await numbers(top.values) == [3, 2])
    #expect(await integerValues(top.indices) == [0, 2])
    #expect(await numbers(mixed.cumulativeSum()) == [3, 4, 6])
  }

  @Test("Reshaping preserves the order of elements, transposing changes it")
  func reshaping() async {
    #expect(matrix.reshaped(to: [3, -1]).shape == [3, 2])
    #expect(matrix.expandingShape(at: 0, -1).shape == [1, 2, 3, 1])
    #expect(matrix.expandingShape(at: 1, 1).shape == [2, 1, 1, 3])
    #expect(matrix.expandingShape(at: 3, 0).shape == [1, 2, 3, 1])
    #expect(matrix.expandingShape(at: 1).squeezingShape().shape == [2, 3])
    #expect(await numbers(matrix.transposed()) == [1, 4, 2, 5, 3, 6])
    #expect(await numbers(matrix.reversed(alongAxes: 1)) == [3, 2, 1, 6, 5, 4])
    #expect(await numbers(matrix.tiled(multiples: [1, 2]))[..<6] == [1, 2, 3, 1, 2, 3])
    #expect(
      await numbers(matrix.bandPart(lowerBandCount: 0, upperBandCount: -1))[3...] == [0, 5, 6])
  }

  @Test("Tensors are concatenated, stacked, split and padded")
  func joining() async {
    let row = MLTensor([7, 8, 9])
    let joined: MLTensor = matrix.concatenated(with: row.expandingShape(at: 0))
    #expect(joined.shape == [3, 3])
    #expect(await numbers(joined)[6...] == [7, 8, 9])
    let stacked = MLTensor(stacking: [row, row * 2], alongAxis: -1)
    #expect(stacked.shape == [3, 2])
    #expect(await numbers(stacked) == [7, 14, 8, 16, 9, 18])
    let parts: [MLTensor] = matrix.split(sizes: [1, 2], alongAxis: 1)
    #expect(await numbers(parts[1]) == [2, 3, 5, 6])
    #expect(await numbers(matrix.unstacked()[1]) == [4, 5, 6])
    #expect(await numbers(row.padded(forSizes: [(1, 2)], with: 0)) == [0, 7, 8, 9, 0, 0])
    #expect(await numbers(row.padded(forSizes: [(2, 1)], mode: .reflection)) == [9, 8, 7, 8, 9, 8])
    #expect(await numbers(row.padded(forSizes: [(2, 0)], mode: .symmetric)) == [8, 7, 7, 8, 9])
  }

  @Test("Subscripts select elements, ranges and strides, and add or drop axes")
  func slicing() async {
    #expect(matrix[0].shape == [3])
    #expect(await numbers(matrix[-1]) == [4, 5, 6])
    #expect(await numbers(matrix[..., 1]) == [2, 5])
    #expect(await numbers(matrix[nil, 1...]) == [2, 3, 5, 6])
    #expect(await numbers(matrix[0..<1, ...1]) == [1, 2])
    #expect(await numbers(matrix[1, ..<2]) == [4, 5])
    #expect(matrix[.newAxis, ...].shape == [1, 2, 3])
    #expect(await numbers(matrix[0, .range(0..<3, stride: 2)]) == [1, 3])
    #expect(matrix[1, 2].shape == [])
    #expect(await numbers(matrix[1, 2]) == [6])
  }

  @Test("Indices gather slices and elements, and replace elements")
  func gathering() async {
    let x = MLTensor(shape: [3, 3], scalars: [0, 1, 2, 10, 11, 12, 20, 21, 22])
    let i = MLTensor([2, 1], scalarType: Int32.self)
    #expect(await numbers(x.gathering(atIndices: i)) == [20, 21, 22, 10, 11, 12])
    #expect(await numbers(x.gathering(atIndices: i, alongAxis: 1)) == [2, 1, 12, 11, 22, 21])
    let indices = MLTensor(shape: [2, 2], scalars: [0, 0, 1, 1], scalarType: Int32.self)
    #expect(await numbers(x.gathering(atIndices: indices)) == [0, 11])
    let columns = MLTensor(shape: [2, 1], scalars: [1, 0], scalarType: Int32.self)
    let numbersBefore = MLTensor(shape: [2, 3], scalars: [10, 30, 20, 60, 40, 50])
    let replaced = numbersBefore.replacing(
      with: MLTensor(shape: [2, 1], scalars: [99, 99]), atIndices: columns, alongAxis: 1)
    #expect(await numbers(replaced) == [10, 99, 20, 99, 40, 50])
    let halves = numbersBefore.replacing(atIndices: columns, with: 0.5, alongAxis: 1)
    #expect(await numbers(halves) == [10, 0.5, 20, 0.5, 40, 50])
  }

  @Test("Matrices are multiplied, also with rows and columns")
  func products() async {
    let square = MLTensor(shape: [3, 3], scalars: [1, 0, 0, 0, 2, 0, 0, 0, 3])
    #expect(await numbers(matrix.matmul(square)) == [1, 4, 9, 4, 10, 18])
    let column = MLTensor([1, 1, 1])
    #expect(matrix.matmul(column).shape == [2])
    #expect(await numbers(matrix.matmul(column)) == [6, 15])
    #expect(column.matmul(column).shape == [])
    #expect(await numbers(column.matmul(column)) == [3])
    let batch = MLTensor(ones: [4, 2, 3], scalarType: Float.self)
    #expect(batch.matmul(square).shape == [4, 2, 3])
  }

  @Test("float16 values are rounded after every operation")
  func halves() async {
    let half = MLTensor([2048, 1], scalarType: Float16.self)
    #expect(await numbers(half + Float16(1)) == [2048, 2])
    #expect(await numbers(half * Float16(64))[0] == .infinity)
    #expect(await half.shapedArray(of: Float16.self).scalars == [2048, 1])
    #expect(await numbers(MLTensor([0.1]).cast(to: Float16.self)) == [Float(Float16(0.1))])
  }

  @Test("Random numbers are equal for equal seeds, and have the requested distribution")
  func random() async {
    let first = MLTensor(randomUniform: [100], in: 2...4, seed: 5, scalarType: Float.self)
    let second = MLTensor(randomUniform: [100], in: 2...4, seed: 5, scalarType: Float.self)
    let drawn: [Float] = await numbers(first)
    #expect(await numbers(second) == drawn)
    #expect(await numbers(first) == drawn)
    #expect(drawn.allSatisfy { $0 >= 2 && $0 <= 4 })
    #expect(Set(drawn).count > 90)
    let dice = MLTensor(randomUniform: [200], in: 1...6, seed: 5, scalarType: Int32.self)
    #expect(Set(await integerValues(dice)) == [1, 2, 3, 4, 5, 6])
    let below = MLTensor(randomUniform: [200], in: 1..<6, seed: 5, scalarType: Int32.self)
    #expect(Set(await integerValues(below)) == [1, 2, 3, 4, 5])
    let narrow = MLTensor(
      randomUniform: [100], in: Float(1)..<Float(1).nextUp, seed: 5, scalarType: Float.self)
    #expect(Set(await numbers(narrow)) == [1])
    let normal = MLTensor(randomNormal: [1000], seed: 7, scalarType: Float.self)
    #expect(abs(await numbers(normal.mean())[0]) < 0.2)
  }

  @Test("A value with two readers is computed with each, and stored if it was requested")
  func sharing() async {
    let shared: MLTensor = matrix.squared()
    let sum: MLTensor = shared + shared.sum()
    #expect(await numbers(sum) == [92, 95, 100, 107, 116, 127])
    #expect(await numbers(shared) == [1, 4, 9, 16, 25, 36])
    #expect(await numbers(shared + 1) == [2, 5, 10, 17, 26, 37])
  }

  @Test("A chain of a thousand operations is one network")
  func longChain() async {
    var value = MLTensor(zeros: [4], scalarType: Float.self)
    for _ in 0..<1000 { value += MLTensor([1, 2, 3, 4]) }
    #expect(await numbers(value) == [1000, 2000, 3000, 4000])
  }

  @Test("Shaped arrays convert to tensors and back with their shape")
  func shapedArrays() async {
    let array = MLShapedArray<Int32>(scalars: [1, 2, 3, 4], shape: [2, 2])
    let tensor = MLTensor(array)
    let doubled = await (tensor * Int32(2)).shapedArray(of: Int32.self)
    #expect(doubled.shape == [2, 2])
    #expect(doubled.scalars == [2, 4, 6, 8])
    #expect(await numbers(MLTensor(linearSpaceFrom: 0, through: 1, count: 3)) == [0, 0.5, 1])
    #expect(await numbers(MLTensor(rangeFrom: 0, to: 3, by: 1)) == [0, 1, 2])
  }

  @Test("A model predicts with tensors")
  func prediction() async throws {
    let model = try SampleModels.doubling(shape: [2, 2, 1]).loaded()
    let outputs = try await model.prediction(
      from: ["x": MLTensor(shape: [2, 2, 1], scalars: [1, 2, 3, 4]) + 1])
    let y = try #require(outputs["y"])
    #expect(y.shape == [2, 2, 1])
    #expect(await numbers(y - 1) == [4, 6, 8, 10])
    await #expect(throws: MLModelError.self) {
      _ = try await model.prediction(from: ["x": MLTensor([1])])
    }
  }
}
