import Engine
import Imaging

/// How many steps of optimisation one pass of a style network is worth: both are judged by the loss
/// that the network was trained with.
///
/// **Source:** Johnson, Alahi and Fei-Fei, arXiv:1603.08155, figure 5.
public struct PassComparison: Sendable, Equatable {
  /// The loss of the photo itself, where optimisation starts.
  public var photo: Double
  /// The loss of the network's painting.
  public var pass: Double
  /// The loss after each step of L-BFGS, until it is no more than the painting's, or up to a limit.
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
  ///   - limit: the most steps.
  ///   - report: called after each step with its number and loss; false ends the steps.
  public init(
    photo: Picture, painting: Picture, targets: StyleTargets, loss: PerceptualLoss,
    network: FeatureNetwork, limit: Int, options: ExecutionOptions = ExecutionOptions(),
    report: (Int, Double) -> Bool = { _, _ in true }
  ) throws {
    guard photo.width == painting.width, photo.height == painting.height else {
      throw StyleTransferError(
        .input,
        "The photo has \(photo.width) × \(photo.height) pixels and the painting \(painting.width) ×"
          + " \(painting.height); they are compared at one size.")
    }
    let start: [Float] = photo.planes
    let objective = try PaintingObjective(
      width: photo.width, height: photo.height, photo: start,
      styles: [PerceptualLoss.Style(targets)], loss: loss, network: network, options: options)
    var gradient: [Float] = []
    pass = try objective.evaluate(at: painting.planes, gradient: &gradient)
    var search = try LBFGS(
      objective, from: start, firstLength: 4 * Double(start.count).squareRoot())
    self.photo = search.value
    steps = []
    while steps.count < limit, search.value > pass, try search.step(objective) {
      steps.append(search.value)
      guard report(steps.count, search.value) else { break }
    }
  }
}
