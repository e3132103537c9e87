import Engine
import Imaging

/// How many steps of optimisation one pass of a style network is worth: both are judged by the loss
/// that the network was trained with.
///
/// **Source:** Johnson, Alahi and Fei-Fei, arXiv:1603.08155, figure 5.
public struct PassComparison: Sendable, Equatable {
  /// Where optimisation starts.
  public enum Start: String, Sendable, CaseIterable {
    /// At the photo, where the content costs nothing.
    case photo
    /// At grey with a little noise, as the program of the paper's authors does.
    case noise
  }

  /// The loss where optimisation starts.
  public var start: Double
  /// The loss of the network's painting.
  public var pass: Double
  /// The loss after each step of L-BFGS, until it is no more than the painting's, or up to a limit. Steps
  /// that come as far are judged with their pictures clamped to 0…255, where a network's painting lies.
  public var steps: [Double]

  /// The step that came as far as the network; nil where none did.
  public var equivalent: Int? { steps.firstIndex { $0 <= pass }.map { $0 + 1 } }

  /// Compares.
  ///
  /// - Parameters:
  ///   - photo: the photo, at the size at which both paint.
  ///   - painting: what the network made of it, of the same size.
  ///   - targets: the style, as the network learned it.
  ///   - loss: what the network was trained with.
  ///   - start: where optimisation starts.
  ///   - limit: the most steps.
  ///   - report: called after each step with its number and loss; false ends the steps.
  public init(
    photo: Picture, painting: Picture, targets: StyleTargets, loss: PerceptualLoss,
    network: FeatureNetwork, start: Start = .photo, limit: Int,
    options: ExecutionOptions = ExecutionOptions(), report: (Int, Double) -> Bool = { _, _ in true }
  ) throws {
    guard photo.width == painting.width, photo.height == painting.height else {
      throw StyleTransferError(
        .input,
        "The photo has \(photo.width) × \(photo.height) pixels and the painting \(painting.width) ×"
          + " \(painting.height); they are compared at one size.")
    }
    let shown: [Float] = photo.planes
    let objective = try PaintingObjective(
      width: photo.width, height: photo.height, photo: shown,
      styles: [PerceptualLoss.Style(targets)], loss: loss, network: network, options: options)
    var gradient: [Float] = []
    pass = try objective.evaluate(at: painting.planes, gradient: &gradient)
    let first: [Float]
    switch start {
    case .photo: first = shown
    case .noise:
      var generator = SampleGenerator(seed: 1)
      first = shown.map { _ in Float(generator.uniform(126...129)) }
    }
    var search = try LBFGS(
      objective, from: first, firstLength: 4 * Double(first.count).squareRoot())
    self.start = search.value
    steps = []
    while steps.count < limit, (steps.last ?? search.value) > pass, try search.step(objective) {
      var reached: Double = search.value
      if reached <= pass {
        let inside: [Float] = search.point.map { min(255, max(0, $0)) }
        reached = try objective.evaluate(at: inside, gradient: &gradient)
      }
      steps.append(reached)
      guard report(steps.count, reached) else { break }
    }
  }
}
