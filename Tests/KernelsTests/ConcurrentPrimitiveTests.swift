import CKernels
import COneDNN
import Foundation
import Platform
import Testing

/// oneDNN convolutions that compute sums over 3 × 3 windows of single-channel images.
private struct WindowSums {
  let source: Values
  let result: Values
  let packed = Values(CK_F32, count: 1_000)
  let scratch = Values(CK_F32, count: 100_000)
  let ones = [Float](repeating: 1, count: 9)

  /// Creates an image that is large enough for 64 × 64 window positions.
  init(_ type: ck_type) {
    source = Values(type, (0..<66 * 66).map { Float(($0 * 37) % 101 - 50) })
    result = Values(CK_F32, count: 64 * 64)
  }

  /// Creates a oneDNN primitive whose output has this size, and runs it. Returns the number of wrong results, or nil if
  /// the library has no primitive for the element type.
  func wrong(height: Int, width: Int) -> Int? {
    let type: adnn_type = source.type == CK_F32 ? ADNN_F32 : ADNN_BF16
    var d = adnn_convolution()
    (d.batch, d.input_channels, d.output_channels, d.groups) = (1, 1, 1, 1)
    (d.input_height, d.input_width) = (Int64(height + 2), Int64(width + 2))
    (d.output_height, d.output_width) = (Int64(height), Int64(width))
    (d.kernel_height, d.kernel_width) = (3, 3)
    (d.stride_height, d.stride_width, d.dilation_height, d.dilation_width) = (1, 1, 1, 1)
    (d.source_type, d.weights_type, d.destination_type) = (type, type, ADNN_F32)
    (d.source_layout, d.destination_layout) = (ADNN_NHWC, ADNN_NHWC)
    var (primitive, execution): (OpaquePointer?, OpaquePointer?)
    guard adnn_convolution_create(&d, &primitive) == ADNN_OK else { return nil }
    defer { adnn_primitive_destroy(primitive) }
    precondition(adnn_primitive_weights_bytes(primitive) <= packed.count * 4)
    precondition(adnn_primitive_scratchpad_bytes(primitive) <= scratch.count * 4)
    guard
      adnn_pack_weights(primitive, ones, packed.pointer) == ADNN_OK,
      adnn_execution_create(primitive, &execution) == ADNN_OK
    else { return height * width }
    defer { adnn_execution_destroy(execution) }
    var arguments = adnn_arguments(
      source: source.pointer, weights: packed.pointer, bias: nil, destination: result.pointer,
      operands: nil, scratchpad: scratch.pointer)
    guard adnn_execution_run(execution, &arguments) == ADNN_OK else { return height * width }
    var wrong = 0
    for y in 0..<height {
      for x in 0..<width {
        var sum: Float = 0
        for row in y...y + 2 {
          for column in x...x + 2 { sum += source[row * (width + 2) + column] }
        }
        if result[y * width + x] != sum { wrong += 1 }
      }
    }
    return wrong
  }
}

@Suite struct ConcurrentPrimitiveTests {
  @Test("Primitives that several threads create at once are correct")
  func together() {
    let failures = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      let threads: Int32 = adnn_threads()
      adnn_set_threads(1)
      defer { adnn_set_threads(threads) }
      let type: ck_type = thread % 2 == 0 ? CK_F32 : CK_BF16
      let sums = WindowSums(type)
      // The library caches primitives. So that it must create a new one each time, every combination of element type
      // and image size occurs only once.
      for height in 10..<60 {
        for width in stride(from: 5 + thread / 2, to: 45, by: 2) {
          guard let wrong = sums.wrong(height: height, width: width), wrong > 0 else { continue }
          failures.withLock { $0.append("\(type) \(height) × \(width): \(wrong) wrong") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }
}
