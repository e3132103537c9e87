import Foundation
import Testing

/// Damaged copies of small models: an error or a prediction of each, in a process of its own that
/// may take ten seconds for one and a gigabyte in all.
@Suite("Damaged models", .enabled(if: Fixtures.areThere && Program.isBuilt), .serialized)
struct MutationTests {
  @Test(
    "A thousand mutations give errors or predictions",
    arguments: [
      ("classical/HeightWeight_model.mlmodel", 1000), ("digits/mnistCNN.mlmodel", 1000),
      ("createml-style/StyleBlue.mlmodel", 500), ("classical/MarsHabitatPricer.mlmodel", 500),
      ("classical/DecisionTreeModel-Mushrooms.mlmodel", 500),
    ])
  func survives(path: String, count: Int) throws {
    let outcome = try Program.run(
      [Fixtures.model(path).path, "20261121", String(count)], program: "MutationRunner")
    print("\(path): \(outcome.output)", terminator: "")
    let last: Substring = outcome.errors.split(separator: "\n").last ?? "none"
    #expect(
      outcome.status == 0 && outcome.signal == 0,
      "\(path), \(last): status \(outcome.status), signal \(outcome.signal) \(outcome.output)")
    #expect(outcome.output.contains("predictions"))
    #expect(outcome.peakBytes < 1 << 30)
  }
}
