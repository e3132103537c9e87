import Engine
import Foundation
import Graph
import Testing

@testable import KerasFormat

/// HDF5 files whose parts lead to the same places again and again (Expected/make_damaged.py).
@Suite struct DamagedFileTests {
  static let files: [String: Data] = {
    let url = KerasRun.expected.appendingPathComponent("damaged.json")
    let texts =
      (try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: url))) ?? [:]
    return texts.compactMapValues { Data(base64Encoded: $0) }
  }()

  private func sentence(_ name: String) throws -> String {
    let file: Data = try #require(Self.files[name])
    do {
      _ = try KerasRun.inFolder(["m.h5": file]) {
        try KerasReader.read($0.appendingPathComponent("m.h5"), options: ReadingOptions())
      }
      return ""
    } catch let error as EngineError {
      return error.message
    }
  }

  /// 60 branches on each of 6 levels: 47 thousand million visits without the check.
  @Test func `A tree whose branches are one and the same is refused at once`() throws {
    #expect(
      try sentence("links in a tree whose branches are one").contains(
        "the HDF5 file is damaged: a node of a tree stands in several places of it"))
  }
}
