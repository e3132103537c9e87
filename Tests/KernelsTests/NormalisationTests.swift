import CKernels
import COneDNN
import Foundation
import Testing

extension KernelTests {
  @Test(
    "Instance normalisation has mean 0 and variance 1 before gamma and beta",
    arguments: [(1, 5, 7, 3), (2, 40, 33, 16), (1, 130, 90, 32), (1, 9, 9, 50), (1, 1, 1, 4)])
  func instanceNorm(batch: Int, height: Int, width: Int, channels: Int) {
    let count = batch * height * width * channels
    var numbers = Numbers(seed: 9)
    let values = numbers.array(count).map { $0 * 3 + 50 }
    let gamma = numbers.array(channels)
    let beta = numbers.array(channels)
    // The residual is cropped from an image that is two pixels larger than the input on each side.
    let wide = (width + 4) * channels
    let larger = numbers.array(batch * (height + 4) * wide)
    for level in instructionSets {
      ck_limit_instructions(level)
      for type in [CK_F32, CK_BF16] {
        let source = Values(type, values)
        let residual = Values(CK_F32, larger)
        let result = Values(CK_F32, count: count)
        var description = ck_instance_norm()
        description.batch = Int64(batch)
        description.height = Int64(height)
        description.width = Int64(width)
        description.channels = Int64(channels)
        description.epsilon = 1e-5
        description.source_type = type
        description.destination_type = CK_F32
        description.activation = CK_RELU
        description.has_residual = 1
        description.residual_row_stride = Int64(wide)
        description.residual_batch_stride = Int64((height + 4) * wide)
        let scratch = Values(CK_F32, count: ck_instance_norm_scratch_bytes(&description) / 4)
        let status = ck_instance_norm_run(
          &description, source.pointer, gamma, beta,
          residual.pointer.advanced(by: (2 * wide + 2 * channels) * 4), nil, result.pointer,
          scratch.pointer)
        #expect(status == 0)
        var expected = [Double](repeating: 0, count: count)
        for n in 0..<batch {
          for c in 0..<channels {
            func index(_ p: Int) -> Int { (n * height * width + p) * channels + c }
            let own: [Double] = (0..<height * width).map { Double(source[index($0)]) }
            let mean = own.reduce(0, +) / Double(own.count)
            let variance = own.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(own.count)
            for p in own.indices {
              let (y, x) = (p / width + 2, p % width + 2)
              let added = Double(larger[(n * (height + 4) + y) * wide + x * channels + c])
              let line = (own[p] - mean) / (variance + 1e-5).squareRoot() * Double(gamma[c])
              expected[index(p)] = max(line + Double(beta[c]) + added, 0)
            }
          }
        }
        #expect(worstError(result.array, expected) < 1e-4, "level \(level)")
      }
    }
    ck_limit_instructions(3)
  }

  @Test("Instance normalisation with given statistics gives the same bits as with computed ones")
  func givenStatistics() {
    var numbers = Numbers(seed: 12)
    for (batch, pixels, channels) in [(1, 3_000, 32), (2, 700, 50), (3, 5, 4)] {
      var description = ck_instance_norm()
      (description.batch, description.height) = (Int64(batch), 1)
      (description.width, description.channels) = (Int64(pixels), Int64(channels))
      description.epsilon = 1e-5
      (description.source_type, description.destination_type) = (CK_BF16, CK_F32)
      let count = batch * pixels * channels
      let source = Values(CK_BF16, numbers.array(count))
      let gamma = numbers.array(channels)
      let beta = numbers.array(channels)
      let blocks = Int(ck_statistics_blocks(Int64(pixels), Int64(channels)))
      let statistics = Values(CK_F32, count: batch * blocks * 2 * channels)
      let floats = statistics.pointer.assumingMemoryBound(to: Float.self)
      ck_statistics_run(
        CK_BF16, source.pointer, Int64(batch), Int64(pixels), Int64(channels), floats)
      let results: [[Float]] = [false, true].map { isGiven in
        description.has_statistics = isGiven ? 1 : 0
        let scratch = Values(CK_F32, count: ck_instance_norm_scratch_bytes(&description) / 4)
        let result = Values(CK_F32, count: count)
        let status = ck_instance_norm_run(
          &description, source.pointer, gamma, beta, nil, isGiven ? floats : nil, result.pointer,
          scratch.pointer)
        #expect(status == 0)
        return result.array
      }
      #expect(results[0] == results[1])
      // If the given statistics are changed, the results must change too. This proves that the kernel uses these
      // statistics.
      floats[0] += 1
      let scratch = Values(CK_F32, count: ck_instance_norm_scratch_bytes(&description) / 4)
      let other = Values(CK_F32, count: count)
      ck_instance_norm_run(
        &description, source.pointer, gamma, beta, nil, floats, other.pointer, scratch.pointer)
      #expect(other.array != results[0])
      #expect(
        ck_instance_norm_run(
          &description, source.pointer, gamma, beta, nil, nil, other.pointer, scratch.pointer) == -1
      )
    }
  }

  @Test("Instance normalisation gives the same bits on one thread and on two")
  func instanceNormIsDeterministic() {
    var numbers = Numbers(seed: 10)
    var description = ck_instance_norm()
    description.batch = 1
    description.height = 300
    description.width = 200
    description.channels = 16
    description.epsilon = 1e-5
    description.source_type = CK_F32
    description.destination_type = CK_F32
    let count = 300 * 200 * 16
    let source = Values(CK_F32, numbers.array(count))
    let scratch = Values(CK_F32, count: ck_instance_norm_scratch_bytes(&description) / 4)
    var results: [[Float]] = []
    for threads: Int32 in [1, 2, 3, 2] {
      adnn_set_threads(threads)
      let result = Values(CK_F32, count: count)
      ck_instance_norm_run(
        &description, source.pointer, nil, nil, nil, nil, result.pointer, scratch.pointer)
      results.append(result.array)
    }
    adnn_set_threads(2)
    #expect(results.allSatisfy { $0 == results[0] })
  }
}
