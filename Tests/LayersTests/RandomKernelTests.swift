import Engine
import Operators
import ModelFormat
import Testing

/// Tests layers that draw random numbers. The tests that compare results skip these layers
/// (`LayerCase.deterministic`). With a seed, a random layer always gives the same numbers.
@Suite("Random numbers")
struct RandomKernelTests {
  static let layers: [any Operator] = [
    RandomOperator(NormalDistribution(mean: 1, deviation: 2), LikeShape(), seed: 7),
    RandomOperator(UniformDistribution(minimum: -1, maximum: 3), LikeShape(), seed: 0),
    RandomOperator(BernoulliDistribution(probability: 0.3), LikeShape(), seed: Int64.max),
  ]

  private func run(_ layer: any Operator, _ shape: Shape, threads: Int = 1) throws -> [Double] {
    let kernel = try #require(layer.candidates.first)
    let outputs = try #require(
      try KernelTrial(threads: threads).run(
        kernel, inputs: [ReferenceTensor(shape)], outputs: [TensorType(shape)]))
    return outputs[0].values
  }

  @Test(
    "The kernel and the reference draw equal random numbers", arguments: 0..<3,
    [1, 15, 16, 17, 33, 70_001])
  func kernelEqualsReference(number: Int, count: Int) throws {
    let layer = Self.layers[number]
    let answer = try layer.reference([ReferenceTensor([count])])[0].values
    for (one, other) in zip(try run(layer, [count]), answer) {
      #expect(abs(one - other) <= 4e-6 * max(1, abs(other)))
    }
  }

  @Test("Random numbers are the same for every number of threads", arguments: 0..<3)
  func sameBits(number: Int) throws {
    let layer = Self.layers[number]
    let first = try run(layer, [3, 40_000])
    for threads in [1, 2, 3] { #expect(try run(layer, [3, 40_000], threads: threads) == first) }
  }

  @Test("Random numbers from a normal distribution have its moments")
  func moments() throws {
    let count = 1 << 20
    let layer = RandomOperator(NormalDistribution(mean: 0, deviation: 1), LikeShape(), seed: 42)
    let values = try run(layer, [count])
    func moment(_ power: Int) -> Double {
      values.map { value in (0..<power).reduce(1.0) { product, _ in product * value } }
        .reduce(0, +) / Double(count)
    }
    // Each limit is six standard errors. For n numbers, the standard errors of the first four moments are √1, √2, √15
    // and √96, each divided by √n.
    let root = Double(count).squareRoot()
    #expect(abs(moment(1)) < 6 / root)
    #expect(abs(moment(2) - 1) < 6 * 1.4143 / root)
    #expect(abs(moment(3)) < 6 * 3.873 / root)
    #expect(abs(moment(4) - 3) < 6 * 9.798 / root)
    // Numbers at these distances are not correlated. The Box–Muller transform makes blocks of 32 numbers. Two numbers
    // of a block at distance 16 use the same angle: one its cosine, the other its sine.
    for distance in [1, 16, 32] {
      let sum: Double = (0..<count - distance).map { values[$0] * values[$0 + distance] }
        .reduce(0, +)
      #expect(abs(sum) / Double(count) < 6 / root, "distance \(distance)")
    }
  }

  @Test("The kernel and the reference draw equal random class indices", arguments: [false, true])
  func classes(isLogits: Bool) throws {
    let layer = CategoricalDistributionOperator(
      sampleCount: 200, isLogits: isLogits, temperature: 1.5, seed: 3)
    var generator = SplitMix64(seed: 5)
    let input = ReferenceTensor(
      [4, 7], (0..<28).map { _ in Double(Float(generator.uniform(0...1))) })
    let kernel = try #require(layer.candidates.first)
    let outputs = try #require(
      try KernelTrial().run(kernel, inputs: [input], outputs: [TensorType([4, 200])]))
    #expect(outputs == (try layer.reference([input])))
    #expect(Set(outputs[0].values).count == 7)
  }

  @Test("Without a seed, random numbers differ between runs")
  func noSeed() throws {
    let layer = RandomOperator(UniformDistribution(minimum: 0, maximum: 1), LikeShape(), seed: -1)
    #expect(try run(layer, [8]) != run(layer, [8]))
  }
}
