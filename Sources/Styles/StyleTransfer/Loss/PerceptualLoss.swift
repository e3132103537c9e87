import Engine

/// How far a picture is from showing what a photo shows, in the way that paintings are painted.
///
///     loss = contentWeight · Σ wₗ · mean (φₗ(picture) − φₗ(photo))²
///          + styleWeight   · Σ wₗ · ‖G(φₗ(picture)) − Gₗ‖² / ‖Gₗ‖²
///          + smoothness    · mean (neighbour − neighbour)²
///
/// φₗ are the features of a layer, Gₗ the Gram matrix of the paintings. Because every layer of the
/// style is measured against its target, it is as far away as a blank picture at 1 (the default
/// weight) whatever the painting, and one set of weights suits all. Neighbours are compared in units of
/// full scale (255).
///
/// **Source:** Johnson, Alahi and Fei-Fei, arXiv:1603.08155; Gatys, Ecker and Bethge,
/// arXiv:1508.06576. The layers are theirs; the norming of the style is ours.
public struct PerceptualLoss: Sendable, Equatable {
  /// A layer and its share.
  public struct Term: Sendable, Equatable, Codable {
    /// The layer's name in the network.
    public var layer: String
    /// What its loss is multiplied by.
    public var weight: Double

    /// A term.
    public init(_ layer: String, weight: Double = 1) {
      self.layer = layer
      self.weight = weight
    }
  }

  /// Where pictures are compared with the photo.
  public var content: [Term] = [Term("relu3_3")]
  /// Where pictures are compared with the paintings.
  public var style: [Term] = [
    Term("relu1_2", weight: 0.3), Term("relu2_2", weight: 0.3), Term("relu3_3", weight: 0.3),
    Term("relu4_3", weight: 0.1),
  ]
  /// What the loss of the content is multiplied by.
  public var contentWeight: Double = PerceptualLoss.defaultContentWeight
  /// What the loss of the style is multiplied by.
  public var styleWeight: Double = PerceptualLoss.defaultStyleWeight
  /// What the loss of smoothness (total variation) is multiplied by.
  public var smoothness: Double = PerceptualLoss.defaultSmoothness

  /// The weight of the content where none is given.
  public static let defaultContentWeight: Double = 0.0025
  /// The weight of the style where none is given.
  public static let defaultStyleWeight: Double = 1
  /// The weight of smoothness where none is given.
  public static let defaultSmoothness: Double = 0.05

  /// The loss with VGG-16's layers and the default weights, for painting by optimisation.
  public init() {}

  /// The loss that networks are trained with. Content is compared at relu2_2, as Johnson et al. write, where
  /// light, shade and the lines of a face weigh more than at relu3_3. Every layer of the style counts the
  /// same; by optimisation the deepest one slows the colours of the others. Smoothness takes away the rims
  /// that edges get in large pictures. Found by looking at paintings.
  public static var forTraining: PerceptualLoss {
    var loss = PerceptualLoss()
    loss.content = [Term("relu2_2")]
    (loss.contentWeight, loss.smoothness) = (0.04, 0.3)
    for index in loss.style.indices { loss.style[index].weight = 0.25 }
    return loss
  }

  /// The layers of the content.
  public var contentLayers: [String] { content.map(\.layer) }
  /// The layers of the style.
  public var styleLayers: [String] { style.map(\.layer) }

  /// A style, and where it goes.
  public struct Style: Sendable {
    /// What the paintings' features are.
    public var targets: StyleTargets
    /// The part of the picture that is painted so; nil for all of it.
    public var mask: StyleMask?

    /// A style for the whole picture, or for a part.
    public init(_ targets: StyleTargets, mask: StyleMask? = nil) {
      self.targets = targets
      self.mask = mask
    }
  }

  /// What the picture is to show.
  public enum Content: Sendable {
    /// A photo in the same graph, `[N, 3, height, width]`, 0…255; its features are computed there.
    case picture(Graph.ValueID)
    /// The features of a photo by layer, computed before.
    case features([String: Graph.ValueID])
    /// Nothing: the picture becomes a texture.
    case nothing
  }

  /// The numbers that a graph computes, each of shape `[1]` and with its weight in it.
  public struct Values: Sendable {
    /// The sum of the others: what is to become small.
    public let total: Graph.ValueID
    /// The loss of the content; nil where nothing is to be shown.
    public let content: Graph.ValueID?
    /// The loss of the style; nil where there is none.
    public let style: Graph.ValueID?
    /// The loss of smoothness; nil where its weight is 0.
    public let smoothness: Graph.ValueID?

    /// Those that there are, in this order: total, content, style, smoothness.
    public var all: [Graph.ValueID] { [total] + [content, style, smoothness].compactMap { $0 } }
  }
}
