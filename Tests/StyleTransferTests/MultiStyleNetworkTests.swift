import Engine
import Foundation
import Imaging
import ModelFormat
import Testing
import Training

@testable import CoreML
@testable import StyleTransfer

@Suite("Networks of several styles")
struct MultiStyleNetworkTests {
  /// A network of three styles whose scales and offsets differ.
  ///
  /// - Parameter plain: The network of one style that it comes from. Nil for a small one.
  private func network(from plain: StyleNetwork? = nil) throws -> MultiStyleNetwork {
    let plain =
      plain
      ?? StyleNetwork(.cnn, seed: 3, architecture: TrainingFixture.architecture(.stages))
    var generator = SplitMix64(seed: 9)
    let several = plain.withStyles(3)
    let values: [[Float]] = zip(several.parameters, several.values).map { parameter, values in
      parameter.isOfNorm ? values.map { $0 + Float(generator.uniform(-0.5...0.5)) } : values
    }
    return try MultiStyleNetwork(
      several.with(values), names: ["wave", "scream", MultiStyleNetwork.photoName])
  }

  private func photo() throws -> Picture {
    try TrainingFixture.picture(40, 36) { x, y in (x * 6, y * 7, (x * y) % 256) }
  }

  /// Returns the largest difference between the samples of two pictures of equal size.
  private func difference(_ one: Picture, _ other: Picture) -> Int {
    zip(one.planes, other.planes).reduce(0) { max($0, Int(abs($1.0 - $1.1))) }
  }

  @Test("A network and the names of its styles survive a round trip through a model")
  func roundTrip() throws {
    let network = try MultiStyleNetwork(
      StyleNetwork(.cnnLite, seed: 2).withStyles(2), names: ["a", "b"])
    let model = try network.model(storage: .float32)
    let again = try MultiStyleNetwork(reading: model, name: "x.mlmodel")
    #expect(again.names == ["a", "b"] && again.network.values == network.network.values)
    #expect(MultiStyleNetwork.isMultiStyle(model))
    #expect(try !MultiStyleNetwork.isMultiStyle(StyleNetwork(.cnnLite, seed: 2).model()))
  }

  @Test("A model with the weights of a mixture as its input paints the same as the mixture's model")
  func weightsAsInput() throws {
    let several = try network()
    let shares: [MultiStyleNetwork.Share] = [("wave", 0.6), ("scream", 0.4)]
    let weights: [Float] = try several.weights(of: shares, strength: 0.7)
    #expect(zip(weights, [0.42, 0.28, 0.3]).allSatisfy { abs($0 - $1) < 1e-6 })
    let model = try MLModel(
      specification: try several.model(storage: .float32), configuration: MLModelConfiguration())
    let array = try MLMultiArray(shape: [3], dataType: .float32)
    for (index, weight) in weights.enumerated() { array[index] = NSNumber(value: weight) }
    let painter = try Painter(
      model, inputs: [StyleArchitecture.stylesName: MLFeatureValue(multiArray: array)], name: "x")
    let expected = try several.mixture(of: shares, strength: 0.7).painter().paint(photo()).picture
    #expect(try difference(painter.paint(photo()).picture, expected) <= 1)
    let other = try several.mixture(of: [("wave", 1)]).painter().paint(photo()).picture
    #expect(difference(other, expected) > 5)
  }

