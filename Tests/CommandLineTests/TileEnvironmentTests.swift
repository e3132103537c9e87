import Testing

@Suite("Matrix tiles", .enabled(if: Program.isBuilt && Fixtures.areThere))
struct TileEnvironmentTests {
  private func plan(_ tiles: String, _ units: String) throws -> String {
    try Program.run(
      ["inspect", Fixtures.styleBlue.path, "--stage", "plan", "--compute-units", units],
      environment: ["ATELIER_TILES": tiles]
    ).output
  }

  @Test("are acted where the environment says so, in bfloat16 alone")
  func acted() throws {
    let output: String = try plan("acted", "all")
    for kernel in ["direct", "gathered", "columns", "phases"] {
      #expect(output.contains("convolution on matrix tiles (tiles \(kernel):acted"), "\(kernel)")
    }
    #expect(try !plan("acted", "cpuOnly").contains("matrix tiles"))
  }

  @Test("are left alone where the environment says so")
  func none() throws {
    let output: String = try plan("none", "all")
    #expect(output.contains("Convolution"))
    #expect(!output.contains("matrix tiles"))
  }
}
