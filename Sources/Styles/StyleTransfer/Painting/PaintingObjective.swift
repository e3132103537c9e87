import Engine
import Training

/// The perceptual loss as a function of the pixels of a picture, with its gradient, for a ``Minimizer``.
///
/// A point is the picture `[3, height, width]`, 0…255. Values outside of that range add a penalty to the loss, so that
/// clamping the final picture changes little:
///
///     10 · max(style weight, content weight) · mean (excess beyond 0…255 / 255)²
public final class PaintingObjective: Objective {
  /// The losses at the last point: the total, content, style and smoothness. Losses with the weight 0 are left out.
  public private(set) var losses: [Double] = []
  private let function: DifferentiableFunction
  /// The features of the photo, in the order of the graph's inputs.
  private let features: [[Float]]
  private let penalty: Double

  /// Plans the computation of the loss for pictures of one size.
  ///
  /// - Parameters:
  ///   - photo: The photo, `[3, height, width]`. Nil if there is no content loss.
  ///   - styles: The styles that the picture should have.
  public init(
    width: Int, height: Int, photo: [Float]?, styles: [PerceptualLoss.Style], loss: PerceptualLoss,
    network: FeatureNetwork, options: ExecutionOptions
  ) throws {
    let shape: Shape = [1, 3, height, width]
    var graph = Graph()
    let picture: Graph.ValueID = graph.addInput("picture", shape)
    var content: PerceptualLoss.Content = .nothing
    var given: [[Float]] = []
    if let photo, loss.contentWeight != 0 {
      let shown: [String: FloatTensor] = try network.features(
        of: FloatTensor(shape, photo), layers: loss.contentLayers, options: options)
      var values: [String: Graph.ValueID] = [:]
      for layer in loss.contentLayers {
        guard values[layer] == nil, let tensor = shown[layer] else { continue }
        values[layer] = graph.addInput("photo/\(layer)", tensor.shape)
        given.append(tensor.values)
      }
      content = .features(values)
    }
    let values: PerceptualLoss.Values = try loss.append(
      to: &graph, picture: picture, content: content, styles: styles, network: network)
    features = given
    penalty = 10 * max(loss.styleWeight, loss.contentWeight)
    function = try DifferentiableFunction(
      graph, loss: values.total, reporting: Array(values.all.dropFirst()),
      withRespectTo: [picture], options: options)
  }

  /// The memory that the computation needs, in bytes.
  public var byteCount: Int {
    function.arenaByteCount + function.plan.constantByteCount
      + features.reduce(0) { $0 + $1.count * 4 }
  }

  public func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let (report, gradients) = try function.evaluate([point] + features)
    losses = report.map { Double($0) }
    gradient = gradients[0]
    return losses[0] + penalty(point, &gradient)
  }

  /// Returns the penalty of values outside of 0…255, and adds the gradient of the penalty to `gradient`.
  private func penalty(_ point: [Float], _ gradient: inout [Float]) -> Double {
    let factor: Double = penalty / (255 * 255 * Double(point.count))
    let slope = Float(2 * factor)
    var sum: Double = 0
    point.withUnsafeBufferPointer { (point: UnsafeBufferPointer<Float>) in
      gradient.withUnsafeMutableBufferPointer {
        (gradient: inout UnsafeMutableBufferPointer<Float>) in
        for index in 0..<point.count {
          let outside: Float = point[index] - min(255, max(0, point[index]))
          sum += Double(outside * outside)
          gradient[index] += slope * outside
        }
      }
    }
    return factor * sum
  }
}
