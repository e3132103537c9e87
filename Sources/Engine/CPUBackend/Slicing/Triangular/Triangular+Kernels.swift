import Backends
import Operators

// These operators keep a band of each matrix.

extension LowerTriangularOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [band.kernel] }
}

extension UpperTriangularOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [band.kernel] }
}

extension MatrixBandPartOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [band.kernel] }
}
