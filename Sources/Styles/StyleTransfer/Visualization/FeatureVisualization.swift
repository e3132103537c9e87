import Engine
import Foundation
import Imaging
import ModelFormat
import Training

/// Makes pictures that excite a channel of a network's layer: feature visualisation by gradient ascent on the input.
///
/// The picture is the sigmoid of a sum of images of several resolutions in decorrelated colours. Every step scales and
/// moves it at random before the network sees it, so that the picture excites the channel at any position.
///
/// ```swift
/// let network = try FeatureNetwork(contentsOf: file)
/// let visualization = try FeatureVisualization(network, layer: "conv4_3", channel: 12, side: 224)
/// let picture = try visualization.picture()
/// ```
///
/// **Source:** Olah, Mordvintsev and Schubert, “Feature Visualization”, Distill 2017, doi:10.23915/distill.00007: Adam,
/// decorrelated colours, jitter and scaling. The sum of resolutions replaces its Fourier basis.
public struct FeatureVisualization {
  /// How a picture is optimised.
  public struct Settings: Sendable {
    /// The number of gradient steps.
    public var steps: Int = 256
    /// The seed of the start picture and of the random moves.
    public var seed: UInt64 = 0
    /// The precision and the threads of the network.
    public var execution = ExecutionOptions()

    /// Creates the default settings.
    public init() {}
  }

  /// The number of channels of the layer.
  public let channelCount: Int
  private let objective: ExcitationObjective
  private let settings: Settings

  private static let rate: Double = 0.05
  private static let startDeviation: Float = 0.02
  /// How many start pictures are tried until one excites the channel.
  private static let startCount: UInt64 = 8

  /// Plans the network and its gradient.
  ///
  /// - Parameters:
  ///   - channel: The channel to excite, counted from 0.
  ///   - side: The side of the picture in pixels.
  /// - Throws: ``StyleTransferError`` if the network has no such layer or channel, or `EngineError` if an operator before
  ///   the layer has no gradient.
  public init(
    _ network: FeatureNetwork, layer: String, channel: Int, side: Int,
    settings: Settings = Settings()
  ) throws {
    guard (16...4096).contains(side) else {
      throw StyleTransferError(
        .input, "The side of the picture is \(side), expected 16 to 4096 pixels.")
    }
    objective = try ExcitationObjective(
      network, layer: layer, channel: channel, side: side, options: settings.execution)
    channelCount = objective.channelCount
    self.settings = settings
  }

  /// Optimises a picture. The result depends only on the network and the settings.
  ///
  /// - Parameter report: Called after each step with the number of steps that are done and the mean activation of the
  ///   channel; returns false to stop early.
  /// - Throws: ``StyleTransferError`` if the channel does not respond to the picture.
  public func picture(_ report: (Int, Double) -> Bool = { _, _ in true }) throws -> Picture {
    var minimizer: Adam = try start()
    for step in 0..<settings.steps {
      _ = try minimizer.step(objective)
      guard report(step + 1, -minimizer.value) else { break }
    }
    guard minimizer.value != 0 else { throw silence }
    return try objective.picture(of: minimizer.point, options: settings.execution)
  }

  /// Returns the mean activation of the channel for a picture of the planned size.
  public func activation(of picture: Picture) throws -> Double {
    try objective.activation(of: picture, options: settings.execution)
  }

  /// Returns the optimiser at a start picture that excites the channel. Where a ReLU is off at all positions, the
  /// activation is 0 and has no gradient.
  private func start() throws -> Adam {
    for attempt in 0..<Self.startCount {
      objective.restart(seed: settings.seed &+ attempt)
      let scale: Float = Self.startDeviation * Float(1 << attempt)
      let point: [Float] = objective.noise(scale)
      var gradient = [Float](repeating: 0, count: point.count)
      if try objective.evaluate(at: point, gradient: &gradient) != 0 {
        return try Adam(objective, from: point, rate: Self.rate)
      }
    }
    throw silence
  }

  private var silence: StyleTransferError {
    StyleTransferError(
      .input,
      "Channel \(objective.channel) of layer '\(objective.layer)' does not respond, so it has no"
        + " gradient. Name the layer before its activation function, or another channel.")
  }
}
