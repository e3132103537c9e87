import Foundation
import Testing

@Suite(
  "Tuning on the command line", .enabled(if: Program.isBuilt && Fixtures.areAvailable), .serialized)
struct TuningTests {
  private struct Report: Decodable {
    struct Layer: Decodable {
      struct Time: Decodable {
        let kernel: String
        let milliseconds: Double
      }
      let kernel: String
      let candidates: [Time]
    }
    let layers: [Layer]
  }

  private static func layers(
    _ options: [String], _ environment: [String: String]
  ) throws -> [Report.Layer] {
    let outcome = try Program.run(
      [
        "bench", Fixtures.styleBlue.path, "--size", "128", "--runs", "1", "--warm-up", "0",
        "--profile", "--json",
      ] + options, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8)).layers
  }

  @Test("A profile shows the slower kernels too, and the choices are stored in the user's cache")
  func profile() throws {
    try Fixtures.withFolder { folder in
      let environment = ["ATELIER_TUNING": "on", "XDG_CACHE_HOME": folder.path]
      let first: [Report.Layer] = try Self.layers(["--compute-units", "cpuOnly"], environment)
      #expect(first.contains { $0.candidates.count > 1 })
      let files: [String] = try FileManager.default.contentsOfDirectory(
        atPath: folder.path + "/atelier")
      #expect(files.count == 1 && files[0].hasPrefix("kernels-"))
      // On a busy machine, the time budget of one plan may not be enough to time all layers. The budgets of two plans
      // are enough.
      let second: [Report.Layer] = try Self.layers(["--compute-units", "cpuOnly"], environment)
      let third: [Report.Layer] = try Self.layers(["--compute-units", "cpuOnly"], environment)
      #expect(second.map(\.kernel) == third.map(\.kernel))
    }
  }

  @Test("--no-tuning and ATELIER_TUNING=off time nothing and write nothing")
  func fixed() throws {
    try Fixtures.withFolder { folder in
      let calls: [([String], String)] = [(["--no-tuning"], "on"), ([], "off")]
      for (options, setting) in calls {
        let layers: [Report.Layer] = try Self.layers(
          options, ["ATELIER_TUNING": setting, "XDG_CACHE_HOME": folder.path])
        #expect(layers.allSatisfy { $0.candidates.isEmpty })
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test(
    "ATELIER_MAX_ISA limits the kernels' instruction set", arguments: ["plain", "avx2", "avx512"])
  func lowerInstructions(name: String) throws {
    let layers: [Report.Layer] = try Self.layers([], ["ATELIER_MAX_ISA": name])
    let ours: [String] = layers.map(\.kernel).filter {
      $0.hasPrefix("direct convolution") || $0.hasPrefix("Winograd convolution")
    }
    #expect(!ours.isEmpty)
    // The check below holds on every machine, because kernels for an instruction set that the machine lacks never
    // occur.
    let sets: [String] = ["plain", "avx2", "avx512", "avx512_bf16"]
    let allowed = sets.prefix { $0 != name } + [name]
    #expect(ours.allSatisfy { kernel in allowed.contains { kernel.hasSuffix(":\($0))") } })
    #expect(!layers.contains { $0.kernel.contains("avx512") && !name.hasPrefix("avx512") })
  }
}
