import Graph
import Operators

extension OperatorCatalog {
  /// Every layer that Atelier computes, family by family.
  public static let standard = OperatorCatalog(
    families: [
      .convolution, .pooling, .normalization, .activation, .dense, .elementwise, .reduction,
      .shaping, .slicing, .gathering, .recurrent, .random, .controlFlow, .custom, .training,
    ],
    readers: ([
      .activation, .dense, .elementwise, .reduction, .pooling, .random, .recurrent, .gathering,
      .slicing, .shaping, .custom,
    ] as [[LayerReader]]).flatMap { $0 })
}
