import Testing

@Suite("Matrix tiles", .enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct TileEnvironmentTests {
  private func plan(_ tiles: String, _ units: String) throws -> String {
    try Program.run(
      ["inspect", Fixtures.styleBlue.path, "--stage", "plan", "--compute-units", units],
      environment: ["ATELIER_TILES": tiles]
    ).output
  }

  @Test("ATELIER_TILES=emulated emulates matrix tiles, but only in bfloat16")
  func emulated() throws {
    let output: String = try plan("emulated", "all")
    for kernel in ["direct", "gathered", "columns", "phases"] {
      #expect(output.contains("convolution on matrix tiles (tiles \(kernel):emulated"), "\(kernel)")
    }
    #expect(try !plan("emulated", "cpuOnly").contains("matrix tiles"))
  }

  @Test("ATELIER_TILES=none disables matrix tiles")
  func none() throws {
    let output: String = try plan("none", "all")
    #expect(output.contains("Convolution"))
    #expect(!output.contains("matrix tiles"))
  }
}
