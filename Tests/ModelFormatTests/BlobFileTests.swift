import Tensors
import Foundation
import Testing

@testable import ModelFormat

@Suite struct BlobFileTests {
  static func file(_ change: (inout [UInt8]) -> Void) throws -> BlobFile {
    var bytes = SampleModels.weightFile()
    change(&bytes)
    return try BlobFile(bytes: ByteValues(bytes), name: "'weight.bin'")
  }

  /// The cases were created by coremltools: see `conformance/coremltools-9.0.md`, section 5.
  @Test(
    arguments: [
      (8, [0xF8, 0x10, 0x07], 4, 5), (9, [0x0D], 3, 5), (10, [0xE4, 0x03], 6, 5),
      (12, [0x88, 0xC6, 0xFA, 0x01], 5, 9), (11, [0x21, 0xF3, 0x07], 4, 5),
      (13, [0x40, 0x20, 0xFC, 0x05], 2, 5),
    ] as [(UInt8, [UInt8], UInt8, Int)])
  func `Sub-byte elements are counted without their padding`(
    type: UInt8, data: [UInt8], padding: UInt8, count: Int
  ) throws {
    let blob = try BlobFileTests.file { bytes in
      bytes[68] = type
      bytes[72] = UInt8(data.count)
      bytes[88] = padding
      bytes.replaceSubrange(128..., with: data)
    }.blob(at: 64)
    #expect(blob.count == count)
    #expect(blob.bytes.array() == data)
  }

  static let faults: [(@Sendable (inout [UInt8]) -> Void, UInt64, String)] = [
    (
      { $0.removeLast() }, 64,
      "the blob at 64 has 6 bytes from byte 128 on, but the file has 133. The file may be truncated."
    ),
    ({ $0[64] = 0 }, 64, "expected the mark DEADBEEF at 64, found DEADBE00."),
    ({ $0[68] = 99 }, 64, "the blob at 64 has element type 99, expected 1 to 17."),
    (
      { $0[79] = 0xFF }, 64,
      "the blob at 64 has 18374686479671623686 bytes from byte 128 on, but the file has 134. The file may be truncated."
    ),
    ({ $0[72] = 5 }, 64, "the blob at 64 ends within an element of 16 bits."),
    ({ _ in }, 65, "the record at 65 is not aligned to 64 bytes."),
    (
      { _ in }, 128,
      "the record at 128 ends beyond the file's 134 bytes. The file may be truncated."
    ),
    (
      { _ in }, UInt64.max,
      "the record at 18446744073709551615 ends beyond the file's 134 bytes. The file may be truncated."
    ),
  ]

  @Test(arguments: faults.indices)
  func `A damaged record is reported with a message`(index: Int) throws {
    let (change, offset, sentence) = BlobFileTests.faults[index]
    let file = try BlobFileTests.file(change)
    let error = #expect(throws: ModelFormatError.self) { try file.blob(at: offset) }
    #expect(error?.message == "Weight file 'weight.bin': \(sentence)")
  }

  @Test func `A short file and an older version are refused`() throws {
    let short = #expect(throws: ModelFormatError.self) {
      try BlobFile(bytes: ByteValues([1, 0, 0, 0]), name: "'w'")
    }
    #expect(
      short?.message
        == "Weight file 'w' has 4 bytes, expected a header of 64. The file may be truncated.")
    let old = #expect(throws: ModelFormatError.self) { try BlobFileTests.file { $0[4] = 1 } }
    #expect(old?.message == "Weight file 'weight.bin' has blob storage version 1, expected 2.")
  }

  @Test func `A thousand mutations of a weight file give errors or blobs`() throws {
    let seed: UInt64 = 4
    print("mutations of a weight file: seed \(seed)")
    var generator = SplitMix64(seed: seed)
    for _ in 0..<1_000 {
      let bytes = DamageTests.mutate(SampleModels.weightFile(), with: &generator)
      guard let file = try? BlobFile(bytes: ByteValues(bytes), name: "'w'") else { continue }
      for offset in [0, 64, 128] as [UInt64] { _ = (try? file.blob(at: offset))?.bytes.array() }
    }
  }
}
