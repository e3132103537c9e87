import Engine
import Training

/// The loss of a picture of one size, and its gradient, for a ``Minimizer``.
///
/// Points are `[3, height, width]`, 0…255. What lies outside that range costs extra, so that nothing
/// is lost when the picture is clamped in the end:
///
///     10 · weight of the style · mean (distance to 0…255, of full scale)²
public final class PaintingObjective: Objective {
  /// The losses at the last point: total, then content, style and smoothness where there are any.
  public private(set) var losses: [Double] = []
  private let function: DifferentiableFunction
  /// The photo's features, in the order of the graph's inputs.
  private let features: [[Float]]
  private let penalty: Double

  /// The objective of pictures of a size.
  ///
  /// - Parameters:
  ///   - photo: `[3, height, width]`; nil where nothing is to be shown.
  ///   - styles: how it is to be painted.
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

  /// The memory of the computation, in bytes.
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

  /// What values outside of 0…255 cost; adds its gradient.
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
