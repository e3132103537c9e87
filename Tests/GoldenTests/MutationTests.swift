import Foundation
import Testing

/// Tests damaged models and images without fixture files. This is a short part of `make fuzz`.
@Suite("Damaged samples", .enabled(if: Program.isBuilt), .serialized)
struct SampleMutationTests {
  @Test(
    "Mutants of every reader's seeds give errors or predictions, and convert or are refused with a reason",
    arguments: [
      // For each reader: its name, the least number of kinds of seeds, and the number of mutants. At least one intact
      // seed of each kind must compute.
      ("layers", 158, 480), ("programs", 39, 120), ("text", 39, 120), ("onnx", 250, 480),
      ("tflite", 330, 480), ("keras", 100, 300), ("caffe", 36, 150), ("pictures", 9, 300),
      ("sizes", 100, 3000),
    ])
  func survive(reader: String, kinds: Int, count: Int) throws {
    let outcome = try Program.run(
      [
        "fuzz", "--reader", reader, "--seed", "5", "--count", "\(count)", "--jobs", "2",
      ], program: "MutationRunner")
    #expect(outcome.status == 0 && outcome.signal == 0, "\(outcome.output.suffix(2000))")
    let rows: [Substring] = outcome.output.split(separator: "\n").filter {
      $0.contains(" predicted, ") && $0.contains(": ")
    }
    #expect(rows.count >= kinds + 1)
    // A kind without any prediction would mean that the test only checks decoding. The check leaves out the reader
    // `sizes`, which does not run all of its seeds intact.
    #expect(
      reader == "sizes" || !outcome.output.contains(": 0 predicted"), "\(outcome.output)")
    print(rows.last ?? "no mutants")
  }

  @Test("A mutant that crashes the process is found and named, with the command that reproduces it")
  func findings() throws {
    let outcome = try Program.run(
      [
        "fuzz", "--reader", "layers", "--seed", "1", "--count", "40", "--jobs", "2", "--trap", "7",
      ],
      program: "MutationRunner")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("layers mutant 7, "))
    #expect(outcome.output.contains("it ended the process: signal "))
    #expect(outcome.output.contains("make fuzz READER=layers SEED=1 ONLY=7"))
    #expect(outcome.output.contains("1 findings."))
  }
}

/// Tests damaged copies of small models. A separate process runs all copies of a model. Each copy must give an error or
/// a prediction within ten seconds, and the process may use at most 1 GB.
@Suite("Damaged models", .enabled(if: Fixtures.areAvailable && Program.isBuilt), .serialized)
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
