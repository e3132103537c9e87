import Engine
import Imaging
import Testing

@testable import StyleTransfer

/// Excites channels of the small feature network.
struct FeatureVisualizationTests {
  private static func network() throws -> FeatureNetwork {
    try FeatureNetwork(SmallFeatures().model(), name: "small")
  }

  private static func grey(_ side: Int) throws -> Picture {
    try Picture(
      width: side, height: side, pixels: [UInt8](repeating: 128, count: side * side * 3))
  }

  @Test("A picture excites its channel far more than grey, and each channel has its own picture")
  func excitation() throws {
    var settings = FeatureVisualization.Settings()
    settings.steps = 120
    for layer in ["conv2", "relu1"] {
      var pictures: [[UInt8]] = []
      for channel in 0..<2 {
        let visualization = try FeatureVisualization(
          Self.network(), layer: layer, channel: channel, side: 32, settings: settings)
        let picture: Picture = try visualization.picture()
        let found: Double = try visualization.activation(of: picture)
        let rest: Double = try visualization.activation(of: Self.grey(32))
        #expect(found > rest + 0.1, "\(layer):\(channel) \(found), grey \(rest)")
        pictures.append(picture.pixels)
      }
      #expect(pictures[0] != pictures[1], "\(layer)")
    }
  }

  @Test("The same seed gives the same picture, and another seed another one")
  func seed() throws {
    func picture(_ seed: UInt64) throws -> [UInt8] {
      var settings = FeatureVisualization.Settings()
      (settings.steps, settings.seed) = (5, seed)
      return try FeatureVisualization(
        Self.network(), layer: "conv1", channel: 1, side: 24, settings: settings
      ).picture().pixels
    }
    #expect(try picture(1) == picture(1))
    #expect(try picture(1) != picture(2))
  }

  @Test("The gradient of the excitation is that of central differences")
  func gradient() throws {
    let objective = try ExcitationObjective(
      Self.network(), layer: "conv2", channel: 3, side: 16, options: ExecutionOptions())
    objective.restart(seed: 3)
    let point: [Float] = objective.noise(0.5)
    func value(_ point: [Float]) throws -> (value: Double, gradient: [Float]) {
      objective.restart(seed: 4)
      var gradient = [Float](repeating: 0, count: point.count)
      return (try objective.evaluate(at: point, gradient: &gradient), gradient)
    }
    let gradient: [Float] = try value(point).gradient
    #expect(gradient.contains { abs($0) > 1e-5 })
    // A direction of all coordinates: the sum of small differences would drown in float32.
    let direction: [Float] = gradient.map { $0 / (gradient.map(abs).max() ?? 1) }
    let step: Float = 0.01
    func moved(_ sign: Float) -> [Float] {
      zip(point, direction).map { $0 + sign * step * $1 }
    }
    let difference: Double =
      (try value(moved(1)).value - value(moved(-1)).value) / Double(2 * step)
    let slope: Double = zip(gradient, direction).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    #expect(abs(difference - slope) < 0.03 * abs(slope), "\(difference), \(slope)")
  }

  @Test("Unknown layers and channels, and impossible sizes, are refused")
  func refusals() throws {
    func words(_ layer: String, _ channel: Int, _ side: Int) -> String {
      do {
        _ = try FeatureVisualization(Self.network(), layer: layer, channel: channel, side: side)
        return ""
      } catch { return "\(error)" }
    }
    #expect(words("conv9", 0, 32).contains("has no layer 'conv9'"))
    #expect(words("conv2", 5, 32).contains("has no channel 5, expected a number from 0 to 4"))
    #expect(words("conv2", 0, 4).contains("expected 16 to 4096 pixels"))
  }
}
