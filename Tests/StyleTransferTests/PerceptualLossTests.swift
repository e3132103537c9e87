import Engine
import Imaging
import ModelFormat
import Testing

@testable import StyleTransfer

/// Compares the losses with plain loops in `Double`.
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

  /// Returns the total, content, style and smoothness losses of an image.
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

  @Test func `each loss matches its formula`() throws {
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

  @Test func `the papers' style loss has one factor for all layers`() throws {
    let (painted, painting) = try (picture(3), picture(5, width: 9, height: 14))
    var only = loss
    (only.contentWeight, only.smoothness, only.styleNormalization) = (0, 0, .perPainting)
    let found = try measure(only, painted, photo: nil, styles: [.init(targets(painting))])[0]
    let (made, style) = (
      small.features(of: planes(painted)), small.features(of: planes(painting))
    )
    var (distance, norm): (Double, Double) = (0, 0)
    for (one, other, weight) in [(made.0, style.0, 0.75), (made.1, style.1, 0.25)] {
      let (gram, target) = (small.gram(of: one), small.gram(of: other))
      let squares: [Double] = zip(gram, target).map { ($0 - $1) * ($0 - $1) }
      distance += weight * squares.reduce(0, +) / Double(squares.count)
      norm += weight * target.reduce(0) { $0 + $1 * $1 } / Double(target.count)
    }
    let expected: Double = 2 * distance / norm
    #expect(abs(found - expected) <= tolerance * expected, "\(found), expected \(expected)")
  }

  @Test(arguments: StyleNormalization.allCases)
  func `a picture without features has a style loss of 1`(_ normalization: StyleNormalization)
    throws
  {
    // Gram matrices that are 10⁶ times as large leave an image of almost zero.
    let targets = try targets(picture(7))
    var only = loss
    (only.contentWeight, only.smoothness, only.styleWeight) = (0, 0, 1)
    only.styleNormalization = normalization
    let blank = StyleTargets(
      grams: targets.grams.mapValues { FloatTensor($0.shape, $0.values.map { $0 * 1e6 }) })
    let found = try measure(only, picture(8), photo: nil, styles: [.init(blank)])
    #expect(abs(found[0] - 1) < 1e-3)
  }

  @Test func `the colour loss compares means and deviations of Y, Cb and Cr`() throws {
    let (painted, painting) = try (picture(3), picture(5, width: 9, height: 14))
    var only = loss
    (only.contentWeight, only.smoothness, only.styleWeight, only.colorWeight) = (0, 0, 0, 4)
    let found = try measure(only, painted, photo: nil, styles: [.init(targets(painting))])
    func moments(_ picture: Picture) -> [Double] {
      let values: [[Double]] = stride(from: 0, to: picture.pixels.count, by: 3).map { index in
        let (red, green, blue) = (
          Double(picture.pixels[index]) / 255, Double(picture.pixels[index + 1]) / 255,
          Double(picture.pixels[index + 2]) / 255
        )
        let luma: Double = 0.299 * red + 0.587 * green + 0.114 * blue
        return [luma, (blue - luma) / 1.772, (red - luma) / 1.402]
      }
      return (0..<3).flatMap { component -> [Double] in
        let mean: Double = values.reduce(0) { $0 + $1[component] } / Double(values.count)
        let square: Double = values.reduce(0) {
          $0 + ($1[component] - mean) * ($1[component] - mean)
        }
        return [mean, (square / Double(values.count)).squareRoot()]
      }
    }
    let expected: Double =
      4 * zip(moments(painted), moments(painting)).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    #expect(found.count == 2)
    #expect(abs(found[1] - expected) <= 1e-3 * expected, "\(found[1]), expected \(expected)")
  }

  @Test func `the colour loss refuses several styles`() throws {
    var only = loss
    only.colorWeight = 1
    let style = PerceptualLoss.Style(try targets(picture(5)))
    let error = try #require(throws: StyleTransferError.self) {
      try measure(only, picture(3), photo: nil, styles: [style, style])
    }
    #expect(error.message.contains("there are 2 styles"))
  }

  @Test func `the mean of photos is subtracted from a grey image`() throws {
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

  @Test func `a painting has zero style loss with itself`() throws {
    let painting = try picture(6)
    var only = loss
    (only.contentWeight, only.smoothness) = (0, 0)
    let found = try measure(only, painting, photo: nil, styles: [.init(targets(painting))])
    #expect(found[0] < 1e-9)
  }

  @Test func `the style loss does not depend on the magnitude of the painting's features`() throws {
    // The loss divides by the magnitude of the style's Gram matrices. So Gram matrices four times as large, with an
    // equally scaled image, give the same loss.
    let targets = try targets(picture(7))
    var only = loss
    (only.contentWeight, only.smoothness, only.styleWeight) = (0, 0, 1)
    let blank = StyleTargets(
      grams: targets.grams.mapValues { FloatTensor($0.shape, $0.values.map { $0 * 1e6 }) })
    let found = try measure(only, picture(8), photo: nil, styles: [.init(blank)])
    #expect(abs(found[0] - 1) < 1e-3, "an image of almost zero is at distance 1")
  }

  @Test func `a mask of ones has no effect`() throws {
    let (painted, targets) = try (picture(9), targets(picture(10)))
    let mask = StyleMask(width: 3, height: 3, weights: [Float](repeating: 1, count: 9))
    let bare = try measure(loss, painted, photo: nil, styles: [.init(targets)])
    let masked = try measure(loss, painted, photo: nil, styles: [.init(targets, mask: mask)])
    #expect(abs(bare[0] - masked[0]) <= tolerance * bare[0])
  }

  @Test func `image regions outside of the mask have no effect on the loss`() throws {
    // The features of the left half's inner columns do not depend on the right half.
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

  @Test func `the loss of mixed styles is between those of the styles`() throws {
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

  @Test func `a network with another colour order gives the same features`() throws {
    // The first convolution's weights are reversed together with the colours.
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
    // In this colour order blue comes first, so it gets red's bias.
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

  @Test func `a layer that the network lacks is named in the error`() throws {
    let network = try FeatureNetwork(small.model(), name: "small")
    #expect(network.layers == ["conv1", "relu1", "pool1", "conv2", "relu2"])
    let error = try #require(throws: StyleTransferError.self) {
      try StyleTargets(of: picture(1), by: network, layers: ["relu9_9"])
    }
    #expect(error.message.contains("Model small has no layer 'relu9_9'"))
  }
}

/// Tests masks at the resolution of feature maps.
struct StyleMaskTests {
  @Test func `a reduced mask contains the means of its pixels`() {
    let mask = StyleMask(width: 4, height: 2, weights: [0, 1, 1, 1, 0, 0, 1, 0])
    #expect(mask.scaled(toWidth: 2, height: 1).weights == [0.25, 0.75])
    #expect(mask.scaled(toWidth: 4, height: 2) == mask)
  }

  @Test func `a mask that is resized to sizes that do not divide evenly keeps its coverage`() {
    var random = SmallRandom(seed: 3)
    let mask = StyleMask(width: 13, height: 7, weights: (0..<91).map { _ in random.next() })
    #expect(abs(mask.scaled(toWidth: 5, height: 3).coverage - mask.coverage) < 1e-5)
    #expect(abs(mask.scaled(toWidth: 40, height: 20).coverage - mask.coverage) < 1e-5)
  }

  @Test func `white is inside the mask and black is outside`() throws {
    let picture = try Picture(width: 2, height: 1, pixels: [255, 255, 255, 0, 0, 0])
    let mask = StyleMask(picture)
    #expect(abs(mask.weights[0] - 1) < 1e-6)
    #expect(mask.weights[1] == 0)
    #expect(abs(mask.inverted.weights[1] - 1) < 1e-6)
  }
}
