import Engine
import Foundation
import Operators
import ModelTools
import Testing
import Training

@testable import StyleTransfer

/// The first step of training, against PyTorch's numbers in float64: the same weights, photos and painting
/// are made from formulas here and in Scripts/reference_training_step.py, which wrote the fixture.
@Suite("A training step of the .cnn network")
struct TrainingStepTests {
  private struct Fixture: Decodable {
    struct Gradient: Decodable {
      let name: String
      let norm: Double
      let sum: Double
      let largest: Double
    }
    let content: Double
    let style: Double
    let smoothness: Double
    let gradients: [Gradient]
  }

  private static let vgg16: URL = FetchableModel.vgg16.file()
  private static let hasVGG16: Bool = FetchableModel.vgg16.isFetched()

  /// Pictures `[N, 3, side, side]`, 0…255, of waves.
  private func pictures(_ count: Int, side: Int, kind: Double) -> [Float] {
    var result: [Float] = []
    for n in 0..<count {
      for c in 0..<3 {
        for y in 0..<side {
          for x in 0..<side {
            let (row, column, shift) = (Double(y), Double(x), Double(c))
            let across: Double = sin(0.11 * (1 + kind) * column + 0.7 * shift + Double(n))
            let down: Double = cos(0.07 * row * Double(1 + n) - 0.4 * shift)
            let fine: Double = sin(0.9 * column + 0.31 * row * (1 + kind))
            result.append(Float(min(255, max(0, 127.5 + 90 * across * down + 30 * fine))))
          }
        }
      }
    }
    return result
  }

  @Test(
    "has PyTorch's losses and gradients",
    .enabled(if: hasVGG16, "VGG-16 is not here; `atelier fetch vgg16` brings it"))
  func agreesWithPyTorch() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/training-step.json")
    let fixture = try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: file))
    let features = try FeatureNetwork(contentsOf: Self.vgg16)
    var loss = PerceptualLoss()
    (loss.contentWeight, loss.styleWeight, loss.smoothness) = (0.02, 1, 1)
    loss.content = [PerceptualLoss.Term("relu3_3")]
    loss.style = ["relu1_2", "relu2_2", "relu3_3", "relu4_3"].map {
      PerceptualLoss.Term($0, weight: 0.25)
    }

    // The painting's Gram matrices, unrounded.
    let side = 64
    var style = Graph()
    let painting = style.addInput("painting", [1, 3, side, side])
    let seen = try features.append(to: &style, picture: painting, layers: loss.styleLayers)
    for layer in loss.styleLayers {
      style.outputs.append(try style.addGram(of: try #require(seen[layer]), name: layer))
    }
    let grams = try style.run(
      [pictures(1, side: side, kind: 1)], options: ExecutionOptions())
    let targets = StyleTargets(
      grams: Dictionary(uniqueKeysWithValues: zip(loss.styleLayers, grams)))

    var settings = StyleTrainingSettings(batchSize: 2)
    settings.pictureSide = side
    let network = StyleNetwork(.cnn, seed: 1)
    let built = try StyleTrainingGraph(
      network, settings: settings, targets: targets, features: features, weights: loss)
    let parts: [Graph.ValueID] = [.content, .style, .smoothness].compactMap {
      (report: StyleTrainingGraph.Report) -> Graph.ValueID? in built.reports[report]
    }
    try #require(parts.count == 3)
    let function = try DifferentiableFunction(
      built.graph, loss: built.loss, reporting: parts,
      withRespectTo: built.parameters.map(\.value))
    let (report, gradients) = try function.evaluate(
      [pictures(2, side: side, kind: 0)] + network.values)

    for (found, expected) in zip(
      report.dropFirst(), [fixture.content, fixture.style, fixture.smoothness])
    {
      #expect(abs(Double(found) - expected) < 2e-6 * expected, "\(found), PyTorch \(expected)")
    }
    let names: [String] = built.parameters.map { "\($0.layer) \($0.role.rawValue)" }
    #expect(names == fixture.gradients.map { $0.name })
    // Rectifiers and maxima near their kinks flip: PyTorch's own gradients in float64 change by 7e-4 (their
    // largest by 1.6e-3) when all weights change by 1e-6.
    for (gradient, expected) in zip(gradients, fixture.gradients) {
      let values: [Double] = gradient.map(Double.init)
      let norm: Double = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
      let sum: Double = values.reduce(0, +)
      let largest: Double = values.reduce(0) { max($0, abs($1)) }
      #expect(abs(norm - expected.norm) < 3e-3 * expected.norm, "\(expected.name): \(norm)")
      #expect(abs(largest - expected.largest) < 1e-2 * expected.largest, "\(expected.name)")
      let scale: Double = expected.norm * Double(values.count).squareRoot()
      #expect(abs(sum - expected.sum) < 2e-3 * scale, "\(expected.name): sum \(sum)")
    }
  }
}
