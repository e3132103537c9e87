import Engine
import Imaging
import ModelFormat
import Testing

@testable import StyleTransfer

/// Pictures painted by optimisation, with a network that is small enough for tests.
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
    settings.loss.content = [.init("relu2")]
    settings.loss.style = [.init("relu1", weight: 0.5), .init("relu2", weight: 0.5)]
    settings.size = 40
    settings.iterations = iterations
    return settings
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
      width: 16, height: 16, photo: photo, styles: [.init(style)], loss: settings().loss,
      network: network, options: ExecutionOptions())
    var gradient: [Float] = []
    _ = try objective.evaluate(at: point, gradient: &gradient)
    var unused: [Float] = []
    var random = SmallRandom(seed: 6)
    for _ in 0..<8 {
      // Along random directions, against central differences.
      let direction: [Float] = point.map { _ in random.next() - 0.5 }
      let step: Double = 0.5
      let ahead = try objective.evaluate(
        at: Vectors.sum(point, step, direction), gradient: &unused)
      let behind = try objective.evaluate(
        at: Vectors.sum(point, -step, direction), gradient: &unused)
      let slope: Double = (ahead - behind) / (2 * step)
      let found: Double = Vectors.dot(gradient, direction)
      let size: Double = (Vectors.dot(gradient, gradient) * Vectors.dot(direction, direction))
        .squareRoot()
      #expect(abs(found - slope) < 0.02 * size, "\(found), expected \(slope)")
    }
  }

  @Test func `values out of range are pulled back`() throws {
    let objective = try PaintingObjective(
      width: 16, height: 16, photo: [Float](repeating: 100, count: 768), styles: [],
      loss: settings().loss, network: network, options: ExecutionOptions())
    var (inside, outside): ([Float], [Float]) = ([], [])
    var point = [Float](repeating: 100, count: 768)
    _ = try objective.evaluate(at: point, gradient: &inside)
    point[5] = 300
    _ = try objective.evaluate(at: point, gradient: &outside)
    #expect(outside[5] - inside[5] > 10 * 2 * 40 / (255 * 255 * 768))
  }

  @Test(arguments: PaintingSettings.Method.allCases)
  func `painting lowers the loss`(method: PaintingSettings.Method) throws {
    var settings = settings(12)
    settings.method = method
    let (painted, losses) = try paint(settings)
    #expect(painted.width == 40 && painted.height == 32)
    #expect(losses.count == 12)
    #expect(try #require(losses.last) < 0.8 * losses[0])
  }

  @Test func `the same seed paints the same picture, another does not`() throws {
    var settings = settings(4)
    settings.start = .noise
    let first = try paint(settings).0
    #expect(try paint(settings).0 == first)
    settings.seed = 1
    #expect(try paint(settings).0 != first)
  }

  @Test func `an early end gives the picture so far at full size`() throws {
    let (painted, losses) = try paint(settings(50), stopAfter: 2)
    #expect(losses.count == 2)
    #expect(painted.width == 40 && painted.height == 32)
  }

  @Test func `each style stays behind its mask`() throws {
    let photo = try picture(7, width: 64, height: 32)
    let (dark, light) = try (
      Picture(width: 16, height: 16, pixels: [UInt8](repeating: 20, count: 768)),
      Picture(width: 16, height: 16, pixels: [UInt8](repeating: 235, count: 768))
    )
    let left: [Float] = (0..<32).flatMap { _ in (0..<64).map { $0 < 32 ? Float(1) : 0 } }
    var settings = settings(30)
    settings.size = 64
    settings.loss.contentWeight = 0
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
    #expect(mean(36..<64) - mean(0..<28) > 60)
  }

  @Test func `memory is estimated above what the pixels alone take`() throws {
    let photo = try picture(8, width: 64, height: 64)
    var settings = settings()
    settings.size = 512
    let style = PaintingStyle(try picture(9, width: 16, height: 16))
    let large = try PicturePainter(photo, styles: [style], settings: settings, network: network)
    settings.size = 256
    let small = try PicturePainter(photo, styles: [style], settings: settings, network: network)
    #expect(try large.estimatedBytes() > 512 * 512 * 3 * 4 * 10)
    let ratio: Double = Double(try large.estimatedBytes()) / Double(try small.estimatedBytes())
    #expect(ratio > 2.5 && ratio < 5)
  }

  @Test func `an estimate changes nothing about the painting`() throws {
    let painter = try PicturePainter(
      try picture(1, width: 30, height: 24),
      styles: [PaintingStyle(try picture(2, width: 20, height: 20, shift: 120))],
      settings: settings(), network: network)
    let plain: Picture = try painter.paint { _, _ in true }
    _ = try painter.estimatedBytes()
    #expect(try painter.paint { _, _ in true } == plain)
    #expect(try painter.paint { _, _ in true } == plain)
  }

  @Test func `scales double and steps are shared out`() {
    #expect(PaintingSettings.scales(upTo: 1024) == [256, 512, 1024])
    #expect(PaintingSettings.scales(upTo: 500) == [250, 500])
    #expect(PaintingSettings.scales(upTo: 100) == [100])
    #expect(PaintingSettings.shares(of: 10, among: 3) == [4, 3, 3])
  }

  @Test func `no style is refused`() throws {
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
