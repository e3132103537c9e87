import Engine
import Imaging
import Operators

/// What a painting's style is by the features of a network: one Gram matrix a layer, which says
/// how often which features are seen together, and nothing of where.
///
///     G = F · Fᵀ / (C · H · W)      F: the features as C rows of H · W
///
/// **Source:** Gatys, Ecker and Bethge, arXiv:1508.06576; normalised as Johnson, Alahi and Fei-Fei
/// do, arXiv:1603.08155, so that pictures of different sizes compare.
public struct StyleTargets: Sendable, Equatable {
  /// The matrices by layer, `[1, C, C]`.
  public private(set) var grams: [String: FloatTensor]

  /// Targets of given matrices.
  public init(grams: [String: FloatTensor]) { self.grams = grams }

  /// The targets of a painting at the size that it has.
  ///
  /// - Parameters:
  ///   - painting: the painting, or a part of it.
  ///   - layers: the layers whose features are compared.
  ///   - options: how the network runs; `float32` unless told otherwise.
  public init(
    of painting: Picture, by network: FeatureNetwork, layers: [String],
    options: ExecutionOptions = ExecutionOptions()
  ) throws {
    var graph = Graph()
    let input: Graph.ValueID = graph.addInput(
      "painting", [1, 3, painting.height, painting.width])
    let features: [String: Graph.ValueID] = try network.append(
      to: &graph, picture: input, layers: layers)
    for layer in layers {
      guard let feature = features[layer] else { continue }
      graph.outputs.append(try graph.addGram(of: feature, name: "\(layer) gram"))
    }
    let matrices: [FloatTensor] = try graph.run([painting.planes], options: options)
    grams = Dictionary(zip(layers, matrices)) { first, _ in first }
  }

  /// The targets of several paintings mixed: `Σ weight · G / Σ weight`.
  ///
  /// To come close to a mixture is to come close to all of them, each with its weight: the sums of
  /// squares differ by a constant.
  public init(mixing parts: [(targets: StyleTargets, weight: Double)]) throws {
    let total: Double = parts.reduce(0) { $0 + $1.weight }
    guard let first = parts.first, total > 0, parts.allSatisfy({ $0.weight >= 0 }) else {
      throw StyleTransferError(
        .input, "Styles are mixed with weights from 0 on that are not all 0; name at least one.")
    }
    grams = first.targets.grams
    for (layer, gram) in first.targets.grams {
      var sums = [Double](repeating: 0, count: gram.values.count)
      for (targets, weight) in parts {
        guard let other = targets.grams[layer], other.shape == gram.shape else {
          throw StyleTransferError(
            .input, "Styles can be mixed that come from the same layers; one lacks '\(layer)'.")
        }
        for (index, value) in other.values.enumerated() {
          sums[index] += weight / total * Double(value)
        }
      }
      grams[layer] = FloatTensor(gram.shape, sums.map { Float($0) })
    }
  }

  /// `‖G‖²` of a layer.
  func squaredNorm(_ gram: FloatTensor) -> Double {
    gram.values.reduce(0) { $0 + Double($1) * Double($1) }
  }
}

extension Graph {
  /// Adds the Gram matrix of features `[N, C, H, W]`: `[N, C, C]`.
  mutating func addGram(of features: ValueID, name: String) throws -> ValueID {
    let shape: Shape = try knownShape(of: features)
    let factor: Double = 1 / Double(shape[1] * shape[2] * shape[3])
    return try apply(GramMatrixOperator(factor: factor), to: [features], name: name)
  }
}
