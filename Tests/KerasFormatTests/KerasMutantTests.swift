import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import KerasFormat

/// Tests that a damaged file gives either an error with a message, or a model that runs. No file may cause a crash.
@Suite struct KerasMutantTests {
  /// Returns the byte positions of the words that begin structures in a file: HDF5 signatures, ZIP headers and JSON
  /// keys.
  static func marks(in data: Data) -> [Int] {
    let bytes: [UInt8] = [UInt8](data)
    return bytes.indices.filter { position in
      guard position + 4 <= bytes.count else { return false }
      let word = String(decoding: bytes[position..<position + 4], as: UTF8.self)
      return ["TREE", "HEAP", "SNOD", "GCOL", "PK\u{1}\u{2}", "\"con", "\"lay"].contains(word)
    }
  }

  @Test(arguments: [
    "Dense", "nested in .h5", "nested in .weights.h5", "nested in .keras", "Bidirectional",
    "Sequential in .h5", "MultiHeadAttention", "Conv2DTranspose valid", "Embedding",
  ])
  func `A damaged file gives an error message or a model that runs`(_ name: String) throws {
    let item = try #require(KerasFileTests.item(name))
    var mutant = FileMutant(named: name)
    let names: [String] = item.files.keys.sorted()
    try KerasRun.inFolder(item.data) { folder in
      for _ in 0..<120 {
        let changed: String = names[mutant.number(below: names.count)]
        let original: Data = try #require(item.data[changed])
        let marks: [Int] = Self.marks(in: original)
        let damaged: Data = mutant.changed(original) { byteCount, mutant in
          let start: Int =
            marks.isEmpty || mutant.number(below: 3) == 0
            ? mutant.number(below: byteCount) : marks[mutant.number(below: marks.count)]
          return min(byteCount - 1, start + mutant.number(below: 200))
        }
        try damaged.write(to: folder.appendingPathComponent(changed))
        defer { try? original.write(to: folder.appendingPathComponent(changed)) }
        let failure: EngineError? = try FileMutant.failure {
          try KerasReader.read(
            folder.appendingPathComponent(names[0]), options: ReadingOptions())
        }
        if let failure { #expect(failure.message.count > 10, "\(failure.message)") }
      }
    }
  }
}
