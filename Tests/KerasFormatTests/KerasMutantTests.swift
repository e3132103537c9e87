import Engine
import Foundation
import Graph
import Testing

@testable import KerasFormat

/// Damaged files give an error with a sentence, or a model that runs: nothing else.
@Suite struct KerasMutantTests {
  /// Numbers from a seed.
  struct Numbers {
    var state: UInt64
    mutating func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, limit)
    }
  }

  /// A copy with a few bytes changed, mostly where the file says how it is built.
  static func mutant(_ data: Data, _ numbers: inout Numbers) -> Data {
    var bytes: [UInt8] = [UInt8](data)
    let marks: [Int] = bytes.indices.filter { place in
      guard place + 4 <= bytes.count else { return false }
      let word = String(decoding: bytes[place..<place + 4], as: UTF8.self)
      return ["TREE", "HEAP", "SNOD", "GCOL", "PK\u{1}\u{2}", "\"con", "\"lay", "nod"].contains(
        word)
    }
    for _ in 0...numbers.next(below: 4) {
      let start: Int =
        marks.isEmpty || numbers.next(below: 3) == 0
        ? numbers.next(below: bytes.count) : marks[numbers.next(below: marks.count)]
      let place: Int = min(bytes.count - 1, start + numbers.next(below: 200))
      switch numbers.next(below: 5) {
      case 0: bytes[place] = 0xFF
      case 1: bytes[place] = 0
      case 2: bytes[place] ^= UInt8(1 << numbers.next(below: 8))
      case 3: bytes[place] = UInt8(numbers.next(below: 256))
      default: if numbers.next(below: 8) == 0 { bytes.removeSubrange(place...) }
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return Data(bytes)
  }

  @Test(arguments: [
    "Dense", "nested in .h5", "nested in .weights.h5", "nested in .keras", "Bidirectional",
    "Sequential in .h5", "MultiHeadAttention", "Conv2DTranspose valid", "Embedding",
  ])
  func `Nothing but a sentence comes of a damaged file`(_ name: String) throws {
    let item = try #require(KerasFileTests.item(name))
    var numbers = Numbers(state: UInt64(name.utf8.reduce(7) { $0 * 31 % 1_000_003 + Int($1) }))
    let names: [String] = item.files.keys.sorted()
    try KerasRun.inFolder(item.data) { folder in
      for _ in 0..<120 {
        let changed: String = names[numbers.next(below: names.count)]
        let original: Data = try #require(item.data[changed])
        try Self.mutant(original, &numbers).write(to: folder.appendingPathComponent(changed))
        defer { try? original.write(to: folder.appendingPathComponent(changed)) }
        do {
          let model = try KerasReader.read(
            folder.appendingPathComponent(names[0]), options: ReadingOptions())
          let shapes: [[Int]] = model.inputs.map { $0.extents?.map { $0.fixed ?? 1 } ?? [] }
          guard shapes.allSatisfy({ $0.reduce(1, *) <= 100_000 }) else { continue }
          let network = Network(
            model.graph, passes: GraphPasses.standard,
            options: ExecutionOptions(threads: 1, memoryLimit: 64 << 20))
          try network.plan(for: shapes.map { TensorType(Shape($0)) }).withSession { try $0.run() }
        } catch let error as EngineError {
          #expect(error.message.count > 10, "\(error.message)")
        }
      }
    }
  }
}
