import Engine
import Foundation

/// Damages a few bytes of a file. The same seed always gives the same changes.
package struct FileMutant {
  private var state: UInt64

  /// Derives the seed from a test's name.
  package init(named name: String) {
    state = UInt64(name.utf8.reduce(7) { $0 * 31 % 1_000_003 + Int($1) })
  }

  /// Returns a random number from zero up to, but not including, the limit.
  package mutating func number(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % max(1, limit)
  }

  /// Returns a copy with one to four changes at positions that the closure picks.
  package mutating func changed(
    _ data: Data, at place: (_ byteCount: Int, _ mutant: inout FileMutant) -> Int
  ) -> Data {
    var bytes: [UInt8] = [UInt8](data)
    for _ in 0...number(below: 4) {
      let position: Int = place(bytes.count, &self)
      switch number(below: 5) {
      case 0: bytes[position] = 0xFF
      case 1: bytes[position] = 0
      case 2: bytes[position] ^= UInt8(1 << number(below: 8))
      case 3: bytes[position] = UInt8(number(below: 256))
      default: if number(below: 8) == 0 { bytes.removeSubrange(position...) }
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return Data(bytes)
  }

  /// Reads a damaged file. If the inputs of the resulting model are small, runs the model.
  ///
  /// - Returns: the error of the reader, the planner or the session. Nil if all succeeded.
  /// - Throws: any error that is not an `EngineError`.
  package static func failure(_ read: () throws -> GraphModel) throws -> EngineError? {
    do {
      let model: GraphModel = try read()
      let shapes: [[Int]] = model.inputs.map { $0.extents?.map { $0.fixed ?? 1 } ?? [] }
      guard shapes.allSatisfy({ $0.reduce(1, *) <= 100_000 }) else { return nil }
      let network = Network(
        model.graph, passes: GraphPasses.standard,
        options: ExecutionOptions(threads: 1, memoryLimit: 64 << 20))
      try network.plan(for: shapes.map { TensorType(Shape($0)) }).withSession { try $0.run() }
      return nil
    } catch let error as EngineError {
      return error
    }
  }
}
