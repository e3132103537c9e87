import Backends
import Graph
import Operators

extension SliceGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native slice gradient", fill: 0) { _, _ in
        [try ResolvedSlices(slices, of: shape).reversedMove]
      }
    ]
  }
}
