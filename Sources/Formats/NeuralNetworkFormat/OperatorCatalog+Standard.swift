import Graph
import Operators

extension OperatorCatalog {
  /// All layer types that Atelier can compute, family by family.
  public static let standard = OperatorCatalog(
    families: [
      .convolution, .pooling, .normalization, .activation, .dense, .elementwise, .reduction,
      .shaping, .slicing, .gathering, .recurrent, .random, .controlFlow, .custom, .training,
    ],
    readers: ([
      .convolution, .normalization, .activation, .dense, .elementwise, .reduction, .pooling,
      .random, .recurrent, .gathering, .slicing, .shaping, .custom, .controlFlow,
    ] as [[LayerReader]]).flatMap { $0 })
}
