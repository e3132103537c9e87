import Accelerate
import Foundation
import Testing

@Suite struct BNNSTests {
  private func vector<Scalar: BNNSScalar>(_ numbers: [Scalar]) -> BNNSNDArrayDescriptor {
    let result = BNNSNDArrayDescriptor.allocateUninitialized(
      scalarType: Scalar.self, shape: .vector(numbers.count, stride: 1))
    let elements = result.data!.assumingMemoryBound(to: Scalar.self)
    for index in numbers.indices { elements[index] = numbers[index] }
    return result
  }

  private func activate(_ function: BNNS.ActivationFunction, _ numbers: [Float]) throws -> [Double]
  {
    let (input, output) = (vector(numbers), vector(numbers))
    defer {
      input.deallocate()
      output.deallocate()
    }
    try BNNS.applyActivation(activation: function, input: input, output: output, batchSize: 1)
    return try #require(output.makeArray(of: Float.self)).map { Double($0) }
  }

  private func reduce(_ function: BNNS.ReductionFunction, _ numbers: [Float]) throws -> Double {
    let (input, output) = (vector(numbers), vector([Float(0)]))
    defer {
      input.deallocate()
      output.deallocate()
    }
    try BNNS.applyReduction(function, input: input, output: output, weights: nil)
    return Double(try #require(output.makeArray(of: Float.self)?.first))
  }

  @Test("Activations compute their formulas")
  func activates() throws {
    let x: [Float] = [-2, 0, 1.5, 3, -0.25]
    let exact = x.map(Double.init)
    let sum = exact.map(exp).reduce(0, +)
    func expect(_ function: BNNS.ActivationFunction, _ definition: (Double) -> Double) throws {
      #expect(areClose(try activate(function, x), exact.map(definition), Float.self), "\(function)")
    }
    try expect(.softmax) { exp($0) / sum }
    try expect(.logSoftmax) { $0 - log(sum) }
    try expect(.sigmoid) { 1 / (1 + exp(-$0)) }
    try expect(.tanh) { tanh($0) }
    try expect(.scaledTanh(alpha: 2, beta: 0.5)) { 2 * tanh(0.5 * $0) }
    try expect(.linear(alpha: 0.5)) { 0.5 * $0 }
    try expect(.rectifiedLinear) { max($0, 0) }
    try expect(.leakyRectifiedLinear(alpha: 0.1)) { $0 < 0 ? Double(Float(0.1)) * $0 : $0 }
    try expect(.abs) { abs($0) }
    try expect(.clamp(bounds: -1...1)) { min(max($0, -1), 1) }
    // Exponentials of large numbers do not overflow.
    #expect(areClose(try activate(.softmax, [1_000, 1_000]), [0.5, 0.5], Float.self))
  }

  @Test("Reductions compute their formulas")
  func reduces() throws {
    let x: [Float] = [1, 4, 0.5, 4]
    #expect(try reduce(.max, x) == 4 && reduce(.min, x) == 0.5)
    #expect(try reduce(.argMax, x) == 1 && reduce(.argMin, x) == 2)
    #expect(try reduce(.sum, x) == 9.5 && reduce(.mean, x) == 2.375)
    #expect(try reduce(.sumSquare, x) == 33.25 && reduce(.l1Norm, x) == 9.5)
    #expect(isClose(try reduce(.l2Norm, x), 33.25.squareRoot(), Float.self))
    #expect(isClose(try reduce(.logSum, x), log(9.5), Float.self))
    let sum = x.map { exp(Double($0)) }.reduce(0, +)
    #expect(isClose(try reduce(.logSumExp, x), log(sum), Float.self))
  }

  @Test("The greatest elements come with their indices, in float16 too")
  func findsGreatest() throws {
    let input = vector([1, 7, 3, 7, 5] as [Float16])
    let (values, indices) = (
      vector([Float](repeating: 0, count: 3)), vector([Int32](repeating: 0, count: 3))
    )
    defer { for vector in [input, values, indices] { vector.deallocate() } }
    try BNNS.applyTopK(
      k: 3, input: input, bestValues: values, bestIndices: indices, axis: 0, batchSize: 1)
    #expect(values.makeArray(of: Float.self) == [7, 7, 5])
    #expect(indices.makeArray(of: Int32.self) == [1, 3, 4])
    #expect(values.makeArray(of: Int32.self) == nil)
    let error = #expect(throws: BNNS.Error.self) {
      try BNNS.applyTopK(
        k: 9, input: input, bestValues: values, bestIndices: indices, axis: 0, batchSize: 1)
    }
    #expect(
      error?.description.hasPrefix("The greatest 9 elements along axis 0 of 5 do not exist") == true
    )
  }

  @Test("Memory that is too small is no vector")
  func refusesSmallMemory() {
    var memory: [Float] = [1, 2, 3]
    memory.withUnsafeMutableBytes {
      #expect(
        BNNSNDArrayDescriptor(data: $0, scalarType: Float.self, shape: .vector(3, stride: 1)) != nil
      )
      #expect(
        BNNSNDArrayDescriptor(data: $0, scalarType: Float.self, shape: .vector(4, stride: 1)) == nil
      )
    }
  }
}
