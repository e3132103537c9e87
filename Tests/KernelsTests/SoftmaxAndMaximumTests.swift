import CKernels
import Foundation
import Testing

/// Tests sizes that fill vectors and sizes that do not, on every instruction set.
extension KernelTests {
  @Test(
    "Softmax matches its definition", arguments: [0, 1, 2, 3] as [Int32], [CK_F32, CK_BF16, CK_F16])
  func softmax(instructions: Int32, type: ck_type) {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    var random = Numbers(seed: 7)
    for (outer, axis, inner) in [
      (1, 1, 1), (3, 5, 1), (2, 16, 1), (40, 1000, 1), (2, 7, 3), (1, 9, 150), (3, 20, 64),
    ] {
      let count: Int = outer * axis * inner
      let source = Values(type, random.array(count).map { $0 * 9 })
      let bad: Int = count - 1
      source[bad] = .nan
      let target = Values(type, count: count)
      #expect(
        ck_softmax(type, source.pointer, target.pointer, Int64(outer), Int64(axis), Int64(inner))
          == 0)
      var error: Double = 0
      var lost: Int = 0
      for row in 0..<outer {
        for column in 0..<inner {
          let indices: [Int] = (0..<axis).map { (row * axis + $0) * inner + column }
          if indices.contains(bad) {
            lost += indices.count { !target[$0].isNaN }
            continue
          }
          let powers: [Double] = indices.map { exp(Double(source[$0])) }
          let sum: Double = powers.reduce(0, +)
          for (index, power) in zip(indices, powers) {
            error = max(error, abs(Double(target[index]) - power / sum))
          }
        }
      }
      #expect(lost == 0, "\(lost) numbers in a row with NaN")
      #expect(error <= (type == CK_F32 ? 1e-6 : type == CK_F16 ? 1e-3 : 4e-3))
    }
  }

  @Test("Softmax may write into the memory of its input")
  func softmaxInPlace() {
    let values = Values(CK_BF16, [1, 2, 3, 4])
    #expect(ck_softmax(CK_BF16, values.pointer, values.pointer, 2, 2, 1) == 0)
    for (index, known) in [0.26894, 0.73106, 0.26894, 0.73106].enumerated() {
      #expect(abs(Double(values[index]) - known) < 2e-3)
    }
  }

  @Test(
    "Max pooling gives the maximum of each window, and NaN if a pixel is NaN",
    arguments: [0, 1, 2, 3] as [Int32], [CK_F32, CK_BF16, CK_F16])
  func maximum(instructions: Int32, type: ck_type) {
    ck_limit_instructions(instructions)
    defer { ck_limit_instructions(3) }
    var random = Numbers(seed: 11)
    for channels in [1, 15, 16, 70, 128] {
      let (height, width) = (5, 6)
      let source = Values(type, random.array(2 * height * width * channels))
      let bad: Int = (2 * width + 3) * channels + channels / 2
      source[bad] = .nan
      // The last window contains no pixel.
      let rows: [ClosedRange<Int>?] = [0...1, 1...3, 3...4]
      let columns: [ClosedRange<Int>?] = [0...2, 3...3, 2...5, nil]
      let target = Values(type, count: 2 * rows.count * columns.count * channels)
      run(source, target, channels, height, width, rows, columns)
      var wrong: Int = 0
      for index in 0..<target.count {
        let channel: Int = index % channels
        let column: ClosedRange<Int>? = columns[index / channels % columns.count]
        let row: ClosedRange<Int>? = rows[index / channels / columns.count % rows.count]
        let picture: Int = index / channels / columns.count / rows.count
        var expected: Float = row == nil || column == nil ? 0 : -.infinity
        for y in row ?? 0...0 where column != nil && row != nil {
          for x in column ?? 0...0 {
            let value: Float = source[((picture * height + y) * width + x) * channels + channel]
            if value > expected || value.isNaN { expected = value }
          }
        }
        let isRight: Bool = expected.isNaN ? target[index].isNaN : target[index] == expected
        if !isRight { wrong += 1 }
      }
      #expect(wrong == 0, "\(channels) channels")
    }
  }

  private func run(
    _ source: Values, _ target: Values, _ channels: Int, _ height: Int, _ width: Int,
    _ rows: [ClosedRange<Int>?], _ columns: [ClosedRange<Int>?]
  ) {
    func starts(_ ranges: [ClosedRange<Int>?]) -> [Int32] {
      ranges.map { Int32($0?.lowerBound ?? 0) }
    }
    func ends(_ ranges: [ClosedRange<Int>?]) -> [Int32] {
      ranges.map { Int32(($0?.upperBound ?? -1) + 1) }
    }
    var description = ck_max_pooling()
    description.type = source.type
    description.batch = 2
    (description.height, description.width) = (Int64(height), Int64(width))
    description.channels = Int64(channels)
    (description.output_height, description.output_width) = (
      Int64(rows.count), Int64(columns.count)
    )
    starts(rows).withUnsafeBufferPointer { rowStarts in
      ends(rows).withUnsafeBufferPointer { rowEnds in
        starts(columns).withUnsafeBufferPointer { columnStarts in
          ends(columns).withUnsafeBufferPointer { columnEnds in
            description.row_starts = rowStarts.baseAddress
            description.row_ends = rowEnds.baseAddress
            description.column_starts = columnStarts.baseAddress
            description.column_ends = columnEnds.baseAddress
            #expect(ck_max_pooling_run(&description, source.pointer, target.pointer) == 0)
          }
        }
      }
    }
  }
}
