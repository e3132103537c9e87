import Backends
import Graph
import Operators

extension CopyOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}
