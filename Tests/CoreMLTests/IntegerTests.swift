import CoreML
import Foundation
import ModelFormat
import Testing

private func integers(_ tensor: MLTensor) async -> [Int32] {
  await tensor.shapedArray(of: Int32.self).scalars
}

private func floats(_ tensor: MLTensor) async -> [Float] {
  await tensor.shapedArray(of: Float.self).scalars
}

@Suite("Integer MLTensors")
struct TensorIntegerTests {
  private let large = MLTensor([16_777_217, 1024, -7], scalarType: Int32.self)

  @Test("int32 quotients, powers and means are exact")
  func int32() async {
    #expect(await integers(large / Int32(1)) == [16_777_217, 1024, -7])
    #expect(await integers(large / Int32(2)) == [8_388_608, 512, -3])
    #expect(await integers(large.pow(Int32(1))) == [16_777_217, 1024, -7])
    #expect(await integers(large.pow(Int32(2)))[1...] == [1_048_576, 49])
    let pair = MLTensor([16_777_217, 16_777_219], scalarType: Int32.self)
    #expect(await integers(pair.mean()) == [16_777_218])
    #expect(await integers(large.sign()) == [1, 1, -1])
    #expect(await integers(large.ceil()) == [16_777_217, 1024, -7])
  }

  @Test("int32 matrix products and replaced elements are exact")
  func movedAndMultiplied() async {
    let row = MLTensor(shape: [1, 2], scalars: [16_777_217, 1], scalarType: Int32.self)
    let column = MLTensor(shape: [2, 1], scalars: [3, 2], scalarType: Int32.self)
    #expect(await integers(row.matmul(column)) == [50_331_653])
    let replaced = large.replacing(
      with: MLTensor([16_777_219], scalarType: Int32.self),
      atIndices: MLTensor([1], scalarType: Int32.self), alongAxis: 0)
    #expect(await integers(replaced) == [16_777_217, 16_777_219, -7])
  }

  @Test("8- and 16-bit arithmetic wraps around")
  func narrow() async {
    func held(_ tensor: MLTensor) async -> [Int32] { await integers(tensor.cast(to: Int32.self)) }
    let bytes = MLTensor([200, 100], scalarType: UInt8.self)
    let sum = bytes + MLTensor([100, 100], scalarType: UInt8.self)
    #expect(await held(sum) == [44, 200])
    #expect(await held(sum / MLTensor(UInt8(2))) == [22, 100])
    #expect(await held(bytes.abs()) == [200, 100])
    #expect(await held(bytes.argmax()) == [0])
    let wide = MLTensor([300, -1], scalarType: Int32.self)
    #expect(await held(wide.cast(to: UInt8.self)) == [44, 255])
    let fractions = MLTensor([300, -1, 2.7])
    #expect(await held(fractions.cast(to: UInt8.self)) == [255, 0, 2])
  }

  @Test("uint32 values of 2³¹ and more are divided, compared and sorted as unsigned")
  func unsigned() async {
    func held(_ tensor: MLTensor) async -> [UInt32] {
      await integers(tensor.cast(to: Int32.self)).map { UInt32(bitPattern: $0) }
    }
    let words = MLTensor([3_000_000_000, 5], scalarType: UInt32.self)
    #expect(await held(words) == [3_000_000_000, 5])
    #expect(await held(words / MLTensor(UInt32(2))) == [1_500_000_000, 2])
    #expect(await held(words + MLTensor(UInt32(2_000_000_000))) == [705_032_704, 2_000_000_005])
    #expect(await floats(words) == [3_000_000_000, 5])
    #expect(await integers(words.argmax()) == [0])
    #expect(await held(words.max()) == [3_000_000_000])
    #expect(await held(words.topK(1).values) == [3_000_000_000])
    #expect(await floats((words .> MLTensor(UInt32(6))).cast(to: Float.self)) == [1, 0])
  }

  @Test("Random integers stay within large bounds")
  func random() async {
    let numbers = MLTensor(randomUniform: [4000], in: Int32(16_777_217)...16_777_219, seed: 3)
    #expect(await integers(numbers).allSatisfy { (16_777_217...16_777_219).contains($0) })
  }
}

@Suite("Integer MLMultiArrays")
struct ArrayIntegerTests {
  @Test(
    "Assigned elements are clamped to the type's range",
    arguments: [
      (MLMultiArrayDataType.int32, Int(Int32.min), Int(Int32.max)),
      (MLMultiArrayDataType.int8, -128, 127),
    ])
  func range(type: MLMultiArrayDataType, least: Int, most: Int) throws {
    let array = try MLMultiArray(shape: [6], dataType: type)
    let given: [NSNumber] = [
      4_294_967_298, -4_294_967_298, NSNumber(value: UInt64.max), NSNumber(value: Double.nan),
      NSNumber(value: -1e300), NSNumber(value: 2.7),
    ]
    for (index, number) in given.enumerated() { array[index] = number }
    #expect((0..<6).map { array[$0].intValue } == [most, least, most, 0, least, 2])
    array[[3] as [Int]] = NSNumber(value: most)
    #expect(array[3].intValue == most)
  }
}
