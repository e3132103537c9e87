import Engine
import Imaging
import ModelFormat
import Testing

@testable import StyleTransfer

/// Tests optimisation-based style transfer with a network that is small enough for tests.
struct PicturePainterTests {
  private let network: FeatureNetwork

  init() throws { network = try FeatureNetwork(SmallFeatures().model(), name: "small") }

  private func picture(_ seed: UInt64, width: Int, height: Int, shift: Float = 0) throws -> Picture
  {
    var random = SmallRandom(seed: seed)
    return try Picture(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { _ in UInt8(shift + random.next() * 120) })
  }

  private func settings(_ iterations: Int = 8) -> PaintingSettings {
    var settings = PaintingSettings()
    settings.neighborLayers = ["relu1", "relu2"]
    settings.gramLayers = [.init("relu1", weight: 0.5), .init("relu2", weight: 0.5)]
    settings.gramContentLayer = "relu2"
    settings.reconstructionLayers = ["relu2"]
    settings.size = 40
    settings.iterations = iterations
    return settings
  }

  /// A loss with a content layer and two style layers.
  private var loss: PerceptualLoss {
    var loss = PerceptualLoss()
    loss.content = [.init("relu2")]
    loss.style = [.init("relu1", weight: 0.5), .init("relu2", weight: 0.5)]
    return loss
  }

  private func paint(_ settings: PaintingSettings, stopAfter: Int = .max) throws
    -> (Picture, [Double])
  {
    let photo = try picture(1, width: 30, height: 24)
    let style = try picture(2, width: 20, height: 20, shift: 120)
    let painter = try PicturePainter(
      photo, styles: [PaintingStyle(style)], settings: settings, network: network)
    var losses: [Double] = []
    let painted = try painter.paint { progress, _ in
      losses.append(progress.loss)
      return progress.iteration < stopAfter
    }
    return (painted, losses)
  }

  @Test func `the gradient is the slope of the loss`() throws {
    let (photo, point) = try (
      picture(3, width: 16, height: 16).planes, picture(4, width: 16, height: 16).planes
    )
    let style = try StyleTargets(
      of: picture(5, width: 20, height: 20), by: network, layers: ["relu1", "relu2"])
    let objective = try PaintingObjective(
      width: 16, height: 16, photo: photo, styles: [.init(style)], loss: loss,
      network: network, options: ExecutionOptions())
    var gradient: [Float] = []
    _ = try objective.evaluate(at: point, gradient: &gradient)
    var unused: [Float] = []
    var random = SmallRandom(seed: 6)
    for _ in 0..<8 {
      // Compares the gradient with central differences along random directions.
      let direction: [Float] = point.map { _ in random.next() - 0.5 }
      let step: Double = 0.5
      let forward = try objective.evaluate(
        at: Vectors.sum(point, step, direction), gradient: &unused)
      let backward = try objective.evaluate(
        at: Vectors.sum(point, -step, direction), gradient: &unused)
      let slope: Double = (forward - backward) / (2 * step)
      let found: Double = Vectors.dot(gradient, direction)
      let size: Double = (Vectors.dot(gradient, gradient) * Vectors.dot(direction, direction))
        .squareRoot()
      #expect(abs(found - slope) < 0.02 * size, "\(found), expected \(slope)")
    }
  }

  @Test func `the objective pulls values out of range back`() throws {
    let objective = try PaintingObjective(
      width: 16, height: 16, photo: [Float](repeating: 100, count: 768), styles: [],
      loss: loss, network: network, options: ExecutionOptions())
    var (inside, outside): ([Float], [Float]) = ([], [])
    var point = [Float](repeating: 100, count: 768)
    _ = try objective.evaluate(at: point, gradient: &inside)
    point[5] = 300
    _ = try objective.evaluate(at: point, gradient: &outside)
    #expect(outside[5] - inside[5] > 10 * 2 * 40 / (255 * 255 * 768))
  }

  @Test(arguments: PaintingMethod.allCases)
  func `painting lowers the loss`(method: PaintingMethod) throws {
    var settings = settings(24)
    settings.method = method
    settings.size = method == .gram ? 90 : 60
    let (painted, losses) = try paint(settings)
    #expect(painted.size == settings.size.map { PictureSize(width: $0, height: $0 * 4 / 5) })
    #expect(losses.count == 24)
    #expect(try #require(losses.min()) < 0.9 * losses[0], "\(losses)")
  }

  @Test func `the same seed gives the same image, another seed does not`() throws {
    var settings = settings(4)
    settings.method = .gram
    settings.start = .noise
    let first = try paint(settings).0
    #expect(try paint(settings).0 == first)
    settings.seed = 1
    #expect(try paint(settings).0 != first)
  }

