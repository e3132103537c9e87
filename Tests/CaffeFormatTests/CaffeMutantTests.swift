import Engine
import Foundation
import Graph
import Testing

@testable import CaffeFormat

/// Damaged files give an error with a sentence, or a model that runs: nothing else.
@Suite struct CaffeMutantTests {
  /// Numbers from a seed.
  struct Numbers {
    var state: UInt64
    mutating func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, limit)
    }
  }

  /// A copy with a few bytes changed.
  static func mutant(_ data: Data, _ numbers: inout Numbers) -> Data {
    var bytes: [UInt8] = [UInt8](data)
    for _ in 0...numbers.next(below: 4) {
      // What stands in front says how the file is built.
      let place: Int = numbers.next(
        below: min(bytes.count, numbers.next(below: 2) == 0 ? 200 : bytes.count))
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
    "convolution", "deconvolution with bias", "batch norm and scale", "average with a border",
    "crop",
    "slice", "reshape", "inner product",
  ])
  func `Nothing but a sentence comes of a damaged file`(_ name: String) throws {
    let item = try #require(OpenCVTests.cases.first { $0.name == name })
    var numbers = Numbers(state: UInt64(name.utf8.reduce(7) { $0 * 31 % 1_000_003 + Int($1) }))
    let weights: Data = Data(base64Encoded: item.weights) ?? Data()
    let url = try CaffeRun.write(item.prototxt, weights)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let other = url.deletingPathExtension().appendingPathExtension("caffemodel")
    for turn in 0..<150 {
      let isText: Bool = weights.isEmpty || turn % 2 == 0
      let original: Data = isText ? Data(item.prototxt.utf8) : weights
      let place: URL = isText ? url : other
      try Self.mutant(original, &numbers).write(to: place)
      defer { try? original.write(to: place) }
      do {
        let model = try CaffeReader.read(url, options: ReadingOptions())
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
