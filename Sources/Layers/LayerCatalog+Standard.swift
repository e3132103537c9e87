import Engine

extension LayerCatalog {
  /// Every layer that Atelier computes, family by family.
  public static let standard = LayerCatalog(families: [
    .convolution, .pooling, .normalization, .activation, .dense, .elementwise, .reduction,
    .shaping, .slicing, .gathering, .recurrent, .random, .controlFlow, .custom, .training,
  ])
}