  @Test("A training of several styles starts from the styles that the initial model has")
  func initialStyles() throws {
    let several = try network(from: StyleNetwork(.cnnLite, seed: 3))
    let wanted: [String] = ["new", "scream", MultiStyleNetwork.photoName]
    let start = try MultiStyleNetwork(several.initial(for: wanted), names: wanted)
    for name in [MultiStyleNetwork.photoName, "scream"] {
      #expect(try start.mixture(of: [(name, 1)]).values == several.mixture(of: [(name, 1)]).values)
    }
    let mean: StyleNetwork = try several.mixture(of: [("wave", 1), ("scream", 1)])
    #expect(try start.mixture(of: [("new", 1)]).values == mean.values)
    #expect(try several.initial(for: ["wave"]).values == several.mixture(of: [("wave", 1)]).values)

    var task = StyleTraining.Task(
      settings: StyleTrainingSettings(algorithm: .cnnLite),
      paintings: ["scream.jpg", "new.png"].map { URL(fileURLWithPath: "/paintings/\($0)") },
      contents: URL(fileURLWithPath: "/photos"))
    try task.start(from: several.model(storage: .float32), name: "many.mlmodel")
    let initial: StyleNetwork = try #require(task.initial)
    #expect(try initial.values == several.initial(for: ["scream", "new", "photo"]).values)
    #expect(task.initialName == "many.mlmodel")
    task.paintings = ["scream/painting.jpg", "wave/painting.jpg", "new.png"].map {
      URL(fileURLWithPath: "/paintings/\($0)")
    }
    #expect(task.styleNames == ["scream", "wave", "new", MultiStyleNetwork.photoName])
    task.settings.algorithm = .cnn
    let error = try #require(throws: StyleTransferError.self) {
      try task.start(from: several.model(storage: .float32), name: "many.mlmodel")
    }
    #expect(
      error.message
        == "The initial model 'many.mlmodel' is a cnnLite network, expected cnn. Use another model"
        + " or algorithm.")
  }

  @Test("Equal styles paint the same as the network that they come from")
  func equalStyles() throws {
    let plain = StyleNetwork(.cnn, seed: 3, architecture: TrainingFixture.architecture(.stages))
    let several = try MultiStyleNetwork(plain.withStyles(2), names: ["a", "b"])
    #expect(try several.mixture(of: [("a", 1), ("b", 3)]).values == plain.values)
    let added = try several.adding(plain, name: "c")
    #expect(added.names == ["a", "b", "c"])
    #expect(try added.mixture(of: [("c", 1)]).values == plain.values)
    #expect(try added.mixture(of: [("b", 1)]).values == plain.values)
  }

  @Test("A network keeps chosen styles, in the chosen order, and the style that reproduces photos")
  func keeping() throws {
    let several = try network()
    let kept = try several.keeping(["scream"])
    #expect(kept.names == ["scream", MultiStyleNetwork.photoName])
    for name in kept.names {
      #expect(
        try kept.mixture(of: [(name, 1)]).values == several.mixture(of: [(name, 1)]).values)
    }
    #expect(try several.keeping(["scream", "wave"]).names.first == "scream")
    let error = #expect(throws: StyleTransferError.self) { try several.keeping(["poppies"]) }
    #expect(error?.message == "The model has no style 'poppies'; it has wave, scream.")
  }

  @Test("A style that is added keeps the other styles as they are")
  func adding() throws {
    let several = try network()
    let style = try several.mixture(of: [("wave", 1), ("scream", 2)])
    let added = try several.adding(style, name: "both")
    for name in several.names {
      #expect(
        try added.mixture(of: [(name, 1)]).values == several.mixture(of: [(name, 1)]).values)
    }
    #expect(try added.mixture(of: [("both", 1)]).values == style.values)
    #expect(throws: StyleTransferError.self) {
      try several.adding(StyleNetwork(.cnnLite, seed: 1), name: "lite")
    }
  }

  @Test("Mixtures are read with and without weights")
  func shares() throws {
    let found = try MultiStyleNetwork.shares("a:0.6,b")
    #expect(found.map(\.name) == ["a", "b"] && found.map(\.weight) == [0.6, 1])
  }

  @Test(
    "A mixture that cannot be read is refused in one sentence",
    arguments: ["", "a,", "a:", "a:-1", "a:x", "a:1:2", ":1", "a:inf"])
  func badShares(_ text: String) {
    let error = #expect(throws: StyleTransferError.self) { try MultiStyleNetwork.shares(text) }
    #expect(error?.message.contains("expected NAME or NAME:WEIGHT") == true)
  }

  @Test("Unknown styles, weights of 0 and a strength without the photo's style are refused")
  func badWeights() throws {
    let several = try network()
    #expect(throws: StyleTransferError.self) { try several.weights(of: [("dance", 1)]) }
    #expect(throws: StyleTransferError.self) { try several.weights(of: [("wave", 0)]) }
    #expect(throws: StyleTransferError.self) {
      try several.weights(of: [("wave", 1)], strength: 1.6)
    }
    let plain = StyleNetwork(.cnn, seed: 3, architecture: TrainingFixture.architecture(.stages))
    let without = try MultiStyleNetwork(plain.withStyles(2), names: ["a", "b"])
    let error = #expect(throws: StyleTransferError.self) {
      try without.weights(of: [("a", 1)], strength: 0.5)
    }
    #expect(error?.message.contains("has no style 'photo'") == true)
    for names in [["a"], ["a", "a"], ["a", "b:c"], ["", "b"]] {
      #expect(throws: StyleTransferError.self) {
        try MultiStyleNetwork(plain.withStyles(2), names: names)
      }
    }
  }

  // MARK: - Training

  private func pixels(_ count: Int, side: Int, seed: UInt64) -> [Float] {
    var generator = SplitMix64(seed: seed)
    return (0..<(count * 3 * side * side)).map { _ in Float(generator.uniform(0...255)) }
  }

  private func loss(color: Double) -> PerceptualLoss {
    var loss = TrainingFixture.weights
    (loss.colorWeight, loss.styleNormalization) = (color, .perPainting)
    return loss
  }

  private func targets(_ features: FeatureNetwork, seed: UInt64) throws -> StyleTargets {
    let painting = try TrainingFixture.picture(48, 48) { x, y in
      ((x * Int(seed) * 7) % 256, (y * 11) % 256, (x * y * Int(seed)) % 256)
    }
    return try StyleTargets(of: painting, by: features, layers: TrainingFixture.weights.styleLayers)
  }

  /// Returns the losses of a step and the gradients of the parameters.
  private func step(
    _ network: StyleNetwork, targets: [StyleTargets?], styles: [Int], loss: PerceptualLoss,
    photos: [Float], _ features: FeatureNetwork
  ) throws -> (losses: [Float], gradients: [[Float]]) {
    let settings = StyleTrainingSettings(batchSize: 2, pictureSide: 32, texelDensity: 64)
    let built = try StyleTrainingGraph(
      network, settings: settings, targets: targets, features: features, weights: loss)
    let parts: [Graph.ValueID] = [.content, .style, .smoothness, .color].compactMap {
      (report: StyleTrainingGraph.Report) -> Graph.ValueID? in built.reports[report]
    }
    let function = try DifferentiableFunction(
      built.graph, loss: built.loss, reporting: parts,
      withRespectTo: built.parameters.map(\.value))
    let (losses, gradients) = try function.evaluate(
      [photos] + built.styleInputs(of: styles) + network.values)
    return (losses, gradients)
  }

  @Test("A step of one of several styles has the losses and gradients of that style's own network")
  func stepOfOneStyle() throws {
    let features = try FeatureNetwork(SmallFeatures().model(), name: "small")
    let photos: [Float] = pixels(2, side: 32, seed: 5)
    let (first, second) = (try targets(features, seed: 1), try targets(features, seed: 2))
    let several = try network()
    let single = try several.mixture(of: [("scream", 1)])
    let expected = try step(
      single, targets: [second], styles: [], loss: loss(color: 5), photos: photos, features)
    let found = try step(
      several.network, targets: [first, second, nil], styles: [1, 1], loss: loss(color: 5),
      photos: photos, features)
    #expect(found.losses.count == 5 && expected.losses.count == 5)
    for (one, other) in zip(found.losses, expected.losses) {
      #expect(abs(one - other) <= 1e-4 * abs(other), "\(found.losses), \(expected.losses)")
    }
    for (index, parameter) in several.network.parameters.enumerated() {
      let wanted: [Float] = expected.gradients[index]
      let scale: Float = wanted.reduce(1e-6) { max($0, abs($1)) }
      if parameter.isOfNorm {
        for (element, value) in found.gradients[index].enumerated() {
          let own: Float = element % 3 == 1 ? wanted[element / 3] : 0
          #expect(abs(value - own) < 1e-3 * scale, "\(parameter.name)")
        }
      } else {
        for (value, own) in zip(found.gradients[index], wanted) {
          #expect(abs(value - own) < 1e-3 * scale, "\(parameter.name)")
        }
      }
    }
  }

  @Test("A batch of two styles has the mean of their losses")
  func stepOfTwoStyles() throws {
    let features = try FeatureNetwork(SmallFeatures().model(), name: "small")
    let photo: [Float] = pixels(1, side: 32, seed: 6)
    let all: [StyleTargets?] = [
      try targets(features, seed: 1), try targets(features, seed: 2), nil,
    ]
    func losses(_ styles: [Int]) throws -> [Float] {
      try step(
        network().network, targets: all, styles: styles, loss: loss(color: 5),
        photos: photo + photo, features
      ).losses
    }
    let (one, two, photos) = (try losses([0, 0]), try losses([1, 1]), try losses([2, 2]))
    for (pair, parts) in [([0, 1], (one, two)), ([2, 1], (photos, two))] {
      for (mean, values) in zip(try losses(pair), zip(parts.0, parts.1)) {
        let expected: Float = (values.0 + values.1) / 2
        #expect(abs(mean - expected) <= 1e-4 * abs(expected) + 1e-7)
      }
    }
    // The style “photo” has no target colours. Its style loss is the difference from the photo.
    #expect(photos[4] == 0 && one[4] > 0)
    #expect(photos[2] > 0 && photos[2] < Float(ChosenStyles.photoWeight))
  }

  @Test("A training of two paintings continues after a stop with the same result")
  func resume() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    let other = fixture.folder.appendingPathComponent("waves.png")
    try TrainingFixture.picture(80, 90) { x, y in (x * 3 % 256, 60, (x + y) * 2 % 256) }
      .write(toFile: other.path)
    func training(_ files: String, _ beginning: StyleTraining.Beginning) throws -> StyleTraining {
      var task = StyleTraining.Task(
        settings: fixture.settings(iterations: 6), paintings: [fixture.painting, other],
        contents: fixture.contents)
      task.folder = StyleTrainingFolder(fixture.folder.appendingPathComponent(files))
      #expect(task.styleNames == ["stripes", "waves", "photo"])
      return try StyleTraining(
        task, features: try FeatureNetwork(SmallFeatures().model(), name: "small"),
        beginning: beginning, weights: loss(color: 1),
        architecture: TrainingFixture.architecture(.stagesAndPicture))
    }
    let whole = try training("whole", .new)
    try whole.run()
    #expect(whole.network.architecture.styleCount == 3)
    let stopped = try training("stopped", .new)
    var count = 0
    try stopped.run(shouldStop: {
      count += 1
      return count > 3
    })
    #expect(!stopped.isFinished)
    let resumed = try training("stopped", .resumed)
    try resumed.run()
    #expect(resumed.network.values == whole.network.values)
    // After the training, the three styles have different scales.
    let norms = zip(whole.network.parameters, whole.network.values).first { $0.0.isOfNorm }
    let scales: [Float] = try #require(norms).1
    #expect(Set(scales.prefix(3)).count == 3)
  }

  @Test("A training of the norms leaves the convolutions as they are")
  func norms() throws {
    let fixture = try TrainingFixture()
    defer { fixture.remove() }
    var settings = fixture.settings(iterations: 3)
    settings.trained = .norms
    let training = try fixture.training(settings, files: "files")
    let start = training.network
    try training.run()
    for (index, parameter) in start.parameters.enumerated() {
      let isSame: Bool = training.network.values[index] == start.values[index]
      #expect(isSame != parameter.isOfNorm, "\(parameter.name)")
    }
    let error = #expect(throws: StyleTransferError.self) {
      try fixture.training(fixture.settings(iterations: 3), files: "files", .resumed)
    }
    #expect(error?.message.contains("the trained parameters norms, but now it is all") == true)
    #expect(try fixture.training(settings, files: "files", .resumed).isFinished)
  }
}
