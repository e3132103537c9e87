import Engine
import Foundation
import Testing

@testable import CoreML

/// Tests transfers between multi-arrays and a network's tensors.
@Suite("Integer transfers")
struct TensorTransferTests {
  private static let numbers: [Int32] = [16_777_217, -16_777_219, Int32.max, Int32.min, 0, 7]

  @Test(
    "Integer transfers are exact in both directions, for any element type of the tensor",
    arguments: [ElementType.int32, .int64],
    [Layout.dense, .channelsLast])
  func exact(element: ElementType, layout: Layout) throws {
    let shape: [NSNumber] = [1, 3, 1, 2]
    let array = try MLMultiArray(shape: shape, dataType: .int32)
    for (index, number) in Self.numbers.enumerated() { array[index] = NSNumber(value: number) }
    let form = TensorDescriptor([1, 3, 1, 2], element, layout)
    let memory = try AlignedBuffer(byteCount: form.byteCount)
    TensorTransfer.read(array, into: memory.pointer, as: form)
    let integerValues: [Int64] = Self.numbers.map(Int64.init)
    #expect(TensorCodec.unpack(memory.pointer, as: form).integerValues == integerValues)
    for type in [MLMultiArrayDataType.int32, .double] {
      let back = try MLMultiArray(shape: shape, dataType: type)
      TensorTransfer.write(memory.pointer, as: form, into: back)
      #expect(Self.numbers.indices.map { back[$0].int64Value } == integerValues)
    }
  }
}
