import Foundation
import Imaging
import Testing

/// Kills `atelier stylize --skip-existing` while it paints a folder, and compares what it left with an undisturbed run.
@Suite(.enabled(if: Program.isBuilt), .serialized)
struct KilledFolderTests {
  private static let style: String = GenerateTests.root
    .appendingPathComponent("Examples/Scream.mlmodel").path
  private static let environment: [String: String] = ["ATELIER_TUNING": "off"]

  /// A painting as it lies in a folder.
  private struct Painting: Equatable {
    let data: Data
    /// The number of the file's inode. A painting that is written again gets another.
    let inode: Int
  }

  /// Reads the paintings of a folder by their names. Temporary files are hidden and left out.
  private static func paintings(in folder: String) throws -> [String: Painting] {
    let manager = FileManager.default
    guard manager.fileExists(atPath: folder) else { return [:] }
    var found: [String: Painting] = [:]
    for name in try manager.contentsOfDirectory(atPath: folder) where !name.hasPrefix(".") {
      let path: String = folder + "/" + name
      let number = try manager.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      found[name] = Painting(
        data: try Data(contentsOf: URL(fileURLWithPath: path)), inode: number ?? 0)
    }
    return found
  }

  /// Paints a folder to its end, and returns the reports.
  private static func paint(_ words: [String]) throws -> [[String: Any]] {
    let outcome = try Program.run(words, environment: environment)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
  }

  @Test("However often a run is killed, no painting is lost, half or painted twice")
  func killed() throws {
    let (count, kills) = (12, 5)
    try Fixtures.withFolder { folder in
      let photos: String = folder.path + "/photos"
      try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
      for index in 0..<count {
        let pixels: [UInt8] = (0..<400 * 300 * 3).map {
          UInt8(truncatingIfNeeded: ($0 &* (2 * index + 3)) >> 3)
        }
        try Picture(width: 400, height: 300, pixels: pixels)
          .write(toFile: "\(photos)/\(index).png")
      }
      let originals = try Self.paintings(in: photos)
      func words(_ output: String) -> [String] {
        ["stylize", photos, "-m", Self.style, "-o", output, "--skip-existing", "--json"]
      }

      let begin = Date()
      let undisturbed = try Self.paint(words(folder.path + "/undisturbed"))
      let runningTime: Double = Date().timeIntervalSince(begin)
      #expect(undisturbed.count == count)
      let secondsPerPainting: Double =
        undisturbed.compactMap { $0["seconds"] as? Double }.reduce(0, +) / Double(count)
      let expected = try Self.paintings(in: folder.path + "/undisturbed").mapValues(\.data)

      // The first kill comes while the program starts. Each further one comes when more paintings exist, at another moment
      // of the next painting: while it is computed, encoded or written.
      let output: String = folder.path + "/out"
      var last: [String: Painting] = [:]
      var killedRuns = 0
      for round in 0..<kills {
        let goal: Int = round * count / kills
        let delay: Double =
          round == 0
          ? runningTime / 20 : secondsPerPainting * Double(round) / Double(kills)
        let wasKilled: Bool = try Program.run(
          words(output), environment: Self.environment, killedAfter: delay,
          since: { ((try? Self.paintings(in: output).count) ?? 0) >= goal })
        if wasKilled { killedRuns += 1 }
        let now = try Self.paintings(in: output)
        for (name, painting) in now {
          #expect(painting.data == expected[name], "kill \(round): '\(name)' is not complete")
        }
        for (name, painting) in last {
          #expect(now[name] == painting, "kill \(round): '\(name)' is lost or painted again")
        }
        last = now
      }
      #expect(killedRuns >= kills - 2, "only \(killedRuns) of \(kills) runs were killed")

      let rest = try Self.paint(words(output))
      #expect(rest.count == count - last.count)
      let finished = try Self.paintings(in: output)
      #expect(finished.mapValues(\.data) == expected)
      for (name, painting) in last { #expect(finished[name] == painting, "\(name)") }
      #expect(try FileManager.default.contentsOfDirectory(atPath: output).count == count)
      #expect(try Self.paint(words(output)).isEmpty)
      #expect(try Self.paintings(in: output) == finished)
      #expect(try Self.paintings(in: photos) == originals)
    }
  }
}