  @Test(arguments: [PaintingMethod.neighbors, .gram])
  func `at the strength 0 the picture stays closer to the photo`(method: PaintingMethod) throws {
    let photo = try picture(1, width: 40, height: 32)
    func distance(_ strength: Double) throws -> Double {
      var settings = settings(30)
      settings.method = method
      settings.strength = strength
      let style = try picture(2, width: 40, height: 40, shift: 120)
      let painted: Picture = try PicturePainter(
        photo, styles: [PaintingStyle(style)], settings: settings, network: network
      ).paint { _, _ in true }
      return zip(painted.pixels, photo.pixels).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) }
        / Double(photo.pixels.count)
    }
    let (none, half, full) = try (distance(0), distance(0.5), distance(1))
    #expect(none < half && half < full, "\(none), \(half), \(full)")
  }

  @Test func `an early stop returns the current image at full size`() throws {
    let (painted, losses) = try paint(settings(50), stopAfter: 2)
    #expect(losses.count == 2)
    #expect(painted.width == 40 && painted.height == 32)
  }

  @Test(arguments: [PaintingMethod.neighbors, .gram])
  func `each style stays inside its mask`(method: PaintingMethod) throws {
    let photo = try picture(7, width: 64, height: 32)
    let (dark, light) = try (
      picture(11, width: 64, height: 64), picture(12, width: 64, height: 64, shift: 130)
    )
    let left: [Float] = (0..<32).flatMap { _ in (0..<64).map { $0 < 32 ? Float(1) : 0 } }
    var settings = settings(200)
    settings.method = method
    settings.size = 64
    settings.ignoresContent = true
    let painter = try PicturePainter(
      photo,
      styles: [
        PaintingStyle(dark, mask: StyleMask(width: 64, height: 32, weights: left)),
        PaintingStyle(light),
      ], settings: settings, network: network)
    let pixels = try painter.paint { _, _ in true }.pixels
    func mean(_ columns: Range<Int>) -> Double {
      let values: [Double] = (0..<32).flatMap { y in
        columns.map { Double(pixels[(y * 64 + $0) * 3 + 1]) }
      }
      return values.reduce(0, +) / Double(values.count)
    }
    #expect(mean(36..<64) - mean(0..<28) > 40)
  }

  @Test func `the memory estimate exceeds the memory of the pixels`() throws {
    let photo = try picture(8, width: 64, height: 64)
    var settings = settings()
    settings.size = 512
    let style = PaintingStyle(try picture(9, width: 16, height: 16))
    let large = try PicturePainter(photo, styles: [style], settings: settings, network: network)
    settings.size = 256
    let small = try PicturePainter(photo, styles: [style], settings: settings, network: network)
    #expect(try large.estimatedBytes() > 512 * 512 * 3 * 4 * 4)
    let ratio: Double = Double(try large.estimatedBytes()) / Double(try small.estimatedBytes())
    #expect(ratio > 2.5 && ratio < 5)
  }

  @Test func `an estimate does not change the result`() throws {
    let painter = try PicturePainter(
      try picture(1, width: 30, height: 24),
      styles: [PaintingStyle(try picture(2, width: 20, height: 20, shift: 120))],
      settings: settings(), network: network)
    let plain: Picture = try painter.paint { _, _ in true }
    _ = try painter.estimatedBytes()
    #expect(try painter.paint { _, _ in true } == plain)
    #expect(try painter.paint { _, _ in true } == plain)
  }

  @Test func `scales and steps follow the preset, and a total is divided in the same ratio`() {
    func schedule(_ side: Int, iterations: Int? = nil) -> PaintingSchedule {
      PaintingSchedule(
        side: side, least: 64, factor: 2, iterations: iterations, finalSteps: 10,
        steps: { $0 < 200 ? 30 : 20 })
    }
    #expect(schedule(512).scales.map(\.side) == [64, 128, 256, 512])
    #expect(schedule(500).scales.map(\.side) == [63, 125, 250, 500].filter { $0 >= 64 })
    #expect(schedule(40).scales == [.init(side: 40, steps: 30)])
    #expect(schedule(512).total == 30 + 30 + 20 + 20 + 10)
    let short: PaintingSchedule = schedule(512, iterations: 55)
    #expect(short.total == 55 && short.scales.map(\.steps) == [15, 15, 10, 10])
    #expect(short.share(after: 55) == 1 && short.share(after: 30) < 0.1)
  }

  @Test func `a strength beyond the range is refused`() throws {
    let photo = try picture(10, width: 32, height: 32)
    var settings = settings()
    settings.strength = 2
    let error = #expect(throws: StyleTransferError.self) {
      try PicturePainter(
        photo, styles: [PaintingStyle(photo)], settings: settings, network: network)
    }
    #expect(error?.message == "The strength is 2.0, expected a number from 0 to 1.5.")
  }

  @Test func `an empty list of styles is refused`() throws {
    let photo = try picture(10, width: 32, height: 32)
    #expect(throws: StyleTransferError.self) {
      try PicturePainter(photo, styles: [], settings: settings(), network: network)
    }
    #expect(throws: StyleTransferError.self) {
      try PicturePainter(
        photo, styles: [PaintingStyle(photo, weight: 0)], settings: settings(), network: network)
    }
  }
}
