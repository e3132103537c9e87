import Backends
import Graph

extension ScaleOperator {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native scale and shift") { [self] (request: KernelRequest) -> Kernel? in
        try PointwiseProgram.affine(scale: try scale.operand(), shift: try bias?.operand())
          .kernel(for: request)
      }
    ]
  }
}

extension BiasOperator {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native shift") { [self] (request: KernelRequest) -> Kernel? in
        try PointwiseProgram.affine(scale: nil, shift: try bias.operand()).kernel(for: request)
      }
    ]
  }
}
