import Foundation
import Testing

/// SqueezeNet as fetched by `atelier fetch`. Nil if the package index is unreachable.
let squeezeNet: URL? = {
  guard Program.isBuilt else { return nil }
  let outcome = try? Program.run("fetch", "squeezenet")
  guard outcome?.status == 0, let line = outcome?.output.split(separator: "\n").last else {
    return nil
  }
  let path: Substring = line.prefix { $0 != "(" }
  return URL(
    fileURLWithPath: path.replacingOccurrences(of: " exists already.", with: "")
      .trimmingCharacters(in: .whitespaces))
}()

/// Compares Atelier's results with those of ONNX Runtime 1.30 in float32. Both run the same network with the same
/// weights (conv1 without padding, Caffe's pooling). The input is the central square of a photo, resampled to 227 × 227
/// by nearest neighbour.
@Suite(.enabled(if: squeezeNet != nil && Fixtures.areAvailable))
struct FetchTests {
  @Test(
    "SqueezeNet matches ONNX Runtime's probabilities within 0.002",
    arguments: [
      (
        "skimage-chelsea.png",
        ["tabby, tabby cat": 0.38844, "Egyptian cat": 0.32745, "tiger cat": 0.27439]
      ),
      ("skimage-coffee.png", ["espresso": 0.98522, "consomme": 0.01304, "cup": 0.00068]),
    ])
  func probabilities(photo: String, expected: [String: Double]) throws {
    try Fixtures.withFolder { folder in
      let square: URL = folder.appendingPathComponent("square.png")
      let source: URL = Fixtures.shared.appendingPathComponent("pictures/photos/\(photo)")
      try Pixels.nearestSquare(of: source, side: 227, to: square)
      let outcome = try Program.run(
        "classify", square.path, "--model", "squeezenet", "--compute-units", "cpuOnly", "--json",
        "--top", "1000")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let guesses = try JSONDecoder().decode([Guess].self, from: Data(outcome.output.utf8))
      for (label, probability) in expected {
        let found = try #require(guesses.first { $0.label == label })
        #expect(abs(found.probability - probability) <= 0.002, "\(label): \(found.probability)")
      }
      #expect(abs(guesses.reduce(0) { $0 + $1.probability } - 1) < 1e-3)
    }
  }

  @Test("A cat and a cup of coffee are recognised in full photos, in the fastest precision")
  func fullPhotos() throws {
    func labels(_ photo: String) throws -> [String] {
      let file: URL = Fixtures.shared.appendingPathComponent("pictures/photos/\(photo)")
      let outcome = try Program.run("classify", file.path, "--model", "squeezenet", "--json")
      return try JSONDecoder().decode([Guess].self, from: Data(outcome.output.utf8)).map(\.label)
    }
    let cat = try labels("skimage-chelsea.png")
    #expect(cat.count == 5)
    for label in ["Egyptian cat", "tiger cat", "tabby, tabby cat"] { #expect(cat.contains(label)) }
    #expect(try labels("skimage-coffee.png").first == "espresso")
  }

  @Test("A fetched model is found by its name and not fetched again")
  func fetchedTwice() throws {
    #expect(try Program.run("fetch", "squeezenet").output.hasSuffix(" exists already.\n"))
    let outcome = try Program.run("inspect", "squeezenet")
    #expect(outcome.output.contains("neuralNetworkClassifier"))
    #expect(outcome.output.contains("26 × convolution"))
  }

  private struct Guess: Decodable {
    let label: String
    let probability: Double
  }
}
