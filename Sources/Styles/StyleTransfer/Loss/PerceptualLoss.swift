import Engine

/// The loss of a picture that should have the content of a photo and the style of paintings.
///
///     loss = contentWeight · Σ wₗ · mean (φₗ(picture) − φₗ(photo))²
///          + styleWeight   · Σ wₗ · styleₗ
///          + smoothness    · mean (neighbour − neighbour)²
///          + colorWeight   · Σ ((μ_c − μ_c(painting))² + (σ_c − σ_c(painting))²)
///          + styleWeight   · Σ wₗ · mean (1 − max cos (φₗ(picture) − μₗ, φₗ(painting) − μₗ))
///
/// φₗ are the features of a layer. `styleₗ` compares the Gram matrix G(φₗ(picture)) with that of the paintings, Gₗ. Its
/// formula depends on ``styleNormalization``. A picture whose features are all 0 has a style loss of 1 (with the default
/// weight) for every painting. So one set of weights fits all paintings. Neighbours are compared in units of full scale
/// (255). μ_c and σ_c are the mean and the standard deviation of a colour component (``ColorMoments``). The last term, the
/// neighbour loss, compares each feature of the picture with the most similar feature of the painting. μₗ is the mean of
/// the painting's features.
///
/// **Source:** Johnson, Alahi and Fei-Fei, arXiv:1603.08155; Gatys, Ecker and Bethge, arXiv:1508.06576. The layers are
/// from these papers. The colour term applies the comparison of moments of Li et al., “Demystifying neural style
/// transfer”, arXiv:1701.01036, to pixels in place of features. The neighbour loss is from Kolkin et al., “Neural
/// Neighbor Style Transfer”, arXiv:2203.13215, with the centred features of that paper's search.
public struct PerceptualLoss: Sendable, Equatable {
  /// A layer and the weight of its loss.
  public struct Term: Sendable, Hashable, Codable {
    /// The layer's name in the network.
    public var layer: String
    /// The factor of the layer's loss.
    public var weight: Double

    /// Creates a term.
    public init(_ layer: String, weight: Double = 1) {
      self.layer = layer
      self.weight = weight
    }
  }

  /// The layers at which pictures are compared with the photo.
  public var content: [Term] = [Term("relu3_3")]
  /// The layers at which pictures are compared with the paintings.
  public var style: [Term] = [
    Term("relu1_2", weight: 0.3), Term("relu2_2", weight: 0.3), Term("relu3_3", weight: 0.3),
    Term("relu4_3", weight: 0.1),
  ]
  /// How the style losses of the layers are made comparable.
  public var styleNormalization: StyleNormalization = .perLayer
  /// The factor of the content loss.
  public var contentWeight: Double = PerceptualLoss.defaultContentWeight
  /// The factor of the style loss.
  public var styleWeight: Double = PerceptualLoss.defaultStyleWeight
  /// The factor of the smoothness loss (total variation).
  public var smoothness: Double = PerceptualLoss.defaultSmoothness
  /// The factor of the colour loss. 0 leaves the loss out. The loss needs one style for the complete picture.
  public var colorWeight: Double = 0

  /// The layers of the neighbour loss and their weights. The loss needs one style for the complete picture.
  public var neighbors: [Term] = []

  /// The default weight of the content.
  public static let defaultContentWeight: Double = 0.0025
  /// The default weight of the style.
  public static let defaultStyleWeight: Double = 1
  /// The default weight of smoothness.
  public static let defaultSmoothness: Double = 0.05

  /// Creates the loss with VGG-16's layers and the default weights, for painting by optimisation.
  public init() {}

  /// The names of the layers of the content loss.
  public var contentLayers: [String] { content.map(\.layer) }
  /// The names of the layers of the style loss.
  public var styleLayers: [String] { style.map(\.layer) }
  /// The names of the layers of the neighbour loss.
  public var neighborLayers: [String] { neighbors.map(\.layer) }

  /// A style, and the part of the picture that gets it.
  public struct Style: Sendable {
    /// The targets from the paintings' features.
    public var targets: StyleTargets
    /// The part of the picture with this style. Nil for the complete picture.
    public var mask: StyleMask?

    /// Creates a style for the complete picture, or for the part that the mask covers.
    public init(_ targets: StyleTargets, mask: StyleMask? = nil) {
      self.targets = targets
      self.mask = mask
    }
  }

  /// The content that a picture should have.
  public enum Content: Sendable {
    /// The content of a photo in the same graph, `[N, 3, height, width]`, 0…255. The graph computes its features.
    case picture(Graph.ValueID)
    /// The content of a photo whose features, by layer, are inputs or constants of the graph.
    case features([String: Graph.ValueID])
    /// No content: the picture becomes a texture.
    case nothing
  }

  /// The losses in a graph, each of shape `[1]` and multiplied by its weight.
  public struct Values: Sendable {
    /// The sum of the other losses, which is minimised.
    public let total: Graph.ValueID
    /// The content loss. Nil without content.
    public let content: Graph.ValueID?
    /// The style loss. Nil without a style.
    public let style: Graph.ValueID?
    /// The smoothness loss. Nil if its weight is 0.
    public let smoothness: Graph.ValueID?
    /// The colour loss. Nil if its weight is 0, or without a style.
    public let color: Graph.ValueID?

    /// The neighbour loss. Nil if it has no layers, or without a style.
    public let neighbors: Graph.ValueID?

    /// The losses that are not nil, in this order: total, content, style, smoothness, colour, neighbours.
    public var all: [Graph.ValueID] {
      [total] + [content, style, smoothness, color, neighbors].compactMap { $0 }
    }
  }
}
