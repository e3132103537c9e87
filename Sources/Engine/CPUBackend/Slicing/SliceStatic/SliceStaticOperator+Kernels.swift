import Backends
import Graph
import Operators

extension SliceStaticOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .moves("native slice") { inputs, _ in
        [try ResolvedSlices(slices, of: inputs[0]).move]
      }
    ]
  }
}
