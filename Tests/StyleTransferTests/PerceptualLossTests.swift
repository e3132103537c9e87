import Engine
import Imaging
import ModelFormat
import Testing

@testable import StyleTransfer

/// Losses against the same in plain loops of `Double`.
struct PerceptualLossTests {
  private let small = SmallFeatures()
  private let tolerance: Double = 1e-4

  private func picture(_ seed: UInt64, width: Int = 12, height: Int = 10) throws -> Picture {
    var random = SmallRandom(seed: seed)
    return try Picture(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { _ in UInt8(random.next() * 255) })
  }

  private func planes(_ picture: Picture) -> SmallFeatures.Planes {
    SmallFeatures.Planes(
      channels: 3, height: picture.height, width: picture.width,
      values: picture.planes.map { Double($0) })
  }

  private var loss: PerceptualLoss {
    var loss = PerceptualLoss()
    loss.content = [.init("relu2", weight: 0.5)]
    loss.style = [.init("relu1", weight: 0.75), .init("relu2", weight: 0.25)]
    (loss.contentWeight, loss.styleWeight, loss.smoothness) = (3, 2, 0.125)
    return loss
  }

  /// Total, content, style and smoothness of a picture.
  private func measure(
    _ loss: PerceptualLoss, _ painted: Picture, photo: Picture?, styles: [PerceptualLoss.Style]
  ) throws -> [Double] {
    let network = try FeatureNetwork(small.model(), name: "small")
    var graph = Graph()
    let input = graph.addInput("picture", [1, 3, painted.height, painted.width])
    var content: PerceptualLoss.Content = .nothing
    var inputs: [[Float]] = [painted.planes]
    if let photo {
      content = .picture(graph.addInput("photo", [1, 3, photo.height, photo.width]))
      inputs.append(photo.planes)
    }
    let values = try loss.append(
      to: &graph, picture: input, content: content, styles: styles, network: network)
    graph.outputs = values.all
    return try graph.run(inputs, options: ExecutionOptions()).map { Double($0.values[0]) }
  }

  private func targets(_ painting: Picture) throws -> StyleTargets {
    try StyleTargets(
      of: painting, by: FeatureNetwork(small.model(), name: "small"), layers: loss.styleLayers)
  }

  @Test func `each loss is what its formula says`() throws {
    let (painted, photo, painting) = try (picture(3), picture(4), picture(5, width: 9, height: 14))
    let found = try measure(
      loss, painted, photo: photo, styles: [.init(targets(painting))])

    let made = small.features(of: planes(painted))
    let shown = small.features(of: planes(photo))
    let style = small.features(of: planes(painting))
    let differences: [Double] = zip(made.1.values, shown.1.values).map { ($0 - $1) * ($0 - $1) }
    let content: Double = 3 * 0.5 * differences.reduce(0, +) / Double(differences.count)
    var styled: Double = 0
    for (one, other, weight) in [(made.0, style.0, 0.75), (made.1, style.1, 0.25)] {
      let (gram, target) = (small.gram(of: one), small.gram(of: other))
      let distance: Double = zip(gram, target).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      styled += 2 * weight * distance / target.reduce(0) { $0 + $1 * $1 }
    }
    let pixels = planes(painted)
    var (across, down): (Double, Double) = (0, 0)
    for channel in 0..<3 {
      for y in 0..<10 {
        for x in 0..<12 {
          let here = pixels[channel, y, x]
          if x + 1 < 12 {
            across += (pixels[channel, y, x + 1] - here) * (pixels[channel, y, x + 1] - here)
          }
          if y + 1 < 10 {
            down += (pixels[channel, y + 1, x] - here) * (pixels[channel, y + 1, x] - here)
          }
        }
      }
    }
    let full: Double = 255 * 255 * 3
    let smooth: Double = 0.125 * (across / (full * 11 * 10) + down / (full * 12 * 9))
    let expected: [Double] = [content + styled + smooth, content, styled, smooth]
    #expect(found.count == 4)
    for (value, wanted) in zip(found, expected) {
      #expect(abs(value - wanted) <= tolerance * wanted, "\(value), expected \(wanted)")
    }
  }

  @Test func `a grey picture loses the mean of what photos show`() throws {
    let photos = try [picture(7), picture(8)]
    let grey = small.features(
      of: SmallFeatures.Planes(
        channels: 3, height: 10, width: 12, values: [Double](repeating: 127.5, count: 360)))
    let differences: [Double] = photos.flatMap { photo -> [Double] in
      zip(small.features(of: planes(photo)).1.values, grey.1.values).map { ($0 - $1) * ($0 - $1) }
    }
    let expected: Double = 3 * 0.5 * differences.reduce(0, +) / Double(differences.count)
    let found = try loss.contentOfGrey(
      for: FloatTensor([2, 3, 10, 12], photos.flatMap(\.planes)),
      network: FeatureNetwork(small.model(), name: "small"), options: ExecutionOptions())
    #expect(abs(found - expected) <= tolerance * expected, "\(found), expected \(expected)")
  }

  @Test func `a painting has its own style`() throws {
    let painting = try picture(6)
    var only = loss
    (only.contentWeight, only.smoothness) = (0, 0)
    let found = try measure(only, painting, photo: nil, styles: [.init(targets(painting))])
    #expect(found[0] < 1e-9)
  }

