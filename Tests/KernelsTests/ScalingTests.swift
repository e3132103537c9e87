import CKernels
import Foundation
import Testing

extension KernelTests {
  /// Tests weighted sums of pixels. Every instruction set must compute the same bytes.
  @Suite("Image scaling", .serialized)
  struct ScalingTests {
    @Test(
      "Weighted rows are equal for all instruction sets", arguments: [0, 1, 3, 4, 5, 8, 13, 29])
    func rows(taps: Int) {
      var numbers = Numbers(seed: 9)
      // This number of samples needs more than one block of sums, and a partial vector.
      let count = 2 * 2048 + 77
      let rowStride = count + 5
      let bytes = (0..<max(taps, 1) * rowStride).map { _ in UInt8(numbers.integer(below: 256)) }
      let weights = (0..<max(taps, 1)).map { _ in numbers.next() }
      var first: [Float] = []
      onEachInstructionSet { level in
        var sums = [Float](repeating: .nan, count: count)
        ck_weighted_sum_of_rows(&sums, bytes, rowStride, weights, taps, count)
        if level == 0 {
          first = sums
          let expected = (0..<count).map { index in
            (0..<taps).reduce(0.0) {
              $0 + Double(weights[$1]) * Double(bytes[$1 * rowStride + index])
            }
          }
          #expect(worstError(sums, expected) < 2e-4)
        }
        #expect(sums == first, "level \(level)")
      }
    }

    @Test("Weighted columns are equal for all instruction sets", arguments: [Int32(1), 3])
    func columns(components: Int32) {
      var numbers = Numbers(seed: 10)
      let (source, width, stride) = (301, 257, 9)
      let samples = source * Int(components)
      // The kernel may read one float beyond the last pixel.
      let sums = (0...samples).map { _ in numbers.next() * 300 }
      let starts = (0..<width).map { Int32($0 * (source - stride) / width) }
      let counts = (0..<width).map { Int32($0 % stride + 1) }
      let weights = (0..<width * stride).map { _ in numbers.next() / 2 }
      var first: [UInt8] = []
      onEachInstructionSet { level in
        var out = [UInt8](repeating: 7, count: width * Int(components))
        ck_weighted_sum_of_columns(&out, sums, starts, counts, weights, stride, width, components)
        if level == 0 {
          first = out
          for (index, byte) in out.enumerated() {
            let (x, c) = (index / Int(components), index % Int(components))
            let sum = (0..<Int(counts[x])).reduce(0.0) {
              let at = (Int(starts[x]) + $1) * Int(components) + c
              return $0 + Double(weights[x * stride + $1]) * Double(sums[at])
            }
            #expect(abs(Double(byte) - min(max(sum, 0), 255)) < 0.501)
          }
        }
        #expect(out == first, "level \(level)")
      }
    }
  }
}
