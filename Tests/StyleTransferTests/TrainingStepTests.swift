import Engine
import Foundation
import Operators
import ModelTools
import Testing
import Training

@testable import StyleTransfer

/// Compares the first training step with PyTorch's numbers in float64. Formulas generate the same weights, photos and
/// painting here and in Scripts/reference_training_step.py, which wrote the fixture.
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

  /// Returns images `[N, 3, side, side]` of waves, 0…255.
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

  /// Returns the targets of the painting, which is not rounded to integers.
  private func targets(
    side: Int, _ features: FeatureNetwork, _ loss: PerceptualLoss, kind: Double = 1
  ) throws -> StyleTargets {
    try StyleTargets(
      planes: pictures(1, side: side, kind: kind), height: side, width: side, by: features,
      layers: loss.styleLayers, neighborLayers: loss.neighborLayers)
  }

  @Test(
    "A training step of the .cnn network matches PyTorch's losses and gradients",
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

    let side = 64
    let targets = try targets(side: side, features, loss)
    var settings = StyleTrainingSettings(batchSize: 2)
    settings.pictureSide = side
    let network = StyleNetwork(.cnn, seed: 1)
    let built = try StyleTrainingGraph(
      network, settings: settings, targets: [targets], features: features, weights: loss)
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
    // Rounding may switch ReLUs and maxima that are close to their kinks. PyTorch's own gradients in float64 change by
    // 7e-4 (the largest by 1.6e-3) when all weights change by 1e-6.
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

  private struct Steps: Decodable {
    struct Recipe: Decodable {
      let recipe: String
      let steps: [[String: Double]]
    }
    struct Several: Decodable {
      let recipe: String
      let styles: [[Int]]
      let steps: [[String: Double]]
    }
    let recipes: [Recipe]
    let several: [Several]
  }

  /// The float32 steps of the Swift library and PyTorch's steps in float64 start equal. Then Adam divides small
  /// gradients by their own size, so rounding errors of gradients near 0 change the parameters.
  private static let tolerances: [Double] = [2e-5, 2e-3, 1e-2]

  @Test(
    "Three steps of every recipe match those of train_style.py",
    .enabled(if: hasVGG16, "VGG-16 is not here; `atelier fetch vgg16` brings it"),
    arguments: TrainingRecipe.Name.allCases)
  func steps(_ name: TrainingRecipe.Name) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/training-steps.json")
    let expected: [[String: Double]] = try #require(
      JSONDecoder().decode(Steps.self, from: Data(contentsOf: file)).recipes.first {
        $0.recipe == name.rawValue
      }
    ).steps
    let features = try FeatureNetwork(contentsOf: Self.vgg16)
    let loss = PerceptualLoss.forTraining(name.recipe)
    let settings = StyleTrainingSettings(batchSize: 2, pictureSide: 64, recipe: name.recipe)
    let network = StyleNetwork(.cnn, seed: 1, architecture: settings.architecture)
    let built = try StyleTrainingGraph(
      network, settings: settings, targets: [targets(side: 64, features, loss)],
      features: features, weights: loss)
    let parts: [String] = StyleTrainingGraph.Report.allCases.filter { built.reports[$0] != nil }
      .map { "\($0)" }
    #expect(Set(parts + ["total"]) == Set(expected[0].keys))
    try compare(built, expected) { _ in [] }
  }

  /// Trains in float32 and compares the losses of each step with PyTorch's.
  ///
  /// - Parameter styles: Returns the styles of the pictures of a step.
  private func compare(
    _ built: StyleTrainingGraph, _ expected: [[String: Double]], styles: (Int) -> [Int]
  ) throws {
    let reported = StyleTrainingGraph.Report.allCases.filter { built.reports[$0] != nil }
    var options = ExecutionOptions()
    options.precision = .float32
    let trainer = try Trainer(
      built.graph, loss: built.loss, reporting: reported.compactMap { built.reports[$0] },
      parameters: built.parameters, optimizer: .adam(beta1: 0.9, beta2: 0.999, epsilon: 1e-8),
      options: options)
    let photos: [Float] = pictures(2, side: 64, kind: 0)
    for (index, (step, tolerance)) in zip(expected, Self.tolerances).enumerated() {
      let found: [Float] = try trainer.step(
        [photos] + built.styleInputs(of: styles(index)), learningRate: 1e-3)
      for (part, value) in zip(["total"] + reported.map { "\($0)" }, found) {
        let wanted: Double = try #require(step[part])
        #expect(
          abs(Double(value) - wanted) < tolerance * wanted, "\(part): \(value), PyTorch \(wanted)")
      }
    }
  }

  @Test(
    "Three steps of a training of two paintings match those of train_style.py",
    .enabled(if: hasVGG16, "VGG-16 is not here; `atelier fetch vgg16` brings it"),
    arguments: [TrainingRecipe.Name.colors, .neighbors])
  func stepsOfSeveralStyles(_ name: TrainingRecipe.Name) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/training-steps.json")
    let expected: Steps.Several = try #require(
      JSONDecoder().decode(Steps.self, from: Data(contentsOf: file)).several.first {
        $0.recipe == name.rawValue
      })
    let features = try FeatureNetwork(contentsOf: Self.vgg16)
    let recipe: TrainingRecipe = name.recipe
    let loss = PerceptualLoss.forTraining(recipe)
    let settings = StyleTrainingSettings(batchSize: 2, pictureSide: 64, recipe: recipe)
    let network = StyleNetwork(.cnn, seed: 1, architecture: settings.architecture).withStyles(3)
    let built = try StyleTrainingGraph(
      network, settings: settings,
      targets: [
        targets(side: 64, features, loss), targets(side: 64, features, loss, kind: 2), nil,
      ], features: features, weights: loss)
    #expect(expected.steps.count == Self.tolerances.count)
    try compare(built, expected.steps) { expected.styles[$0] }
  }
}
