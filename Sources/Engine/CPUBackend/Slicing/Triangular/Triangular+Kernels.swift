import Backends
import Operators

// A band of each matrix is kept.

extension LowerTriangularOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [band.kernel] }
}

extension UpperTriangularOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [band.kernel] }
}

extension MatrixBandPartOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [band.kernel] }
}
