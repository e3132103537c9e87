import Engine
import Testing

@testable import CoreML

/// Tests how tensor expressions become networks, and which networks are cached.
@Suite("Expressions of MLTensor")
struct TensorExpressionTests {
  private let matrix = MLTensor(shape: [2, 3], scalars: [1, 2, 3, 4, 5, 6])

  /// Computes a tensor with a separate cache of networks.
  private func numbers(_ tensor: MLTensor, by networks: TensorNetworks) throws -> [Float] {
    let values = try TensorExpression(of: tensor.node).values(by: networks)
    return MLShapedArray<Float>(converting: values.array).scalars
  }

  @Test("An expression in a loop is planned once")
  func loop() throws {
    let networks = TensorNetworks()
    var x = matrix
    var expected: [Float] = [1, 2, 3, 4, 5, 6]
    for _ in 0..<20 {
      let next = x * 0.5 + 1
      let made = try numbers(next, by: networks)
      expected = expected.map { $0 * 0.5 + 1 }
      #expect(made == expected)
      x = MLTensor(shape: [2, 3], scalars: made)
    }
    #expect(networks.madeCount == 1)
    #expect(networks.count == 1)
  }

  @Test("An expression with different numbers in each run is planned twice")
  func numbersChange() throws {
    let networks = TensorNetworks()
    for step in 0..<20 {
      let made = try numbers((matrix - Float(step)) * Float(step), by: networks)
      #expect(made == [1, 2, 3, 4, 5, 6].map { ($0 - Float(step)) * Float(step) })
    }
    #expect(networks.madeCount == 2)
    // Computing the expression again with the numbers of the first run needs no third network.
    #expect(try numbers((matrix - 0) * 0, by: networks) == [Float](repeating: 0, count: 6))
    #expect(networks.madeCount == 2)
  }

  @Test("Random numbers do not prevent the reuse of the rest of an expression")
  func random() throws {
    let networks = TensorNetworks()
    for seed: UInt64 in 1...8 {
      let noise = MLTensor(randomNormal: [2, 3], seed: seed, scalarType: Float.self)
      let drawn = MLShapedArray<Float>(converting: try noise.node.values().array).scalars
      let again = MLTensor(randomNormal: [2, 3], seed: seed, scalarType: Float.self)
      #expect(
        try numbers(matrix + again, by: networks)
          == zip([1, 2, 3, 4, 5, 6], drawn).map { $0 + $1 })
    }
    #expect(networks.madeCount == 1)
  }

  @Test(
    "Other operators, parameters, shapes, types, operands or outputs make a different expression")
  func differs() throws {
    let networks = TensorNetworks()
    let (row, column) = (MLTensor([1, 2, 3]), MLTensor(shape: [3, 1], scalars: [4, 5, 6]))
    let all: [MLTensor] = [
      row + column, row * column, column + row, row + row, row.softmax(alongAxis: 0),
      row.squareRoot(), column.squareRoot(), matrix.sum(alongAxes: 0), matrix.sum(alongAxes: 1),
      matrix.topK(1).values, matrix.topK(1).indices, matrix.topK(2).values,
      row.cast(to: Int32.self) + row.cast(to: Int32.self), matrix.transposed(), matrix[0],
      matrix[1],
    ]
    for (position, tensor) in all.enumerated() {
      _ = try numbers(tensor, by: networks)
      #expect(networks.madeCount == position + 1)
    }
    for tensor in all { _ = try numbers(tensor, by: networks) }
    #expect(networks.madeCount == all.count)
  }

  @Test("The number of cached expressions is bounded")
  func bounded() throws {
    let networks = TensorNetworks()
    for count in 2..<200 {
      _ = try numbers(MLTensor(ones: [count], scalarType: Float.self) + 1, by: networks)
    }
    #expect(networks.count == TensorNetworks.limit)
    // The most recently used expressions stay cached.
    _ = try numbers(MLTensor(ones: [199], scalarType: Float.self) + 1, by: networks)
    #expect(networks.madeCount == 198)
  }

  @Test("A chain of 200,000 operations can be computed, and released without being computed")
  func deep() throws {
    let count = 200_000
    var tensor = MLTensor([0, 0.5])
    for _ in 0..<count { tensor = tensor + 1 }
    let networks = TensorNetworks()
    #expect(try numbers(tensor, by: networks) == [Float(count), Float(count) + 0.5])
    // A long chain is computed in parts of equal length. All parts but the last have equal expressions, so they share a
    // network.
    #expect(networks.madeCount <= 2)
    // The tensor's value is known after the evaluation. So the tensor has released its operands.
    #expect(try tensor.node.values().array[0].floatValue == Float(count))
    // This tensor is released without having been computed.
    var other = MLTensor([0])
    for _ in 0..<count { other = other + 1 }
    #expect(other.shape == [1])
  }

  @Test("A split expression passes on every value that later parts read")
  func parts() throws {
    let count: Int = 3 * TensorExpression.partLimit
    var tensors = [
      MLTensor([1, 2], scalarType: Int32.self), MLTensor([3, 5], scalarType: Int32.self),
    ]
    var expected: [[Int32]] = [[1, 2], [3, 5]]
    for step in 2..<count {
      // Each step reads an operand from a nearby step and one from a distant step.
      let far: Int = step % 7 == 0 ? step / 2 : step - 2
      tensors.append(tensors[step - 1] + tensors[far])
      expected.append(zip(expected[step - 1], expected[far]).map { $0 &+ $1 })
    }
    let values = try TensorExpression(of: tensors[count - 1].node).values(by: TensorNetworks())
    #expect(MLShapedArray<Int32>(converting: values.array).scalars == expected[count - 1])
  }
}