  @Test func `the style's loss does not depend on how strong the painting is`() throws {
    // Gram matrices of four times the size, and a picture's likewise, are as far apart as before.
    let targets = try targets(picture(7))
    var only = loss
    (only.contentWeight, only.smoothness, only.styleWeight) = (0, 0, 1)
    let blank = StyleTargets(
      grams: targets.grams.mapValues { FloatTensor($0.shape, $0.values.map { $0 * 1e6 }) })
    let found = try measure(only, picture(8), photo: nil, styles: [.init(blank)])
    #expect(abs(found[0] - 1) < 1e-3, "a picture that is next to nothing is at distance 1")
  }

  @Test func `a mask of ones is no mask`() throws {
    let (painted, targets) = try (picture(9), targets(picture(10)))
    let mask = StyleMask(width: 3, height: 3, weights: [Float](repeating: 1, count: 9))
    let bare = try measure(loss, painted, photo: nil, styles: [.init(targets)])
    let masked = try measure(loss, painted, photo: nil, styles: [.init(targets, mask: mask)])
    #expect(abs(bare[0] - masked[0]) <= tolerance * bare[0])
  }

  @Test func `what lies behind a mask does not matter`() throws {
    // Features of the left half's inner columns do not see the right half.
    let one = try picture(11, width: 32, height: 16)
    let other = try picture(12, width: 32, height: 16)
    var pixels = one.pixels
    for y in 0..<16 {
      for index in (y * 32 + 16) * 3..<(y * 32 + 32) * 3 { pixels[index] = other.pixels[index] }
    }
    let changed = try Picture(width: 32, height: 16, pixels: pixels)
    let weights: [Float] = (0..<16).flatMap { _ in (0..<32).map { $0 < 8 ? Float(1) : 0 } }
    let mask = StyleMask(width: 32, height: 16, weights: weights)
    var only = loss
    only.smoothness = 0
    let styles: [PerceptualLoss.Style] = [.init(try targets(picture(13)), mask: mask)]
    let before = try measure(only, one, photo: nil, styles: styles)
    let after = try measure(only, changed, photo: nil, styles: styles)
    #expect(before == after)
    #expect(before[0] > 0)
  }

  @Test func `mixed styles lie between`() throws {
    let (one, two) = try (targets(picture(14)), targets(picture(15)))
    let mixed = try StyleTargets(mixing: [(one, 1), (two, 3)])
    for (layer, gram) in mixed.grams {
      let (first, second) = try (
        #require(one.grams[layer]?.values), #require(two.grams[layer]?.values)
      )
      for (index, value) in gram.values.enumerated() {
        #expect(abs(value - (0.25 * first[index] + 0.75 * second[index])) < 1e-5)
      }
    }
    #expect(throws: StyleTransferError.self) { try StyleTargets(mixing: []) }
  }

  @Test func `a network of another colour order sees the same picture`() throws {
    // The first convolution's weights are turned round with the colours.
    let painted = try picture(16)
    let swapped = try Picture(
      width: painted.width, height: painted.height,
      pixels: stride(from: 0, to: painted.pixels.count, by: 3).flatMap {
        [painted.pixels[$0 + 2], painted.pixels[$0 + 1], painted.pixels[$0]]
      })
    func grams(_ model: Spec.Model, _ picture: Picture) throws -> StyleTargets {
      try StyleTargets(of: picture, by: FeatureNetwork(model, name: "small"), layers: ["relu1"])
    }
    var model = small.model(.bgr)
    // Blue stands first there, so its shift is red's.
    if case .neuralNetwork(var network)? = model.type,
      case .scaler(var scaler)? = network.preprocessing[0].preprocessor
    {
      (scaler.blueBias, scaler.redBias) = (scaler.redBias, scaler.blueBias)
      network.preprocessing[0].preprocessor = .scaler(scaler)
      model.type = .neuralNetwork(network)
    }
    let rgb = try #require(grams(small.model(), painted).grams["relu1"])
    let bgr = try #require(grams(model, swapped).grams["relu1"])
    for (one, other) in zip(rgb.values, bgr.values) { #expect(abs(one - other) < 1e-5) }
  }

  @Test func `a layer that is not there is named`() throws {
    let network = try FeatureNetwork(small.model(), name: "small")
    #expect(network.layers == ["conv1", "relu1", "pool1", "conv2", "relu2"])
    let error = try #require(throws: StyleTransferError.self) {
      try StyleTargets(of: picture(1), by: network, layers: ["relu9_9"])
    }
    #expect(error.message.contains("Model small has no layer 'relu9_9'"))
  }
}

/// Masks at the sizes of features.
struct StyleMaskTests {
  @Test func `a smaller mask holds means`() {
    let mask = StyleMask(width: 4, height: 2, weights: [0, 1, 1, 1, 0, 0, 1, 0])
    #expect(mask.scaled(toWidth: 2, height: 1).weights == [0.25, 0.75])
    #expect(mask.scaled(toWidth: 4, height: 2) == mask)
  }

  @Test func `sizes that do not divide keep the coverage`() {
    var random = SmallRandom(seed: 3)
    let mask = StyleMask(width: 13, height: 7, weights: (0..<91).map { _ in random.next() })
    #expect(abs(mask.scaled(toWidth: 5, height: 3).coverage - mask.coverage) < 1e-5)
    #expect(abs(mask.scaled(toWidth: 40, height: 20).coverage - mask.coverage) < 1e-5)
  }

  @Test func `white is here and black is not`() throws {
    let picture = try Picture(width: 2, height: 1, pixels: [255, 255, 255, 0, 0, 0])
    let mask = StyleMask(picture)
    #expect(abs(mask.weights[0] - 1) < 1e-6)
    #expect(mask.weights[1] == 0)
    #expect(abs(mask.inverted.weights[1] - 1) < 1e-6)
  }
}
