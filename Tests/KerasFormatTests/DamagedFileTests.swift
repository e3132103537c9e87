import Engine
import Foundation
import Graph
import Testing

@testable import KerasFormat

/// Damaged HDF5 files with internal links that lead to the same nodes repeatedly (Expected/make_damaged.py).
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

  /// The file has 60 branches on each of 6 levels. If the reader did not check for repeated nodes, it would make 4.7 ·
  /// 10¹⁰ visits.
  @Test func `A tree with repeated branches is refused immediately`() throws {
    #expect(
      try sentence("links in a tree with identical branches").contains(
        "the HDF5 file is damaged: a node occurs several times in a tree"))
  }
}
