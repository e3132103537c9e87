/// The loss of a training, its pictures, and the shortcuts of its network.
public struct TrainingRecipe: Sendable, Hashable, Codable {
  /// How the style losses of the layers are made comparable.
  public var styleNormalization: StyleNormalization
  /// The layer at which paintings are compared with photos, and the weight of the content loss.
  public var content: PerceptualLoss.Term
  /// The weight of the colour loss. 0 leaves it out.
  public var colorWeight: Double
  /// The weight of the neighbour loss of each layer in ``neighborLayers``. 0 leaves it out.
  public var neighborWeight: Double
  /// How pictures are taken from photos.
  public var photos: PhotoSelection
  /// The shortcuts of the network, if its algorithm has shortcuts.
  public var shortcuts: StyleArchitecture.Shortcuts

  /// The layers of the neighbour loss.
  static let neighborLayers: [String] = ["relu3_1", "relu4_1"]

  /// Creates a recipe.
  public init(
    styleNormalization: StyleNormalization, content: PerceptualLoss.Term, colorWeight: Double = 0,
    neighborWeight: Double = 0, photos: PhotoSelection,
    shortcuts: StyleArchitecture.Shortcuts = .stagesAndPicture
  ) {
    self.styleNormalization = styleNormalization
    self.content = content
    self.colorWeight = colorWeight
    self.neighborWeight = neighborWeight
    self.photos = photos
    self.shortcuts = shortcuts
  }

  /// Reads a recipe. Recipes that an earlier version wrote have no neighbour loss.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    styleNormalization = try container.decode(StyleNormalization.self, forKey: .styleNormalization)
    content = try container.decode(PerceptualLoss.Term.self, forKey: .content)
    colorWeight = try container.decode(Double.self, forKey: .colorWeight)
    neighborWeight = try container.decodeIfPresent(Double.self, forKey: .neighborWeight) ?? 0
    photos = try container.decode(PhotoSelection.self, forKey: .photos)
    shortcuts = try container.decode(StyleArchitecture.Shortcuts.self, forKey: .shortcuts)
  }
}

extension TrainingRecipe {
  /// The recipes with names. Each recipe after ``papers`` adds one change to the previous recipe.
  public enum Name: String, Sendable, CaseIterable {
    /// ``TrainingRecipe/equalLayers``
    case equalLayers = "equal-layers"
    /// ``TrainingRecipe/papers``
    case papers
    /// ``TrainingRecipe/wholePhotos``
    case wholePhotos = "whole-photos"
    /// ``TrainingRecipe/noPictureShortcut``
    case noPictureShortcut = "no-picture-shortcut"
    /// ``TrainingRecipe/colors``
    case colors
    /// ``TrainingRecipe/neighbors``
    case neighbors

    /// The recipe with this name.
    public var recipe: TrainingRecipe {
      switch self {
      case .equalLayers: .equalLayers
      case .papers: .papers
      case .wholePhotos: .wholePhotos
      case .noPictureShortcut: .noPictureShortcut
      case .colors: .colors
      case .neighbors: .neighbors
      }
    }
  }

  /// The default recipe in every program of the project.
  public static let standard: TrainingRecipe = .neighbors

  /// All style layers count equally. Content is compared at relu2_2, as in the supplementary material of Johnson et
  /// al.; light, shade and the lines of a face matter more there than at relu3_3. Pictures are parts of photos, and a
  /// third of them is over- or underexposed.
  public static let equalLayers = TrainingRecipe(
    styleNormalization: .perLayer, content: PerceptualLoss.Term("relu2_2", weight: 0.04),
    photos: PhotoSelection(crop: .part, photosPerExposure: 3))

  /// The style layers have the same shares as in the papers. Content is compared at relu3_3 as in Johnson's program.
  ///
  /// The weight 0.0075 gives the balance of the fast_neural_style example of PyTorch. The example minimises
  /// 10⁵ · C(relu2_2) + 10¹⁰ · Σ mean (G − Gₗ)², where C is the mean squared difference of features. Divided by
  /// 10¹⁰ · S with S = Σ mean Gₗ², the second term becomes our style loss and the first one C · 10⁻⁵ / S. The geometric
  /// mean of S over the gallery's eight paintings at 256 pixels is 5.98 · 10⁻⁴, which gives 0.0167 at relu2_2. At
  /// relu3_3, C is larger: C(relu2_2) / C(relu3_3) is 0.44 for six photos and their paintings by FNS-Scream (0.46 for
  /// photos and grey). 0.0167 · 0.44 = 0.0074.
  public static let papers = TrainingRecipe(
    styleNormalization: .perPainting, content: PerceptualLoss.Term("relu3_3", weight: 0.0075),
    photos: PhotoSelection(crop: .part, photosPerExposure: 3))

  /// ``papers`` with whole photos. One of 20 photos is over- or underexposed. With smaller crops, a picture of nothing
  /// but sky would have to show the style of the whole painting.
  public static let wholePhotos: TrainingRecipe = {
    var recipe: TrainingRecipe = .papers
    recipe.photos = PhotoSelection(crop: .whole, photosPerExposure: 20)
    return recipe
  }()

  /// ``wholePhotos`` without the shortcut from the picture to the painting.
  public static let noPictureShortcut: TrainingRecipe = {
    var recipe: TrainingRecipe = .wholePhotos
    recipe.shortcuts = .stages
    return recipe
  }()

  /// ``noPictureShortcut`` with a colour loss. With the weight 5, a painting with half the contrast of a painting with
  /// σ = 0.2 has a colour loss of 5 · 0.1² = 0.05, which is similar to the style loss at the end of a training.
  public static let colors: TrainingRecipe = {
    var recipe: TrainingRecipe = .noPictureShortcut
    recipe.colorWeight = 5
    return recipe
  }()

  /// ``colors`` with a neighbour loss.
  public static let neighbors: TrainingRecipe = {
    var recipe: TrainingRecipe = .colors
    recipe.neighborWeight = 0.1
    return recipe
  }()

  /// The name of the recipe. Nil if it has none.
  public var name: Name? { Name.allCases.first { $0.recipe == self } }
}

extension TrainingRecipe: CustomStringConvertible {
  /// The name of the recipe. If it has none, all its values.
  public var description: String {
    name?.rawValue
      ?? "\(styleNormalization.rawValue), \(content.layer) \(content.weight), colours \(colorWeight), neighbours \(neighborWeight),"
      + " \(photos.crop.rawValue) 1/\(photos.photosPerExposure), \(shortcuts.rawValue)"
  }
}

extension PerceptualLoss {
  /// Returns the loss of a training. All style layers have the same weight. In painting by optimisation, by contrast,
  /// the deepest style layer has a smaller weight, because it would delay the colours, which the other layers
  /// determine. Smoothness removes the rims of edges in large pictures.
  public static func forTraining(_ recipe: TrainingRecipe) -> PerceptualLoss {
    var loss = PerceptualLoss()
    loss.content = [Term(recipe.content.layer)]
    (loss.contentWeight, loss.smoothness) = (recipe.content.weight, 0.3)
    for index in loss.style.indices { loss.style[index].weight = 0.25 }
    loss.styleNormalization = recipe.styleNormalization
    loss.colorWeight = recipe.colorWeight
    if recipe.neighborWeight > 0 {
      loss.neighbors = TrainingRecipe.neighborLayers.map { Term($0, weight: recipe.neighborWeight) }
    }
    return loss
  }
}
